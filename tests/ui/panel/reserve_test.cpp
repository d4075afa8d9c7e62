// SPDX-License-Identifier: Apache-2.0
// The reserve: a graph opens with the workspaces of cuBLAS, which follow the GPU until somebody
// types another size.
#include "core/device/known_devices.h"
#include "ui/base/widgets.h"
#include "ui/plan_panel/budget_panel.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QComboBox>
#include <QLineEdit>
#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using plimsoll::tests::viewOf;

class ReserveTest : public QObject, private tests::WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void isTheWorkspacesOfCublas();
    void followsTheGpu();
    void whatIsTypedStays();
    void isKeptInTheSession();

private:
    [[nodiscard]] static QLineEdit& field(PlannerPage& page)
    {
        for (QLineEdit* edit : viewOf<BudgetPanel>(page).findChildren<QLineEdit*>())
            if (edit->accessibleName() == QStringLiteral("Reserve"))
                return *edit;
        qFatal("The panel has no field for the reserve.");
    }
    [[nodiscard]] static bool tells(PlannerPage& page, const char* sentence)
    {
        for (const TextLabel* label : viewOf<BudgetPanel>(page).findChildren<TextLabel*>())
            if (label->text() == QString::fromUtf8(sentence))
                return label->isVisible();
        return false;
    }
    /// By keyboard.
    static void choose(PlannerPage& page, const char* device)
    {
        const QString wanted = QString::fromUtf8(device);
        for (QComboBox* box : viewOf<BudgetPanel>(page).findChildren<QComboBox*>()) {
            if (box->accessibleName() != QStringLiteral("GPU"))
                continue;
            box->setFocus();
            const int row = box->findData(wanted);
            QVERIFY(row >= 0);
            while (box->currentIndex() != row)
                QTest::keyClick(box, box->currentIndex() < row ? Qt::Key_Down : Qt::Key_Up);
        }
        QVERIFY(isDone(page));
        QCOMPARE(page.document().document().choices.device.id, wanted.toStdString());
    }
    static void type(PlannerPage& page, const char* reserve)
    {
        field(page).setFocus();
        field(page).selectAll();
        QTest::keyClicks(&field(page), QString::fromUtf8(reserve));
        QTest::keyClick(&field(page), Qt::Key_Return);
        QVERIFY(isDone(page));
    }
    [[nodiscard]] static std::int64_t reserveOf(PlannerPage& page)
    {
        return page.document().document().choices.reserve.count();
    }
    [[nodiscard]] static std::int64_t unplannedPeak(PlannerPage& page)
    {
        return page.document().planned()->unplanned->evaluation().peak.count();
    }
};

void ReserveTest::isTheWorkspacesOfCublas()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QCOMPARE(reserveOf(*page), std::int64_t{2 * 8519680});
    QCOMPARE(field(*page).text(), QStringLiteral("16.3 MiB"));
    QVERIFY(tells(*page, "2 x 8.1 MiB cuBLAS, context 0"));
    const std::int64_t with = unplannedPeak(*page);
    type(*page, "0");
    QCOMPARE(reserveOf(*page), std::int64_t{0});
    QVERIFY(tells(*page, "cuBLAS takes 2 x 8.1 MiB"));
    QCOMPARE(with - unplannedPeak(*page), std::int64_t{2 * 8519680});
    trigger("edit.undo");
    QVERIFY(isDone(*page));
    QCOMPARE(reserveOf(*page), std::int64_t{2 * 8519680});
    QVERIFY(tells(*page, "2 x 8.1 MiB cuBLAS, context 0"));
}

void ReserveTest::followsTheGpu()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    choose(*page, "h100");
    QCOMPARE(reserveOf(*page), std::int64_t{64 << 20});
    QVERIFY(tells(*page, "2 x 32.0 MiB cuBLAS, context 0"));
    trigger("edit.undo"); // to the one above it in the list
    QCOMPARE(page->document().document().choices.device.id, std::string{"a100-40gb"});
    QCOMPARE(reserveOf(*page), std::int64_t{2 * 8519680});
    trigger("edit.redo");
    QCOMPARE(reserveOf(*page), std::int64_t{64 << 20});
    choose(*page, "t4");
    QCOMPARE(reserveOf(*page), std::int64_t{2 * 8519680});
}

void ReserveTest::whatIsTypedStays()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    type(*page, "100MiB");
    choose(*page, "h100");
    QCOMPARE(reserveOf(*page), std::int64_t{100 << 20});
    QVERIFY(tells(*page, "cuBLAS takes 2 x 32.0 MiB"));
    type(*page, "nonsense");
    QCOMPARE(reserveOf(*page), std::int64_t{100 << 20});
    // A reserve that would leave nothing of the next GPU becomes that GPU's own.
    type(*page, "70GiB");
    choose(*page, "t4");
    QCOMPARE(reserveOf(*page), std::int64_t{2 * 8519680});
}

void ReserveTest::isKeptInTheSession()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    type(*page, "0");
    const QString path = QString::fromStdString(m_folder->file("work.plimsoll"));
    m_window->saveTo(*page, path);
    QVERIFY(QTest::qWaitFor([&] { return !page->keeper().isWriting(); }, tests::kPatience));
    m_window->closePage(*page);
    PlannerPage* again = open(path);
    QVERIFY(again != nullptr);
    QVERIFY(isDone(*again));
    QCOMPARE(reserveOf(*again), std::int64_t{0});
}

} // namespace

PLIMSOLL_TEST(ReserveTest, QApplication)
#include "reserve_test.moc"
