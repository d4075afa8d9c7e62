// SPDX-License-Identifier: Apache-2.0
// The start page offers every shipped graph, and each opens to a planned page.
#include "ui/start_page/samples.h"

#include "tests/support/golden.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QElapsedTimer>
#include <QFileInfo>
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
    QCOMPARE(offered, shipped);
    QCOMPARE(offered.size(), 9);
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
    ui::PlannerPage* page = open(path);
    QVERIFY(page != nullptr);
    qInfo("opened after %lld ms", static_cast<long long>(clock.elapsed()));
    QVERIFY(QTest::qWaitFor([page] { return page->document().isPlanned(); }, kPatience));
    qInfo("planned after %lld ms", static_cast<long long>(clock.elapsed()));
    const auto& program = *page->document().document().graph.program;
    QVERIFY(!program.header.kernels.empty() && !program.ops.empty());
}

} // namespace

PLIMSOLL_TEST(SamplesOpenTest, QApplication)
#include "samples_open_test.moc"
