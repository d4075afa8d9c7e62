// SPDX-License-Identifier: Apache-2.0
// The start page offers every shipped file: graphs open to a planned page, profiles to theirs.
#include "ui/profile_page/profile_page.h"
#include "ui/start_page/samples.h"

#include "tests/support/golden.h"
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTest>

using namespace plimsoll;
using namespace plimsoll::tests;

namespace {

class SamplesOpenTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void offersEach();
    void opensEach_data();
    void opensEach();

private:
    void opensAProfile(const QString& path);
};

void SamplesOpenTest::offersEach()
{
    QStringList offered;
    for (const QString& path : ui::sampleFiles())
        offered << QFileInfo{path}.fileName();
    offered.sort();
    QStringList shipped;
    for (const std::string& name : tests::sampleNames())
        shipped << QString::fromStdString(name + ".plimsoll.json.gz");
    shipped << QStringLiteral("encoder_out_of_memory.stand-in.pickle.gz")
            << QStringLiteral("encoder_training.stand-in.pickle.gz");
    shipped.sort();
    QCOMPARE(offered, shipped);
    QCOMPARE(offered.size(), 11);
}

void SamplesOpenTest::opensEach_data()
{
    QTest::addColumn<QString>("path");
    for (const QString& path : ui::sampleFiles())
        QTest::newRow(qPrintable(QFileInfo{path}.baseName())) << path;
}

void SamplesOpenTest::opensEach()
{
    QFETCH(QString, path);
    QElapsedTimer clock;
    clock.start();
    if (path.endsWith(QStringLiteral(".pickle.gz"))) {
        opensAProfile(path);
        return;
    }
    ui::PlannerPage* page = open(path);
    QVERIFY(page != nullptr);
    qInfo("opened after %lld ms", static_cast<long long>(clock.elapsed()));
    // Other tests plan these to their end, such as gui_time_test.
    const QString name = QFileInfo{path}.baseName();
    const bool isLarge = name != QStringLiteral("resnet18") && name != QStringLiteral("unet")
                         && name != QStringLiteral("gpt2_prompt");
    QVERIFY(QTest::qWaitFor(
        [&] {
            return page->document().isPlanned()
                   || (isLarge && !isExhaustive() && page->document().outcome().best);
        },
        kPatience));
    qInfo("planned after %lld ms", static_cast<long long>(clock.elapsed()));
    const auto& program = *page->document().document().graph.program;
    QVERIFY(!program.header.kernels.empty() && !program.ops.empty());
}

void SamplesOpenTest::opensAProfile(const QString& path)
{
    QSignalSpy opened{m_window.get(), &ui::MainWindow::opened};
    m_window->openFiles({path});
    QVERIFY(opened.wait(kPatience));
    const auto* page = qobject_cast<ui::ProfilePage*>(m_window->currentPage());
    QVERIFY(page != nullptr);
    // Both were recorded from the program's start, with all that PyTorch tells of phases.
    const workspace::ProfilePicture& picture = *page->controller().picture();
    QVERIFY(picture.trace->statistics().empty());
    QVERIFY(picture.timeline->bands().size() >= 12);
    QCOMPARE(picture.device().outOfMemory().size(),
             std::size_t{path.contains(QStringLiteral("out_of_memory")) ? 1U : 0U});
}

} // namespace

PLIMSOLL_TEST(SamplesOpenTest, QApplication)
#include "samples_open_test.moc"
