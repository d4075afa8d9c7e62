// SPDX-License-Identifier: Apache-2.0
// While a profile is read: its first curve, progress, Cancel, and the document in its place.
#include "core/base/try.h"
#include "core/memtrace/summary.h"
#include "core/readers/torch_snapshot/reader.h"
#include "ui/start_page/opening_page.h"
#include "ui/start_page/start_page.h"

#include "tests/support/snapshots/snapshot_generator.h"
#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QProgressBar>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>

#include <atomic>
#include <chrono>
#include <fstream>
#include <thread>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;

std::atomic<bool> g_mayEnd = false;

/// Reads a snapshot, and waits after half of it until the test lets it go on.
base::Result<readers::FileValue> readInHalves(io::Source& source, const base::JobContext& context)
{
    ASSIGN_OR_RETURN(const io::MappedFile mapped, source.map());
    readers::torch_snapshot::Reading reading{source.name(), context.curve};
    const std::string_view bytes = mapped.bytes();
    RETURN_IF_ERROR(reading.feed(bytes.substr(0, bytes.size() / 2)));
    context.report(1, 4);
    while (!g_mayEnd) {
        if (context.stopRequested())
            return base::cancelled();
        std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
    RETURN_IF_ERROR(reading.feed(bytes.substr(bytes.size() / 2)));
    return reading.finish(context.piece(1, 2)).map([](readers::ReadProfile profile) {
        return readers::FileValue{std::move(profile)};
    });
}

class ProfileOpeningTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { closeWindow(); }
    void aCurveIsThereBeforeTheEnd();
    void cancelLeavesNoDocument_data();
    void cancelLeavesNoDocument();
    void aFailureIsToldWhereItWasOpened();

private:
    /// Starts to open it, and waits for its first curve.
    OpeningPage* beginToOpen(const QString& path);
    [[nodiscard]] QTabBar& tabs() const
    {
        for (QTabBar* bar : m_window->findChildren<QTabBar*>())
            if (bar->accessibleName() == QStringLiteral("Documents"))
                return *bar;
        qFatal("There are no tabs.");
    }

    QString m_snapshot;
    tests::GeneratedFacts m_facts;
};

void ProfileOpeningTest::init()
{
    g_mayEnd = false;
    openWindow({1200, 800}, std::nullopt, [](PageRegistry& registry) {
        registry.documents.formats.add({.id = "halves",
                                        .name = "snapshot in halves",
                                        .kind = readers::FileKind::Profile,
                                        .extensions = {".halves"},
                                        .read = readInHalves,
                                        .sniffPath = [](const std::filesystem::path& path) {
                                            return path.extension() == ".halves";
                                        }});
    });
    m_snapshot = QString::fromStdString(m_folder->file("big.halves"));
    std::ofstream file{m_snapshot.toStdString(), std::ios::binary};
    tests::GeneratedSnapshot snapshot;
    snapshot.events = 40'000;
    m_facts = tests::generateSnapshot(snapshot, [&](std::string_view part) {
        file.write(part.data(), static_cast<std::streamsize>(part.size()));
    });
}

OpeningPage* ProfileOpeningTest::beginToOpen(const QString& path)
{
    m_window->openFiles({path});
    auto* page = m_window->findChild<OpeningPage*>();
    return page != nullptr && QTest::qWaitFor([page] { return page->isVisible(); }, kPatience)
               ? page
               : nullptr;
}

void ProfileOpeningTest::aCurveIsThereBeforeTheEnd()
{
    OpeningPage* opening = beginToOpen(m_snapshot);
    QVERIFY(opening != nullptr);
    QVERIFY(m_window->isOpening() && m_window->pages().empty());
    const base::CurveSoFar::Curve half = opening->curve();
    QVERIFY2(half.values > 10'000 && half.values < 30'000,
             qPrintable(QString::number(half.values)));
    QVERIFY(half.range().highest > 0);
    QVERIFY(half.range().highest <= m_facts.peakBytes - m_facts.initialBytes);
    QCOMPARE(opening->accessibleName(), QStringLiteral("Opening big.halves: active memory so far"));
    QVERIFY(opening->accessibleDescription().startsWith(QStringLiteral("GPU 0 · ")));
    QCOMPARE(opening->findChild<QProgressBar*>()->value(), 250);
    QCOMPARE(tabs().count(), 2);
    QCOMPARE(tabs().tabText(1), QStringLiteral("big.halves"));
    // The curve is drawn: the plot has the ink of the line.
    const QImage shown = opening->grab().toImage();
    const QRgb line = Theme::current().color(Role::Text).rgb();
    int inked = 0;
    for (int x = shown.width() / 4; x < shown.width() * 3 / 4; ++x)
        for (int y = shown.height() / 3; y < shown.height() - 60; ++y)
            if (shown.pixel(x, y) == line) {
                ++inked;
                break;
            }
    QVERIFY2(inked > shown.width() / 20, qPrintable(QString::number(inked)));

    QSignalSpy opened{m_window.get(), &MainWindow::opened};
    g_mayEnd = true;
    QVERIFY(opened.wait(kPatience));
    auto* page = qobject_cast<ProfilePage*>(m_window->currentPage());
    QVERIFY(page != nullptr);
    QVERIFY(!opening->isVisible());
    QCOMPARE(tabs().count(), 2); // start, and the document in place of the other
    QCOMPARE(tabs().currentIndex(), 1);
    const base::Bytes peak = page->controller().picture()->timeline->peak();
    QCOMPARE(peak.count(), m_facts.peakBytes);
}

void ProfileOpeningTest::cancelLeavesNoDocument_data()
{
    QTest::addColumn<QString>("by");
    QTest::addColumn<bool>("hasOther");
    QTest::newRow("button") << QStringLiteral("button") << false;
    QTest::newRow("tab") << QStringLiteral("tab") << false;
    QTest::newRow("menu") << QStringLiteral("menu") << false;
    QTest::newRow("button, beside a document") << QStringLiteral("button") << true;
    QTest::newRow("menu, beside a document") << QStringLiteral("menu") << true;
}

void ProfileOpeningTest::cancelLeavesNoDocument()
{
    QFETCH(QString, by);
    QFETCH(bool, hasOther);
    ProfilePage* other = hasOther ? openProfile(sessionOf({})) : nullptr;
    const int before = tabs().count();
    QCOMPARE(before, hasOther ? 2 : 1);
    OpeningPage* opening = beginToOpen(m_snapshot);
    QVERIFY(opening != nullptr);
    QCOMPARE(tabs().count(), before + 1);
    QVERIFY(m_window->currentPage() == nullptr);
    if (by == QStringLiteral("tab"))
        Q_EMIT tabs().tabCloseRequested(before);
    else if (by == QStringLiteral("menu"))
        trigger("file.close");
    else
        QTest::mouseClick(opening->findChild<QPushButton*>(), Qt::LeftButton);
    QVERIFY(!opening->isVisible());
    QCOMPARE(tabs().count(), before);
    QVERIFY(m_window->currentPage() == other);
    QCOMPARE(m_window->startPage().isVisible(), !hasOther);
    QVERIFY(QTest::qWaitFor([&] { return !m_window->isOpening(); }, kPatience));
    QTest::qWait(300); // longer than until a first curve is shown
    QVERIFY(!opening->isVisible());
    QCOMPARE(m_window->pages().size(), std::size_t{hasOther ? 1U : 0U});
    QVERIFY(!m_window->startPage().hasError());
}

void ProfileOpeningTest::aFailureIsToldWhereItWasOpened()
{
    QVERIFY(QFile{m_snapshot}.resize(QFile{m_snapshot}.size() * 3 / 4));
    OpeningPage* opening = beginToOpen(m_snapshot);
    QVERIFY(opening != nullptr);
    g_mayEnd = true;
    QVERIFY(QTest::qWaitFor([&] { return !m_window->isOpening(); }, kPatience));
    QVERIFY(!opening->isVisible() && m_window->startPage().isVisible());
    QVERIFY(m_window->startPage().hasError());
    QCOMPARE(tabs().count(), 1);
}

} // namespace

PLIMSOLL_TEST(ProfileOpeningTest, QApplication)
#include "profile_opening_test.moc"
