// SPDX-License-Identifier: Apache-2.0
// A profile is compared with the graph of its step as a person does it: by the command on either
// page, by dropping files, out of a session; every figure is that of plimsoll-cli diff.
#include "ui/waterfall_page/waterfall_page.h"

#include "ui/compare_page/profile_chooser.h"
#include "ui/tables/cell_roles.h"
#include "ui/waterfall_page/block_model.h"
#include "ui/waterfall_page/waterfall_chart.h"
#include "ui/waterfall_page/waterfall_summary.h"
#include "ui/waterfall_page/waterfall_view.h"

#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QJsonArray>
#include <QListWidget>
#include <QTest>
#include <QTimer>

#include <map>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;

const QString kEncoder = QStringLiteral(PLIMSOLL_SOURCE_DIR "/tests/data/encoder.plimsoll.json.gz");
const QString kRecorded =
    QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_training.stand-in.pickle.gz");

class WaterfallPageTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void theDialogOfAProfileOffersTheGraph();
    void theCommandOfAGraphTakesTheProfile();
    void aGraphIsChosenAlone();
    void figuresAreThoseOfDiff();
    void aRowShowsItsBlocks();
    void theCursorReadsBothCurves();
    void anotherGraphIsToldAndUndone();
    void aSessionKeepsBoth();
    void aPlanTakesTheGraphsPlace();

private:
    [[nodiscard]] WaterfallPage* shown() const
    {
        return qobject_cast<WaterfallPage*>(m_window->currentPage());
    }
    WaterfallPage* compared()
    {
        const bool isShown = QTest::qWaitFor(
            [&] {
                const WaterfallPage* page = shown();
                return page != nullptr && !m_window->isOpening() && page->isSettled()
                       && page->picture();
            },
            kPatience);
        return isShown ? shown() : nullptr;
    }
    /// Both files are open; the dialog's first entry is accepted.
    WaterfallPage* compareByDialog(const QString& last, const char* command)
    {
        const QString first = last == kRecorded ? kEncoder : kRecorded;
        for (const QString& file : {first, last}) {
            QSignalSpy opened{m_window.get(), &MainWindow::opened};
            m_window->openFiles({file});
            if (!opened.wait(kPatience))
                return nullptr;
        }
        QTimer::singleShot(0, this, [this] {
            auto* dialog = m_window->findChild<ProfileChooser*>();
            QVERIFY(dialog != nullptr);
            m_offered = dialog->list().item(0)->text();
            QTest::keyClick(dialog, Qt::Key_Return);
        });
        trigger(command);
        return compared();
    }

    QString m_offered;
};

void WaterfallPageTest::theDialogOfAProfileOffersTheGraph()
{
    WaterfallPage* page = compareByDialog(kRecorded, "profile.compare");
    QVERIFY(page != nullptr);
    QCOMPARE(m_offered, QStringLiteral("encoder, predicted"));
    QCOMPARE(page->title(), QStringLiteral("encoder: predicted / measured"));
    QCOMPARE(page->status().text, QStringLiteral("All explained"));
    QVERIFY(page->view().timeline() != nullptr);
    QCOMPARE(page->picture()->curves->ground->bands().size(), 4U);
    m_window->closePage(*page);
    QTRY_COMPARE(m_window->pages().size(), 2U);
}

void WaterfallPageTest::theCommandOfAGraphTakesTheProfile()
{
    WaterfallPage* page = compareByDialog(kEncoder, "plan.compare_profile");
    QVERIFY(page != nullptr);
    QCOMPARE(m_offered, QStringLiteral("encoder_training.stand-in.pickle"));
    QCOMPARE(page->picture()->waterfall->predictedPeak.count(), 1101373192);
}

/// A graph isn't compared with several profiles, nor several graphs with one.
void WaterfallPageTest::aGraphIsChosenAlone()
{
    const QString other = QStringLiteral(
        PLIMSOLL_SOURCE_DIR "/resources/samples/encoder_out_of_memory.stand-in.pickle.gz");
    for (const QString& file : {kEncoder, other, kRecorded}) {
        QSignalSpy opened{m_window.get(), &MainWindow::opened};
        m_window->openFiles({file});
        QVERIFY(opened.wait(kPatience));
    }
    bool wasLooked = false;
    QTimer::singleShot(0, this, [&] {
        auto* dialog = m_window->findChild<ProfileChooser*>();
        QVERIFY(dialog != nullptr);
        QListWidgetItem& profile = *dialog->list().item(0);
        QListWidgetItem& graph = *dialog->list().item(1);
        QCOMPARE(profile.checkState(), Qt::Checked);
        graph.setCheckState(Qt::Checked);
        QCOMPARE(profile.checkState(), Qt::Unchecked);
        QVERIFY(dialog->chosen().graph != nullptr && dialog->chosen().open.empty());
        profile.setCheckState(Qt::Checked);
        QCOMPARE(graph.checkState(), Qt::Unchecked);
        QVERIFY(dialog->chosen().graph == nullptr && dialog->chosen().open.size() == 1);
        wasLooked = true;
        dialog->reject();
    });
    trigger("profile.compare");
    QVERIFY(wasLooked);
}

void WaterfallPageTest::figuresAreThoseOfDiff()
{
    WaterfallPage* page = compareByDialog(kRecorded, "profile.compare");
    QVERIFY(page != nullptr);
    const QJsonObject diff =
        tests::runCli({QStringLiteral("diff"), kEncoder, kRecorded, QStringLiteral("--json")})
            .json();
    std::map<QString, qint64> rows;
    for (const QJsonValue& row : diff[QStringLiteral("rows")].toArray())
        rows[row[QStringLiteral("key")].toString()] = row[QStringLiteral("bytes")].toInteger();
    const waterfall::Waterfall& found = *page->picture()->waterfall;
    for (const waterfall::WaterfallRow& row : found.rows)
        QCOMPARE(row.bytes.count(), rows[QString::fromUtf8(waterfall::reasonKey(row.reason))]);
    // Lines: the rows with bytes, "Not explained", and the peaks; each begins where the last ends.
    const std::vector<ChartLine>& lines = page->chart().lines();
    QStringList names;
    for (std::size_t line = 0; line < lines.size(); ++line) {
        names << lines[line].name;
        if (line > 0)
            QCOMPARE(lines[line].from, lines[line - 1].to);
    }
    const QStringList expected{
        QStringLiteral("Predicted peak"), QStringLiteral("Results of the step"),
        QStringLiteral("Not explained"),  QStringLiteral("Measured peak"),
        QStringLiteral("Rounding"),       QStringLiteral("Allocated"),
        QStringLiteral("Fragmentation"),  QStringLiteral("Reserved")};
    QCOMPARE(names, expected);
    QVERIFY(page->chart().headText().contains(QStringLiteral("the axis starts at")));
    // The table adds up to the peaks.
    const ClassModel& classes = page->summary().classes();
    const QAbstractItemModelTester tester{&page->summary().classes()};
    const auto exact = [&](int row, int column) {
        return classes.index(row, column).data(ExactRole).toLongLong();
    };
    const int total = classes.rowCount() - 1;
    qint64 predicted = 0;
    qint64 measured = 0;
    for (int row = 0; row < total; ++row) {
        predicted += exact(row, ClassModel::PredictedColumn);
        measured += exact(row, ClassModel::MeasuredColumn);
    }
    QCOMPARE(predicted, exact(total, ClassModel::PredictedColumn));
    QCOMPARE(measured, exact(total, ClassModel::MeasuredColumn));
    QCOMPARE(measured, diff[QStringLiteral("measured_peak_bytes")].toInteger());
    QCOMPARE(classes.index(total, ClassModel::NameColumn).data().toString(),
             QStringLiteral("Total, MiB"));
    QCOMPARE(classes.index(total, ClassModel::DifferenceColumn).data().toString(),
             QStringLiteral("−125.0"));
    QCOMPARE(page->summary().verdict().replace(QChar::Nbsp, QLatin1Char{' '}),
             QStringLiteral("Measured 125.0 MiB below the prediction (11.9 %). Each block at the "
                            "peak is accounted for."));
}

void WaterfallPageTest::aRowShowsItsBlocks()
{
    WaterfallPage* page = compareByDialog(kRecorded, "profile.compare");
    QVERIFY(page != nullptr);
    WaterfallChart& chart = page->chart();
    QTest::mouseClick(&chart, Qt::LeftButton, Qt::NoModifier, chart.lineRect(1).center().toPoint());
    QCOMPARE(chart.selectedLine(), std::size_t{1});
    const BlockModel& blocks = page->blocks();
    QCOMPARE(blocks.rowCount(), 1);
    QCOMPARE(blocks.index(0, BlockModel::BytesColumn).data(ExactRole).toLongLong(), -131072000);
    QCOMPARE(blocks.index(0, BlockModel::WhatColumn).data().toString(),
             QStringLiteral("head · aten.addmm (forward)"));
    QTest::keyClick(&chart, Qt::Key_Down); // "Not explained", which is nothing
    QCOMPARE(chart.selectedLine(), std::size_t{2});
    QCOMPARE(blocks.rowCount(), 0);
    QVERIFY(page->goBack());
    QVERIFY(!chart.selectedLine());
}

void WaterfallPageTest::theCursorReadsBothCurves()
{
    WaterfallPage* page = compareByDialog(kRecorded, "profile.compare");
    QVERIFY(page != nullptr);
    const waterfall::AlignedCurves& curves = *page->picture()->curves;
    const waterfall::Waterfall& found = *page->picture()->waterfall;
    QCOMPARE(curves.predicted[curves.predictedPeak], found.predictedPeak.count());
    QCOMPARE(curves.measured[curves.measuredPeak], found.measuredPeak.count());
    page->view().showStep(curves.measuredPeak);
    QVERIFY2(
        page->cursorText()
            .replace(QChar::Nbsp, QLatin1Char{' '})
            .endsWith(QStringLiteral("· predicted 1.03 GiB · measured 925.4 MiB · gap −125.0 MiB")),
        qPrintable(page->cursorText()));
}

void WaterfallPageTest::anotherGraphIsToldAndUndone()
{
    WaterfallPage* page = compareByDialog(kRecorded, "profile.compare");
    QVERIFY(page != nullptr);
    page->addFile(tests::sampleFile("resnet18"));
    QTRY_VERIFY_WITH_TIMEOUT(page->summary().verdict().startsWith(QStringLiteral(
                                 "The recording is one of another model, batch or plan: ")),
                             kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(page->isSettled() && !page->picture(), kPatience);
    QCOMPARE(page->status().text, QStringLiteral("Not compared"));
    QVERIFY(page->chart().lines().empty());
    page->undoStack().undo();
    QVERIFY(compared() != nullptr);
    QVERIFY(page->summary().verdict().startsWith(QStringLiteral("Measured ")));
    QCOMPARE(page->picture()->waterfall->predictedPeak.count(), 1101373192);
}

void WaterfallPageTest::aSessionKeepsBoth()
{
    WaterfallPage* page = compareByDialog(kRecorded, "profile.compare");
    QVERIFY(page != nullptr);
    const QString verdict = page->summary().verdict();
    const QString path = QString::fromStdString(m_folder->file("gap.plimsoll"));
    m_window->saveTo(*page, path);
    QTRY_VERIFY_WITH_TIMEOUT(page->isInSession() && !page->isUnsaved(), kPatience);
    m_window->closePage(*page);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->pages().size(), 2U, kPatience);
    m_window->openFiles({path});
    page = compared();
    QVERIFY(page != nullptr);
    QCOMPARE(page->summary().verdict(), verdict);
    QCOMPARE(page->picture()->waterfall->row(waterfall::Reason::Outputs).bytes.count(), -131072000);
}

void WaterfallPageTest::aPlanTakesTheGraphsPlace()
{
    WaterfallPage* page = compareByDialog(kRecorded, "profile.compare");
    QVERIFY(page != nullptr);
    const QString plan = QString::fromStdString(m_folder->file("plan.json"));
    QCOMPARE(tests::runCli({QStringLiteral("plan"), kEncoder, QStringLiteral("--budget"),
                            QStringLiteral("70%"), QStringLiteral("--planner"),
                            QStringLiteral("rotor"), QStringLiteral("--export"), plan})
                 .exit,
             0);
    // Dropped on the page.
    page->addFile(plan);
    QTRY_VERIFY_WITH_TIMEOUT(page->compared().prediction()->plan != nullptr && page->isSettled(),
                             kPatience);
    QVERIFY(page->summary().cardText(0).startsWith(QStringLiteral("encoder · rotor")));
    // The recording ran without it: what the plan recomputes isn't in it, and nothing hides that.
    QVERIFY(page->picture() != nullptr);
    const waterfall::Waterfall& found = *page->picture()->waterfall;
    QVERIFY(found.predictedPeak.count() < 1101373192);
    QVERIFY(found.match.found() < found.match.predicted.size());
    std::int64_t sum = found.predictedPeak.count();
    for (const waterfall::WaterfallRow& row : found.rows)
        if (row.reason <= waterfall::Reason::NotExplained)
            sum += row.bytes.count();
    QCOMPARE(sum, found.measuredPeak.count());
    const std::int64_t peak = found.predictedPeak.count();
    // A plan that only the graph's page has is left aside: the recording fits the step without it.
    workspace::ComparedStep unnamed = *page->compared().prediction();
    QVERIFY(unnamed.isPlanNamed);
    QVERIFY(page->picture()->isPlanned);
    unnamed.isPlanNamed = false;
    const auto better = workspace::waterfallPicture(unnamed, *page->compared().profile(), {});
    QVERIFY(better && !(*better)->isPlanned);
    QCOMPARE((*better)->waterfall->predictedPeak.count(), 1101373192);
    QCOMPARE((*better)->waterfall->notExplained(), base::Bytes{});
    // A session keeps the plan.
    const QString path = QString::fromStdString(m_folder->file("planned.plimsoll"));
    m_window->saveTo(*page, path);
    QTRY_VERIFY_WITH_TIMEOUT(page->isInSession() && !page->isUnsaved(), kPatience);
    m_window->closePage(*page);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->pages().size(), 2U, kPatience);
    m_window->openFiles({path});
    page = compared();
    QVERIFY(page != nullptr);
    QCOMPARE(page->picture()->waterfall->predictedPeak.count(), peak);
    page->undoStack().undo(); // nothing: it was just opened
    QCOMPARE(page->picture()->waterfall->predictedPeak.count(), peak);
}

} // namespace

PLIMSOLL_TEST(WaterfallPageTest, QApplication)
#include "waterfall_page_test.moc"
