// SPDX-License-Identifier: Apache-2.0
// Random gestures, and planners' answers between them: whatever happens, budget, line, field,
// panel, frontier and timeline are those of one plan, or the window says that it is planning.
#include "core/device/known_devices.h"
#include "ui/budget_timeline/budget_handle.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/frontier/frontier_view.h"
#include "ui/plan_panel/budget_panel.h"

#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QLineEdit>
#include <QTest>
#include <QUndoStack>
#include <QWindow>

#include <functional>
#include <random>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using namespace plimsoll::tests;

const int kGestures = tests::isExhaustive() ? 10'000 : 4'000;
constexpr unsigned kSeed = 20;

/// A hand that does anything at any time.
class Hand
{
public:
    Hand(PlannerPage& page, QWindow& window, std::mt19937& random)
        : m_page{page}, m_window{window}, m_random{random}
    {
    }

    /// What it did.
    QString act()
    {
        static const std::vector<std::pair<const char*, void (Hand::*)()>> kGestureList{
            {"press line", &Hand::pressLine},
            {"move", &Hand::move},
            {"move", &Hand::move},
            {"move", &Hand::move},
            {"release", &Hand::release},
            {"Escape", &Hand::escape},
            {"undo", &Hand::undo},
            {"redo", &Hand::redo},
            {"undo by menu", &Hand::undoStack},
            {"type", &Hand::type},
            {"key", &Hand::key},
            {"press frontier", &Hand::pressFrontier},
            {"GPU", &Hand::device},
            {"planner", &Hand::planner},
            {"reserve", &Hand::reserve},
            {"stop", &Hand::stop},
            {"plan now", &Hand::planNow},
            {"wait", &Hand::wait},
            {"segments", &Hand::segments},
        };
        const auto& [name, gesture] = kGestureList[below(kGestureList.size())];
        (this->*gesture)();
        return QString::fromLatin1(name);
    }

private:
    [[nodiscard]] std::size_t below(std::size_t count)
    {
        return std::uniform_int_distribution<std::size_t>{0, count - 1}(m_random);
    }
    [[nodiscard]] QWidget& timeline() const { return viewOf<BudgetTimelineView>(m_page); }
    [[nodiscard]] DocumentController& document() const { return m_page.document(); }

    void press(QWidget& widget, const QPoint& at)
    {
        release();
        m_held = &widget;
        m_at = at;
        QTest::mousePress(&widget, Qt::LeftButton, {}, at);
    }
    void pressLine() { press(timeline(), viewOf<BudgetHandle>(m_page).geometry().center()); }
    void pressFrontier()
    {
        auto& frontier = viewOf<FrontierView>(m_page);
        press(frontier, {60 + int(below(200)), frontier.height() / 2});
    }
    void move()
    {
        if (m_held == nullptr)
            return;
        const auto step = [this] { return int(below(61)) - 30; };
        m_at += QPoint{step(), step()};
        QTest::mouseMove(m_held, m_at);
    }
    void release()
    {
        if (m_held != nullptr)
            QTest::mouseRelease(std::exchange(m_held, nullptr), Qt::LeftButton, {}, m_at);
    }
    void escape() { QTest::keyClick(&m_window, Qt::Key_Escape); }
    void undo() { QTest::keySequence(&m_window, QKeySequence::Undo); }
    void redo() { QTest::keySequence(&m_window, QKeySequence::Redo); }
    void undoStack() { document().undoStack().undo(); }
    void type()
    {
        auto* field = viewOf<BudgetPanel>(m_page).findChild<QLineEdit*>();
        field->setFocus();
        field->selectAll();
        QTest::keyClicks(field, QString::number(1000 + below(2500)) + QStringLiteral(" MiB"));
        QTest::keyClick(field, Qt::Key_Return);
    }
    void key()
    {
        static constexpr std::array kKeys{Qt::Key_Up,   Qt::Key_Down, Qt::Key_PageUp,
                                          Qt::Key_Home, Qt::Key_End,  Qt::Key_PageDown};
        QTest::keyClick(&viewOf<BudgetHandle>(m_page), kKeys[below(kKeys.size())]);
    }
    void change(const std::function<void(workspace::Choices&)>& how)
    {
        workspace::Choices choices = document().document().choices;
        how(choices);
        document().commitChoices(choices);
    }
    void device()
    {
        change([this](workspace::Choices& choices) {
            const auto& devices = plan::builtInDevices();
            workspace::setDevice(choices, *document().document().graph.program,
                                 devices[below(devices.size())]);
        });
    }
    void planner()
    {
        static constexpr std::array kPlanners{"auto", "rotor", "trunk", "none"};
        change([this](workspace::Choices& choices) {
            choices.planner = kPlanners[below(kPlanners.size())];
            choices.options.clear();
        });
    }
    void reserve()
    {
        change([this](workspace::Choices& choices) {
            choices.reserve = base::Bytes{std::int64_t(below(300)) << 20};
        });
    }
    void segments() { document().setAllocator({.expandableSegments = below(2) == 0}); }
    void stop() { document().stopPlanning(); }
    void planNow() { document().planNow(); }
    void wait() { QTest::qWait(int(below(40))); }

    PlannerPage& m_page;
    QWindow& m_window;
    std::mt19937& m_random;
    QWidget* m_held = nullptr;
    QPoint m_at;
};

class GesturesTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow({1024, 700}); }
    void cleanup() { closeWindow(); }
    void leaveOneConsistentPicture();
};

void GesturesTest::leaveOneConsistentPicture()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    std::mt19937 random{kSeed};
    Hand hand{*page, *m_window->windowHandle(), random};
    QStringList done;
    for (int i = 0; i < kGestures; ++i) {
        done << hand.act();
        if (done.size() > 12)
            done.removeFirst();
        const QString found = pictureFault(*page);
        QVERIFY2(found.isEmpty(), qPrintable(QStringLiteral("gesture %1 (%2): %3")
                                                 .arg(i)
                                                 .arg(done.join(QStringLiteral(", ")), found)));
    }
}

} // namespace

PLIMSOLL_TEST(GesturesTest, QApplication)
#include "gestures_test.moc"
