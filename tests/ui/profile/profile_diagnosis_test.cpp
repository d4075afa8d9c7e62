// SPDX-License-Identifier: Apache-2.0
// Why memory ran out: of a recording, and of a message that PyTorch printed.
#include "core/doctor/diagnose.h"
#include "ui/base/numbers.h"
#include "ui/diagnosis/diagnosis_view.h"
#include "ui/diagnosis/message_dialog.h"
#include "ui/document_page/pages_dock.h"
#include "ui/profile_page/docks/diagnosis_page.h"
#include "ui/profile_page/docks/inspector.h"
#include "ui/start_page/samples.h"

#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QTimer>
#include <QUrl>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class ProfileDiagnosisTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void aFailureIsDiagnosedAtOnce();
    void aPeakIsDiagnosedWhenAskedFor();
    void aMessageNeedsNoProfile();
    void aMessageIsReadAsItIsPasted();

private:
    static QString sample(const char* file)
    {
        return sampleFolder() + u'/' + QString::fromLatin1(file);
    }
};

void ProfileDiagnosisTest::aFailureIsDiagnosedAtOnce()
{
    ProfilePage* page = openProfile(sample("encoder_out_of_memory.stand-in.pickle.gz"));
    QVERIFY(page != nullptr);
    auto& diagnosis = tests::viewOf<DiagnosisPage>(*page);
    QVERIFY(diagnosis.isVisible());
    const auto& inspector = tests::viewOf<Inspector>(*page);
    page->allocation().select(1); // what was selected is told
    QVERIFY(inspector.isVisible() && !diagnosis.isVisible());
    page->allocation().select(std::nullopt);
    page->dockOf(&diagnosis)->showPage(&diagnosis);
    QVERIFY(QTest::qWaitFor([&] { return diagnosis.isCurrent(); }, kPatience));
    const DiagnosisView& view = diagnosis.view();
    // Scores of 8000 words in fp32 for 72 times 128. PyTorch said: tried to allocate 282.00 MiB (of
    // the driver), 96.00 MiB free, 267.20 MiB unallocated.
    QVERIFY2(view.headline().startsWith(QStringLiteral("An allocation of ")
                                        + bytesText(base::Bytes{72 * 128 * 8000 * 4})),
             qPrintable(view.headline()));
    QCOMPARE(view.value(QStringLiteral("Free")), bytesText(base::Bytes{96 * kMiB}));
    QVERIFY(view.value(QStringLiteral("Idle")).startsWith(QStringLiteral("267.2")));
    QVERIFY(!view.remedies().empty());
    // Who holds what is live adds up to it; each setting that was tried has its row.
    const workspace::ProfilePicturePtr picture = page->controller().picture();
    const auto diagnosed = doctor::diagnose(*picture->trace, picture->device());
    QVERIFY(diagnosed);
    const doctor::Diagnosis& found = *diagnosed;
    base::Bytes live;
    for (const memtrace::LiveGroup& group : found.byClass->groups)
        live += group.bytes;
    QCOMPARE(live, found.live->value);
    // QTextDocument gives spaces in place of those that don't break.
    const auto plain = [](QString text) { return text.replace(QChar::Nbsp, u' '); };
    diagnosis.view().selectAll();
    diagnosis.view().copy(); // without the marks where long words may be broken
    const QString text = QGuiApplication::clipboard()->text();
    QVERIFY2(text.contains(QStringLiteral("Live, by class")), qPrintable(text));
    QCOMPARE(liveRowsOf(*found.byClass, memtrace::LiveBy::Class).size(),
             found.byClass->groups.size());
    QVERIFY(!found.replay->runs.empty());
    const TitledValues settings = settingsRowsOf(*found.replay);
    QCOMPARE(settings.size(), found.replay->runs.size() + 1);
    for (const auto& [title, value] : settings)
        QVERIFY2(text.contains(plain(title)) && text.contains(plain(value)), qPrintable(title));
    for (std::size_t i = 0; i < found.replay->runs.size(); ++i)
        QCOMPARE(settings[i + 1].second, found.replay->runs[i].failedAt
                                             ? QStringLiteral("fails, too")
                                             : bytesText(found.replay->runs[i].reserved));
    QVERIFY(view.toHtml().contains(QStringLiteral("href=\"#moment\"")));
    Q_EMIT diagnosis.view().anchorClicked(QUrl{QStringLiteral("#moment")});
    const auto& device = page->controller().picture()->device();
    QCOMPARE(page->selection().step(),
             std::optional<std::size_t>{device.outOfMemory().back().event + std::size_t{1}});
}

void ProfileDiagnosisTest::aPeakIsDiagnosedWhenAskedFor()
{
    ProfilePage* page = openProfile(sample("encoder_training.stand-in.pickle.gz"));
    QVERIFY(page != nullptr);
    auto& diagnosis = tests::viewOf<DiagnosisPage>(*page);
    QVERIFY(!diagnosis.isVisible());
    tests::chooseTab(*page, QStringLiteral("Diagnosis"), QStringLiteral("inspector"));
    QVERIFY(QTest::qWaitFor([&] { return diagnosis.isCurrent(); }, kPatience));
    QVERIFY(diagnosis.view().headline().startsWith(QStringLiteral("No allocation failed.")));
    QCOMPARE(diagnosis.view().value(QStringLiteral("Live")),
             bytesText(page->controller().picture()->timeline->peak()));
}

/// Who has a message needs no profile: from the start page, too.
void ProfileDiagnosisTest::aMessageNeedsNoProfile()
{
    QVERIFY(m_window->currentPage() == nullptr);
    QString title;
    QTimer::singleShot(0, this, [this, &title] {
        auto* dialog = m_window->findChild<MessageDialog*>();
        QVERIFY(dialog != nullptr && QTest::qWaitForWindowExposed(dialog));
        title = dialog->windowTitle();
        QTest::keyClick(dialog, Qt::Key_Escape);
    });
    trigger("file.diagnose");
    QCOMPARE(title, QStringLiteral("Diagnose an Out-of-Memory Message"));
}

void ProfileDiagnosisTest::aMessageIsReadAsItIsPasted()
{
    MessageDialog dialog{m_window.get()};
    dialog.show();
    QCOMPARE(dialog.diagnosis().headline(), QStringLiteral("The diagnosis appears here."));
    QTest::keyClicks(&dialog.message(), QStringLiteral("hello"));
    QVERIFY(dialog.diagnosis().headline().startsWith(QStringLiteral("In this text, ")));
    dialog.message().setPlainText(QStringLiteral(
        "Traceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n"
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 282.00 MiB. GPU 0 has a "
        "total capacity of 2.00 GiB of which 96.00 MiB is free. Of the allocated memory 1.65 GiB "
        "is allocated by PyTorch, and 267.20 MiB is reserved by PyTorch but unallocated."));
    const DiagnosisView& view = dialog.diagnosis();
    QVERIFY(view.headline().contains(QStringLiteral("282")));
    QVERIFY(view.value(QStringLiteral("Capacity")).contains(QStringLiteral("2.00")));
    QVERIFY(view.value(QStringLiteral("Idle")).contains(QStringLiteral("267.2")));
    QVERIFY(!view.remedies().empty());
    QCOMPARE(view.value(QStringLiteral("Allowed")), QString{});
    dialog.message().setPlainText(QStringLiteral(
        "CUDA out of memory. Tried to allocate 4.00 GiB. GPU 0 has a total capacity of 79.15 GiB "
        "of which 1.00 GiB is free. Including non-PyTorch memory, this process has 40.00 GiB "
        "memory in use. 21.70 GiB allowed; Of the allocated memory 20.00 GiB is allocated by "
        "PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated."));
    for (const auto& [title, value] :
         {std::pair{"Allowed", "21.7"}, std::pair{"Missing", "3.3"},
          std::pair{"Outside PyTorch", "19.0"}, std::pair{"Other processes", "38.1"}}) {
        const QString shown = view.value(QString::fromLatin1(title));
        QVERIFY2(shown.startsWith(QStringLiteral("about ") + QString::fromLatin1(value)),
                 qPrintable(title + QStringLiteral(": ") + shown));
    }
}

} // namespace

PLIMSOLL_TEST(ProfileDiagnosisTest, QApplication)
#include "profile_diagnosis_test.moc"
