// SPDX-License-Identifier: Apache-2.0
// Sessions as a person saves and opens them: through the File menu and its dialogs.
#include "core/io/byte_source.h"
#include "core/plan_file/plan_json.h"
#include "ui/base/numbers.h"
#include "ui/models/run_model.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"

#include "tests/support/file_locks.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QTimer>

#include <chrono>

namespace {

using namespace plimsoll::tests;
using namespace plimsoll::ui;
using plimsoll::base::Bytes;
namespace plan = plimsoll::plan;

constexpr std::chrono::milliseconds kLook{20}; ///< between two looks for a dialog

class ByHandTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup() { closeWindow(); }
    void savesAndOpensASession();
    void exportsAPlanAndItsGraph();
    void givesUpADialog();

private:
    /// Clicks a menu of the bar and an entry of it.
    void clickEntry(const QString& menu, const QString& entry);
    /// Answers the next file dialog as soon as it appears: types a name, or cancels.
    void answerDialog(const QString& name, bool isTyped = false);
    [[nodiscard]] QLineEdit* budgetField() const;

    QString m_dialog; ///< title of the one that was answered
};

void ByHandTest::init()
{
    // A native desktop dialog can't be driven from here.
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
    openWindow();
}

/// Which letter is the mnemonic doesn't matter to the mouse.
QString plain(QString text)
{
    return text.remove(u'&');
}

QString plain(const QAction* action)
{
    return plain(action->text());
}

void ByHandTest::clickEntry(const QString& menu, const QString& entry)
{
    QMenuBar& bar = *m_window->menuBar();
    for (QAction* top : bar.actions()) {
        if (plain(top) != plain(menu))
            continue;
        QTest::mouseClick(&bar, Qt::LeftButton, {}, bar.actionGeometry(top).center());
        QVERIFY(QTest::qWaitFor([top] { return top->menu()->isVisible(); }));
        for (QAction* action : top->menu()->actions())
            if (plain(action) == plain(entry)) {
                QVERIFY(action->isEnabled());
                QTest::mouseClick(top->menu(), Qt::LeftButton, {},
                                  top->menu()->actionGeometry(action).center());
                return;
            }
    }
    QFAIL("There is no such entry.");
}

void ByHandTest::answerDialog(const QString& name, bool isTyped)
{
    // One check at a time: typing runs events, which must not start another check meanwhile.
    QTimer::singleShot(kLook, this, [this, name, isTyped] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr) {
            answerDialog(name, false);
            return;
        }
        m_dialog = dialog->windowTitle();
        auto* buttons = dialog->findChild<QDialogButtonBox*>();
        if (name.isEmpty()) {
            QTest::mouseClick(buttons->button(QDialogButtonBox::Cancel), Qt::LeftButton);
            return;
        }
        if (!isTyped) {
            auto* edit = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
            edit->selectAll();
            QTest::keyClicks(edit, name);
        }
        QPushButton* done = buttons->button(dialog->acceptMode() == QFileDialog::AcceptSave
                                                ? QDialogButtonBox::Save
                                                : QDialogButtonBox::Open);
        if (isTyped && done->isEnabled())
            QTest::mouseClick(done, Qt::LeftButton);
        // Until the dialog has found the file; and a list of completions swallows a click.
        if (QApplication::activeModalWidget() == dialog)
            answerDialog(name, true);
    });
}

QLineEdit* ByHandTest::budgetField() const
{
    for (QLineEdit* edit : viewOf<BudgetPanel>(*currentPage()).findChildren<QLineEdit*>())
        if (edit->accessibleName() == QStringLiteral("Budget"))
            return edit;
    return nullptr;
}

void ByHandTest::savesAndOpensASession()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* freeze = viewOf<BudgetPanel>(*page).findChild<QCheckBox*>(QStringLiteral("freeze-stats"));
    QTest::mouseClick(freeze, Qt::LeftButton, {}, {freeze->height() / 2, freeze->height() / 2});
    QLineEdit* budget = budgetField();
    QTest::mouseDClick(budget, Qt::LeftButton, {}, {20, budget->height() / 2});
    budget->selectAll();
    QTest::keyClicks(budget, QStringLiteral("2100 MiB"));
    QTest::keyClick(budget, Qt::Key_Return);
    QVERIFY(isDone(*page));
    const Bytes chosen{std::int64_t{2100} << 20};
    QVERIFY(page->document().budget() == chosen);
    const plan::VerifiedPlanPtr best = page->document().outcome().best;
    QVERIFY(best && best->plan().freezeStats());
    const std::size_t decisions = viewOf<PlanPage>(*page).model()->decisions().size();
    QVERIFY(decisions > 0);
    const int runs = viewOf<RunModel>(*page).rowCount();
    auto* tabs = m_window->findChild<QTabBar*>();
    QCOMPARE(tabs->tabText(1), QStringLiteral("● resnet18"));

    m_settings->setLastFolder(QString::fromStdString(m_folder->file({})));
    m_settings->setSaveFolder(QString::fromStdString(m_folder->file({})));
    const QString file = QString::fromStdString(m_folder->file("by hand.plimsoll"));
    QSignalSpy saved{page, &DocumentPage::sessionSaved};
    m_dialog.clear();
    answerDialog(QStringLiteral("by hand")); // the ending comes by itself
    clickEntry(QStringLiteral("&File"), QStringLiteral("&Save Session"));
    QVERIFY(saved.count() > 0 || saved.wait(kPatience));
    QCOMPARE(m_dialog, QStringLiteral("Save session"));
    QVERIFY(QFile::exists(file));
    QTRY_COMPARE(tabs->tabText(1), QStringLiteral("by hand.plimsoll"));
    // Dialogs that show the session's folder leave its locks alone.
    QVERIFY(holdsLocks(file.toStdString()));
    answerDialog({});
    clickEntry(QStringLiteral("&File"), QStringLiteral("&Open…"));
    QCOMPARE(m_dialog, QStringLiteral("Open"));
    QVERIFY(holdsLocks(file.toStdString()));
    clickEntry(QStringLiteral("&File"), QStringLiteral("&Close"));
    QCOMPARE(m_window->pages().size(), std::size_t{0});

    QSignalSpy opened{m_window.get(), &MainWindow::opened};
    m_dialog.clear();
    answerDialog(QStringLiteral("by hand.plimsoll"));
    clickEntry(QStringLiteral("&File"), QStringLiteral("&Open…"));
    QVERIFY(opened.count() > 0 || opened.wait(kPatience));
    QCOMPARE(m_dialog, QStringLiteral("Open"));
    page = currentPage();
    QVERIFY(page != nullptr);
    QCOMPARE(tabs->tabText(1), QStringLiteral("by hand.plimsoll"));
    // As it was left, before anything is planned and after.
    for (const bool isPlanned : {false, true}) {
        QVERIFY(!isPlanned || isDone(*page));
        QVERIFY(page->document().budget() == chosen);
        QVERIFY(page->document().outcome().best->plan() == best->plan());
        QCOMPARE(page->document().outcome().best->evaluation().peak.count(),
                 best->evaluation().peak.count());
        QCOMPARE(page->document().outcome().best->evaluation().stepTime.count(),
                 best->evaluation().stepTime.count());
        QCOMPARE(budgetField()->text(), bytesText(chosen).replace(QChar{u'\u00a0'}, QChar{u' '}));
        QVERIFY(viewOf<BudgetPanel>(*page)
                    .findChild<QCheckBox*>(QStringLiteral("freeze-stats"))
                    ->isChecked());
        QCOMPARE(viewOf<PlanPage>(*page).model()->decisions().size(), decisions);
        QCOMPARE(viewOf<RunModel>(*page).rowCount(), runs);
    }
    QVERIFY(!page->isUnsaved());
}

/// The file of the plan holds the plan, those of its step the step; both are opened again.
void ByHandTest::exportsAPlanAndItsGraph()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    auto* runtime = viewOf<BudgetPanel>(*page).findChild<QComboBox*>(QStringLiteral("runtime"));
    runtime->setFocus();
    QTest::keyClick(runtime, Qt::Key_Down);
    QCOMPARE(runtime->currentText(), QStringLiteral("step"));
    QLineEdit* budget = budgetField();
    QTest::mouseDClick(budget, Qt::LeftButton, {}, {20, budget->height() / 2});
    budget->selectAll();
    QTest::keyClicks(budget, QStringLiteral("2000 MiB"));
    QTest::keyClick(budget, Qt::Key_Return);
    QVERIFY(QTest::qWaitFor(
        [&document = page->document()] {
            return document.isPlanned() && document.isRefined() && !document.isPlanning();
        },
        kPatience));
    const plan::VerifiedPlanPtr best = page->document().outcome().best;
    QVERIFY(best && !best->plan().recomputeSteps().empty());

    m_settings->setLastFolder(QString::fromStdString(m_folder->file({})));
    m_settings->setSaveFolder(QString::fromStdString(m_folder->file({})));
    QSignalSpy exported{&page->exporter(), &PlanExport::exported};
    for (const char* name : {"by hand.json", "step.plimsoll.json", "compressed.plimsoll.json.gz"}) {
        m_dialog.clear();
        exported.clear();
        answerDialog(QString::fromUtf8(name));
        clickEntry(QStringLiteral("&File"), QStringLiteral("&Export Plan…"));
        QVERIFY(exported.count() > 0 || exported.wait(kPatience));
        QCOMPARE(m_dialog, QStringLiteral("Export plan"));
    }
    const auto written = plimsoll::io::readFile(m_folder->file("by hand.json"));
    QVERIFY(written);
    const auto file = plan::readPlan(written->bytes, *best->problem().step());
    QVERIFY(file && file->plan == best->plan());
    QCOMPARE(file->info.peak, best->evaluation().peak);

    for (const char* name : {"step.plimsoll.json", "compressed.plimsoll.json.gz"}) {
        QSignalSpy opened{m_window.get(), &MainWindow::opened};
        m_dialog.clear();
        answerDialog(QString::fromUtf8(name));
        clickEntry(QStringLiteral("&File"), QStringLiteral("&Open…"));
        QVERIFY(opened.count() > 0 || opened.wait(kPatience));
        QCOMPARE(m_dialog, QStringLiteral("Open"));
        const plan::Evaluation& step = currentPage()->document().planned()->unplanned->evaluation();
        QCOMPARE(step.timeline->totals(), best->evaluation().timeline->totals());
        QCOMPARE(step.stepTime, best->evaluation().stepTime);
    }
}

void ByHandTest::givesUpADialog()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    for (const auto& [entry, title] :
         {std::pair{"&Save Session", "Save session"}, std::pair{"&Open…", "Open"}}) {
        m_dialog.clear();
        answerDialog({});
        clickEntry(QStringLiteral("&File"), QString::fromUtf8(entry));
        QCOMPARE(m_dialog, QString::fromUtf8(title));
        QVERIFY(currentPage() == page);
        QCOMPARE(m_window->pages().size(), std::size_t{1});
        QVERIFY(!page->document().document().session.file);
        QVERIFY(page->strip().isHidden());
    }
}

} // namespace

PLIMSOLL_TEST(ByHandTest, QApplication)
#include "by_hand_test.moc"
