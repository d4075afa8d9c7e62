// SPDX-License-Identifier: Apache-2.0
// Two and more profiles are compared as a person does it: by the command, by the view bar, by
// dropping files; every figure is that of the profile's page and of plimsoll-cli diff.
#include "ui/compare_page/compare_page.h"

#include "ui/base/numbers.h"
#include "ui/compare_page/compare_view.h"
#include "ui/compare_page/differences_pane.h"
#include "ui/compare_page/peak_model.h"
#include "ui/compare_page/places.h"
#include "ui/compare_page/profile_chooser.h"
#include "ui/compare_page/side_style.h"
#include "ui/compare_page/summary_pane.h"
#include "ui/profile_page/profile_page.h"
#include "ui/tables/cell_roles.h"

#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDropEvent>
#include <QFile>
#include <QJsonArray>
#include <QListWidget>
#include <QMimeData>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTimer>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;

QString sample(const char* name)
{
    return QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/samples/") + QLatin1String{name};
}

constexpr std::int64_t kMebi = tests::RecordedTraining::kMiB;
const char* const kTraining = "encoder_training.stand-in.pickle.gz";
const char* const kOutOfMemory = "encoder_out_of_memory.stand-in.pickle.gz";

class ComparePageTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void theCommandComparesOpenProfiles();
    void figuresAreThoseOfDiff_data();
    void figuresAreThoseOfDiff();
    void peaksAreThoseOfTheProfilePages();
    void theViewBarBeginsAComparison();
    void profilesDroppedTogetherAreCompared();
    void othersDroppedTogetherAreOpened();
    void aProfileDroppedOnThePageIsAdded();
    void ranksHaveTheirPeaks();
    void swapIsUndone();
    void anotherDeviceIsCompared();
    void whatIsNoProfileIsTold();
    void theCursorReadsBoth();
    void theCardTellsEachByItself();
    void aSessionKeepsIt();
    void itsPlotIsExported();
    void closesWhileItCompares();

private:
    [[nodiscard]] ComparePage* shown() const
    {
        return qobject_cast<ComparePage*>(m_window->currentPage());
    }
    /// Waits for a comparison of so many profiles; null: there is none.
    ComparePage* compared(std::size_t profiles)
    {
        const bool isShown = QTest::qWaitFor(
            [&] {
                const ComparePage* page = shown();
                return page != nullptr && !m_window->isOpening() && page->isSettled()
                       && page->comparison().profiles().size() == profiles && page->picture()
                       && page->picture()->profiles == page->comparison().profiles();
            },
            kPatience);
        return isShown ? shown() : nullptr;
    }
    void drag(const QStringList& paths)
    {
        m_dragged.setUrls({});
        QList<QUrl> urls;
        for (const QString& path : paths)
            urls << QUrl::fromLocalFile(path);
        m_dragged.setUrls(urls);
        QDragEnterEvent enter{
            {200, 200}, Qt::CopyAction, &m_dragged, Qt::LeftButton, Qt::NoModifier};
        QCoreApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
    }
    void drop(const QStringList& paths)
    {
        drag(paths);
        QDropEvent event{{200, 200}, Qt::CopyAction, &m_dragged, Qt::LeftButton, Qt::NoModifier};
        QCoreApplication::sendEvent(m_window.get(), &event);
    }
    QString trainingFile(const char* name, int layers, int devices = 1)
    {
        tests::RecordedTraining training;
        training.layers = layers;
        training.devices = devices;
        return sessionOf(std::move(training), name);
    }
    /// Two profiles of that many layers, compared by the command.
    ComparePage* compareTrainings(int first, int second, int devices = 1)
    {
        if (openProfile(trainingFile("first.plimsoll", first)) == nullptr
            || openProfile(trainingFile("second.plimsoll", second, devices)) == nullptr)
            return nullptr;
        m_window->findChild<QAction*>(QStringLiteral("view.kind.comparison"))->trigger();
        return compared(2);
    }

    QMimeData m_dragged;
};

void ComparePageTest::theCommandComparesOpenProfiles()
{
    const QAction& command = *m_window->findChild<QAction*>(QStringLiteral("profile.compare"));
    QVERIFY(!command.isEnabled());
    QVERIFY(openProfile(sample(kOutOfMemory)) != nullptr);
    QVERIFY(openProfile(sample(kTraining)) != nullptr);
    QVERIFY(command.isEnabled());
    QTimer::singleShot(0, this, [this] {
        auto* dialog = m_window->findChild<ProfileChooser*>();
        QVERIFY(dialog != nullptr);
        QCOMPARE(dialog->list().count(), 1);
        QCOMPARE(dialog->list().item(0)->text(),
                 QStringLiteral("encoder_out_of_memory.stand-in.pickle"));
        // A double click ticks, as Space and the box do.
        QVERIFY(QTest::qWaitForWindowExposed(dialog));
        const QListWidgetItem* item = dialog->list().item(0);
        const QPoint middle = dialog->list().visualItemRect(item).center();
        for (const Qt::CheckState state : {Qt::Unchecked, Qt::Checked}) {
            QTest::mouseClick(dialog->list().viewport(), Qt::LeftButton, {}, middle);
            QTest::mouseDClick(dialog->list().viewport(), Qt::LeftButton, {}, middle);
            QCOMPARE(item->checkState(), state);
        }
        QTest::keyClick(&dialog->list(), Qt::Key_Return);
    });
    trigger("profile.compare");
    const ComparePage* page = compared(2);
    QVERIFY(page != nullptr);
    QCOMPARE(page->title(), QStringLiteral("encoder_training.stand-in.pickle / "
                                           "encoder_out_of_memory.stand-in.pickle"));
    QVERIFY(page->view().isVisible());
    QVERIFY(!page->places().isVisible());
    QVERIFY(page->picture()->comparison->phases().isAligned());
    // Closing it asks nothing, and the profiles are still there.
    m_window->closePage(*shown());
    QTRY_COMPARE(m_window->pages().size(), 2U);
}

void ComparePageTest::figuresAreThoseOfDiff_data()
{
    QTest::addColumn<int>("by");
    QTest::addColumn<QString>("name");
    QTest::newRow("by frame") << static_cast<int>(memtrace::LiveBy::Frame) << "frame";
    QTest::newRow("by class") << static_cast<int>(memtrace::LiveBy::Class) << "class";
    QTest::newRow("by stack") << static_cast<int>(memtrace::LiveBy::Stack) << "stack";
}

void ComparePageTest::figuresAreThoseOfDiff()
{
    QFETCH(int, by);
    QFETCH(QString, name);
    drop({sample(kTraining), sample(kOutOfMemory)});
    ComparePage* page = compared(2);
    QVERIFY(page != nullptr);
    page->differences().grouping().setCurrentIndex(by);
    QTRY_VERIFY_WITH_TIMEOUT(
        page->isSettled() && page->picture()->by == static_cast<memtrace::LiveBy>(by), kPatience);
    const tests::CliRun run =
        tests::runCli({"diff", sample(kTraining), sample(kOutOfMemory), "--by", name, "--json"});
    QCOMPARE(run.exit, 0);
    const QJsonObject diff = run.json();
    const auto sum = [](const memtrace::BlockSum& of) {
        return QJsonObject{{"bytes", static_cast<qint64>(of.bytes.count())},
                           {"blocks", static_cast<qint64>(of.blocks)}};
    };
    const memtrace::TraceDiff& groups = page->picture()->groups;
    QCOMPARE(sum(groups.onlyA), diff["only_a"].toObject());
    QCOMPARE(sum(groups.common), diff["common"].toObject());
    QCOMPARE(sum(groups.onlyB), diff["only_b"].toObject());
    QCOMPARE(page->picture()->comparison->peakOf(0).count(), diff["a"]["bytes"].toInteger());
    QCOMPARE(page->picture()->comparison->peakOf(1).count(), diff["b"]["bytes"].toInteger());
    const QJsonArray rows = diff["groups"].toArray();
    const DiffModel& model = page->differences().model();
    QCOMPARE(model.rowCount(), rows.size());
    QVERIFY(!rows.isEmpty());
    for (int row = 0; row < model.rowCount(); ++row) {
        const auto exact = [&](int column) {
            return model.index(row, column).data(ExactRole).toLongLong();
        };
        const QJsonObject group = rows[row].toObject();
        QCOMPARE(exact(DiffModel::AColumn), group["a_bytes"].toInteger());
        QCOMPARE(exact(DiffModel::BColumn), group["b_bytes"].toInteger());
        QCOMPARE(exact(DiffModel::DifferenceColumn), group["delta_bytes"].toInteger());
        QCOMPARE(exact(DiffModel::ABlocksColumn),
                 exact(DiffModel::OnlyABlocksColumn) + exact(DiffModel::CommonBlocksColumn));
        QCOMPARE(exact(DiffModel::BColumn),
                 exact(DiffModel::OnlyBColumn) + exact(DiffModel::CommonColumn));
    }
    const QAbstractItemModelTester tester{&page->differences().model(),
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    const QAbstractItemModelTester classTester{
        &page->summary().classes(), QAbstractItemModelTester::FailureReportingMode::QtTest};
    page->exchange(0, 1);
    QVERIFY(compared(2) != nullptr);
}

void ComparePageTest::peaksAreThoseOfTheProfilePages()
{
    const ProfilePage* first = openProfile(sample(kTraining));
    QVERIFY(first != nullptr);
    const base::Bytes a = first->controller().picture()->timeline->peak();
    const ProfilePage* second = openProfile(sample(kOutOfMemory));
    QVERIFY(second != nullptr);
    const base::Bytes b = second->controller().picture()->timeline->peak();
    trigger("view.kind.comparison");
    const ComparePage* page = compared(2);
    QVERIFY(page != nullptr);
    // A is what was shown.
    QVERIFY2(page->summary().facts(0).contains(bytesText(b)), qPrintable(page->summary().facts(0)));
    QVERIFY(page->summary().facts(1).contains(bytesText(a)));
    QVERIFY2(
        page->summary().verdict().contains(bytesText(base::Bytes{std::abs(a.count() - b.count())})),
        qPrintable(page->summary().verdict()));
    QCOMPARE(page->peaks().index(1, PeakModel::ToAColumn).data().toString(),
             bytesDifferenceText(a - b));
}

void ComparePageTest::theViewBarBeginsAComparison()
{
    QAction& compare = *m_window->findChild<QAction*>(QStringLiteral("view.kind.comparison"));
    QVERIFY(compare.isEnabled());
    ProfilePage* profile = openProfile(trainingFile("first.plimsoll", 12));
    QVERIFY(profile != nullptr);
    compare.trigger();
    ComparePage* page = shown();
    QVERIFY(page != nullptr);
    QVERIFY(compare.isChecked());
    QVERIFY(page->places().isVisible());
    QVERIFY(!page->places().place(0).isEnabled()); // the shown profile
    QVERIFY(page->places().place(1).isEnabled());
    QVERIFY(!m_window->findChild<QAction*>(QStringLiteral("compare.swap"))->isEnabled());
    // Back, and to the same page again.
    trigger("view.kind.profile");
    QCOMPARE(m_window->currentPage(), profile);
    compare.trigger();
    QCOMPARE(shown(), page);
    QCOMPARE(m_window->pages().size(), 2U);
    // The other place is a button.
    QVERIFY(openProfile(trainingFile("second.plimsoll", 14)) != nullptr);
    compare.trigger();
    QTimer::singleShot(0, this, [this] {
        QTest::keyClick(m_window->findChild<ProfileChooser*>(), Qt::Key_Return);
    });
    QTest::mouseClick(&page->places().place(1), Qt::LeftButton);
    QCOMPARE(compared(2), page);
    QVERIFY(page->view().isVisible());
}

void ComparePageTest::profilesDroppedTogetherAreCompared()
{
    const QStringList files{sample(kTraining), sample(kOutOfMemory)};
    drag(files);
    const auto offer = [this] {
        for (const QWidget* widget : m_window->findChildren<QWidget*>())
            if (widget->accessibleName() == QStringLiteral("Open 2 files in Compare"))
                return widget->isVisible();
        return false;
    };
    QTRY_VERIFY_WITH_TIMEOUT(offer(), kPatience);
    drop(files);
    QVERIFY(compared(2) != nullptr);
    QVERIFY(!offer());
    QCOMPARE(m_window->pages().size(), 1U);
}

void ComparePageTest::othersDroppedTogetherAreOpened()
{
    drop({sample(kTraining), tests::sampleFile("resnet18")});
    QTRY_COMPARE_WITH_TIMEOUT(m_window->pages().size(), 2U, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!m_window->isOpening(), kPatience);
    QVERIFY(shown() == nullptr);
}

void ComparePageTest::aProfileDroppedOnThePageIsAdded()
{
    trigger("view.kind.comparison");
    ComparePage* page = shown();
    QVERIFY(page != nullptr);
    QVERIFY(page->places().place(0).isEnabled());
    drop({sample(kTraining)});
    QTRY_COMPARE_WITH_TIMEOUT(page->comparison().profiles().size(), 1U, kPatience);
    QVERIFY(page->places().isVisible());
    drop({sample(kOutOfMemory)});
    QCOMPARE(compared(2), page);
    drop({sample(kTraining)});
    QCOMPARE(compared(3), page);
    QCOMPARE(m_window->pages().size(), 1U);
}

void ComparePageTest::ranksHaveTheirPeaks()
{
    drop({sample(kTraining), sample(kOutOfMemory), sample(kTraining)});
    ComparePage* page = compared(2); // the same file once
    QVERIFY(page != nullptr);
    drop({sample(kTraining)});
    page = compared(3);
    QVERIFY(page != nullptr);
    PeakModel& model = page->peaks();
    const QAbstractItemModelTester tester{&model,
                                          QAbstractItemModelTester::FailureReportingMode::QtTest};
    QCOMPARE(model.rowCount(), 3);
    QCOMPARE(model.index(2, PeakModel::LetterColumn).data().toString(), QStringLiteral("C"));
    QCOMPARE(model.index(2, PeakModel::PeakColumn).data(),
             model.index(0, PeakModel::PeakColumn).data());
    QCOMPARE(model.index(2, PeakModel::ToAColumn).data().toString(), QStringLiteral("0"));
    page->takeAsB(2);
    QCOMPARE(compared(3), page);
    QCOMPARE(page->picture()->peakDifference(), base::Bytes{});
    QCOMPARE(page->picture()->groups.onlyA, memtrace::BlockSum{});
    page->removeProfile(2);
    QCOMPARE(compared(2), page);
    QCOMPARE(model.rowCount(), 2);
}

void ComparePageTest::swapIsUndone()
{
    ComparePage* page = compareTrainings(12, 14);
    QVERIFY(page != nullptr);
    // A is the shown one, of 14 layers: two weights of 2 MiB and activations of 1 and 2 MiB more.
    QCOMPARE(page->picture()->peakDifference(), base::Bytes{-7 * kMebi});
    const QString amount = bytesText(base::Bytes{7 * kMebi});
    QVERIFY2(page->summary().verdict().startsWith(
                 QStringLiteral("B's peak is %1 lower, in the same phase (backward).").arg(amount)),
             qPrintable(page->summary().verdict()));
    QTest::mouseClick(&page->summary().swapButton(), Qt::LeftButton);
    QVERIFY(compared(2) != nullptr);
    QCOMPARE(page->picture()->peakDifference(), base::Bytes{7 * kMebi});
    QVERIFY(
        page->summary().verdict().startsWith(QStringLiteral("B's peak is %1 higher").arg(amount)));
    trigger("edit.undo");
    QVERIFY(compared(2) != nullptr);
    QCOMPARE(page->picture()->peakDifference(), base::Bytes{-7 * kMebi});
    page->removeProfile(1);
    QVERIFY(page->places().isVisible());
    QCOMPARE(page->peaks().rowCount(), 0);
    QCOMPARE(page->differences().model().rowCount(), 0);
    trigger("edit.undo");
    QVERIFY(compared(2) != nullptr);
    QVERIFY(page->view().isVisible());
}

void ComparePageTest::anotherDeviceIsCompared()
{
    ComparePage* page = compareTrainings(12, 14, 2);
    QVERIFY(page != nullptr);
    QVERIFY(page->summary().devices(0).isVisible());
    QVERIFY(!page->summary().devices(1).isVisible());
    QCOMPARE(page->summary().devices(0).count(), 2);
    page->setDevice(0, 1);
    QVERIFY(compared(2) != nullptr);
    QVERIFY(page->summary().facts(0).startsWith(QStringLiteral("GPU 1 · peak ")));
    QCOMPARE(page->picture()->comparison->sides()[0].of.index, 1U);
}

void ComparePageTest::whatIsNoProfileIsTold()
{
    ComparePage* page = compareTrainings(12, 14);
    QVERIFY(page != nullptr);
    const auto before = page->picture();
    page->addFile(tests::sampleFile("resnet18"));
    QTRY_COMPARE_WITH_TIMEOUT(page->strip().count(), 1U, kPatience);
    QVERIFY(page->strip().shown().first.contains(QStringLiteral("could not be compared")));
    QVERIFY(!page->strip().shown().rest.isEmpty());
    QCOMPARE(page->picture(), before);
    QCOMPARE(page->comparison().profiles().size(), 2U);
}

void ComparePageTest::itsPlotIsExported()
{
    ComparePage* page = compareTrainings(12, 14);
    QVERIFY(page != nullptr);
    const QAction* action = m_window->findChild<QAction*>(QStringLiteral("compare.picture"));
    QVERIFY(action->isEnabled());
    QSignalSpy exported{&page->exporter(), &PictureExport::exported};
    page->exporter().start(page->view(), QString::fromStdString(m_folder->file("compared.svg")));
    QVERIFY(exported.wait(kPatience));
    QFile file{exported[0][0].toString()};
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray picture = file.readAll();
    QVERIFY(picture.contains("<svg") && picture.contains("Active memory"));
    QVERIFY(picture.contains(bytesText(page->picture()->comparison->peakOf(0)).toUtf8()));
    page->removeProfile(1);
    QVERIFY(!action->isEnabled()); // nothing to draw
}

/// Phases of one are stretched, its times aren't; and it ends before the other.
void ComparePageTest::theCardTellsEachByItself()
{
    drop({sample(kOutOfMemory), sample(kTraining)});
    ComparePage* page = compared(2);
    QVERIFY(page != nullptr);
    const memtrace::Comparison& comparison = *page->picture()->comparison;
    for (std::size_t side = 0; side < 2; ++side) {
        const memtrace::Comparison::Side& of = comparison.sides()[side];
        const std::size_t step = of.curve->peakStep();
        const HoverRow row = page->view().hoverAt(of.axisStep[step]).rows[side];
        const QString time = timeText(base::Nanoseconds{of.of.device().axisTimes()[step]});
        QCOMPARE(row.name, QStringLiteral("%1 at %2").arg(sideLetter(side), time));
        QCOMPARE(row.value, bytesText(comparison.peakOf(side)));
    }
    const std::size_t last = comparison.ground()->stepCount() - 1;
    const std::size_t shorter = comparison.isOver(0, last) ? 0 : 1;
    QVERIFY(comparison.isOver(shorter, last) && !comparison.isOver(1 - shorter, last));
    const HoverContent card = page->view().hoverAt(last);
    QCOMPARE(card.rows[shorter].value, unknownText());
    QCOMPARE(card.rows.back().value, unknownText());
    const RangeText range = page->view().rangeText({last - 20, last});
    QCOMPARE(range.strong, QStringLiteral("B − A %1").arg(unknownText()));
    const QString none = QStringLiteral("%1 %2").arg(sideLetter(shorter), unknownText());
    QVERIFY2(range.below.contains(none), qPrintable(range.below));
    QVERIFY(!page->view().rangeText({0, last}).below.contains(unknownText()));
}

void ComparePageTest::theCursorReadsBoth()
{
    ComparePage* page = compareTrainings(12, 14);
    QVERIFY(page != nullptr);
    const memtrace::Comparison& comparison = *page->picture()->comparison;
    page->view().showStep(comparison.peakStepOf(1));
    const base::Bytes b = comparison.peakOf(1);
    const base::Bytes a = comparison.bytesAt(0, comparison.peakStepOf(1));
    const QString text = page->cursorText();
    QVERIFY2(text.startsWith(QStringLiteral("backward · ")), qPrintable(text));
    QVERIFY(text.contains(QStringLiteral("B %1").arg(bytesText(b))));
    QVERIFY(text.endsWith(QStringLiteral("B − A %1").arg(bytesDifferenceText(b - a))));
    trigger("view.zoom_in");
    trigger("view.whole");
    QCOMPARE(page->view().visibleRange().end, 1.0);
    page->setAxis(memtrace::Axis::Events);
    QTRY_VERIFY(page->isSettled() && page->picture()->comparison->axis() == memtrace::Axis::Events);
    page->view().showStep(0);
    QVERIFY2(page->cursorText().contains(QStringLiteral("event 0")),
             qPrintable(page->cursorText()));
}

void ComparePageTest::aSessionKeepsIt()
{
    ComparePage* page = compareTrainings(12, 14);
    QVERIFY(page != nullptr);
    const QString verdict = page->summary().verdict();
    const QString path = QString::fromStdString(m_folder->file("compared.plimsoll"));
    m_window->saveTo(*page, path);
    QTRY_VERIFY_WITH_TIMEOUT(page->isInSession() && !page->isUnsaved(), kPatience);
    page->exchange(0, 1); // is saved by itself
    QVERIFY(compared(2) != nullptr);
    const QString swapped = page->summary().verdict();
    QVERIFY(swapped != verdict);
    m_window->closePage(*page);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->pages().size(), 2U, kPatience);
    m_window->openFiles({path});
    page = compared(2);
    QVERIFY(page != nullptr);
    QCOMPARE(page->summary().verdict(), swapped);
}

void ComparePageTest::closesWhileItCompares()
{
    drop({sample(kTraining), sample(kOutOfMemory)});
    ComparePage* page = compared(2);
    QVERIFY(page != nullptr);
    page->setAxis(memtrace::Axis::Events);
    m_window->closePage(*page);
    QTRY_VERIFY_WITH_TIMEOUT(m_window->pages().empty(), kPatience);
}

} // namespace

PLIMSOLL_TEST(ComparePageTest, QApplication)
#include "compare_page_test.moc"
