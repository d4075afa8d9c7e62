// SPDX-License-Identifier: Apache-2.0
// The budget line, dragged through the whole window with real mouse events: how long from the event
// to the painted frame, the plan table's rows included, and whether any frame shows a plan over its
// budget or rows of another plan.
#include "core/device/known_devices.h"
#include "core/graph/program.h"
#include "core/workspace/composition.h"
#include "ui/base/settings.h"
#include "ui/base/theme.h"
#include "ui/budget_timeline/budget_timeline_view.h"
#include "ui/plan_tables/plan_model.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_kind.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/shell/main_window.h"
#include "ui/timeline/timeline_model.h"
#include "ui/timeline_commands/timeline_commands.h"

#include "tests/bench/rows.h"
#include "tests/bench/yardsticks.h"
#include "tests/support/graph_file.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QWindow>

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace {

using namespace plimsoll;        // NOLINT(google-build-using-namespace)
using namespace plimsoll::bench; // NOLINT(google-build-using-namespace)

constexpr std::size_t kFrames = 300;
constexpr int kMostMoves = 3000;
constexpr int kStride = 2; ///< pixels between two mouse events
constexpr QSize kWindow{1920, 1080};
constexpr qint64 kPatience = 600'000; ///< ms for opening and planning
constexpr std::size_t kLargeOps = 9'500;
constexpr std::size_t kCallsPerBlock = 32;
constexpr std::int64_t kValueBytes = std::int64_t{1} << 20;

/// Notices when the window has painted a change.
class PaintClock : public QApplication
{
public:
    using QApplication::QApplication;

    bool notify(QObject* receiver, QEvent* event) override
    {
        m_sawWatched = m_sawWatched || (event->type() == QEvent::Paint && receiver == m_watched);
        if (event->type() != QEvent::UpdateRequest || m_depth > 0)
            return QApplication::notify(receiver, event);
        ++m_depth;
        const Span begin = now();
        const bool done = QApplication::notify(receiver, event);
        m_end = now();
        --m_depth;
        ++m_count;
        m_paint.wall += m_end.wall - begin.wall;
        m_paint.processor += m_end.processor - begin.processor;
        return done;
    }

    void watch(const QObject* widget) { m_watched = widget; }
    void reset()
    {
        m_sawWatched = false;
        m_count = 0;
        m_paint = {};
    }
    /// The watched widget was painted since reset().
    [[nodiscard]] bool sawWatched() const { return m_sawWatched; }
    [[nodiscard]] int count() const { return m_count; }
    [[nodiscard]] const Span& paint() const { return m_paint; }
    [[nodiscard]] const Span& end() const { return m_end; }

private:
    const QObject* m_watched = nullptr;
    bool m_sawWatched = false;
    int m_depth = 0;
    int m_count = 0;
    Span m_paint; ///< since reset()
    Span m_end;   ///< of the last painting
};

struct Measured
{
    std::vector<Span> frame; ///< event to painted
    std::vector<Span> event; ///< the event's delivery: plan, figures, all widgets told
    std::vector<Span> plan;  ///< lookup and figures by themselves
    std::vector<Span> paint;
    std::vector<Span> fill;
    std::vector<Span> scan;
    int moves = 0;
    int withoutPlan = 0;
    int faults = 0;
    /// The tightest budget at which each plan was shown.
    std::map<plan::EvaluationPtr, plan::VerifiedPlanPtr> shown;
};

template <typename View>
View& viewOf(const ui::PlannerPage& page)
{
    return *page.findChild<View*>();
}

ui::PlannerPage* pageOf(const ui::MainWindow& window)
{
    return qobject_cast<ui::PlannerPage*>(window.currentPage());
}

void sendMouse(ui::MainWindow& window, QEvent::Type type, const QPointF& pos)
{
    QWindow* handle = window.windowHandle();
    QMouseEvent event{type,
                      pos,
                      handle->mapToGlobal(pos),
                      type == QEvent::MouseMove ? Qt::NoButton : Qt::LeftButton,
                      type == QEvent::MouseButtonRelease ? Qt::NoButton : Qt::LeftButton,
                      Qt::NoModifier};
    QCoreApplication::sendEvent(handle, &event);
}

/// Paints until nothing is pending; a new layout comes one round after its request.
void settle(PaintClock& clock)
{
    for (int quiet = 0; quiet < 2;) {
        const int before = clock.count();
        QCoreApplication::processEvents();
        quiet = clock.count() == before ? quiet + 1 : 0;
    }
}

bool wait(const std::function<bool()>& done)
{
    QElapsedTimer timer;
    timer.start();
    while (!done()) {
        if (timer.elapsed() > kPatience)
            return false;
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 50);
    }
    return true;
}

/// Pixels of the window's y axis at which budgets stand.
ui::Coordinates coordinatesOf(const ui::MainWindow& window, const ui::BudgetTimelineView& view)
{
    ui::TimelineModel model;
    model.line = view.budget();
    const QRectF plot = frameFor(model, view.size(), ui::Theme::current().scale()).layout.plot;
    return {plot.translated(view.mapTo(&window, QPoint{})), 0, 1, view.shownBytes()};
}

/// What the frame just painted shows.
void checkFrame(ui::PlannerPage& page, Measured& measured)
{
    const base::Bytes budget =
        viewOf<ui::BudgetTimelineView>(page).budget().value_or(base::Bytes{});
    const plan::VerifiedPlanPtr& plan = page.document().outcome().best;
    if (page.document().budget() != budget || viewOf<ui::PlanPage>(page).model()->plan() != plan)
        ++measured.faults;
    if (!plan) {
        ++measured.withoutPlan;
        return;
    }
    const plan::Evaluation& evaluation = plan->evaluation();
    if (evaluation.peak > budget || evaluation.timeline->peak() > budget
        || plan->problem().budget > budget)
        ++measured.faults;
    plan::VerifiedPlanPtr& tightest = measured.shown[plan->evaluationPtr()];
    if (!tightest || plan->problem().budget < tightest->problem().budget)
        tightest = plan;
}

void measureYardsticks(Measured& measured, ColumnFill& fill, ProfileScan& scan)
{
    // The first run only warms the cache, as one frame does for the next.
    benchmark::DoNotOptimize(fill.run());
    Span begin = now();
    benchmark::DoNotOptimize(fill.run());
    measured.fill.push_back(now() - begin);
    constexpr int kScans = 20;
    begin = now();
    for (int round = 0; round < kScans; ++round)
        benchmark::DoNotOptimize(scan.run());
    const Span scans = now() - begin;
    measured.scan.push_back({scans.wall / kScans, scans.processor / kScans});
}

void measurePlanPart(const workspace::Planned& planned, base::Bytes budget, Measured& measured)
{
    const Span begin = now();
    const plan::VerifiedPlanPtr best = workspace::planAt(planned, budget);
    benchmark::DoNotOptimize(ui::readoutOf(planned, best, budget, std::nullopt));
    measured.plan.push_back(now() - begin);
}

/// One mouse event and its effect.
void step(PaintClock& clock, ui::MainWindow& window, const QPointF& pos, Measured& measured)
{
    ui::PlannerPage& page = *pageOf(window);
    clock.reset();
    ++measured.moves;
    const Span begin = now();
    sendMouse(window, QEvent::MouseMove, pos);
    const Span delivered = now();
    settle(clock);
    // An event that leaves the value unchanged, snapped or within rounding, paints nothing.
    if (!clock.sawWatched())
        return;
    measured.frame.push_back(clock.end() - begin);
    measured.event.push_back(delivered - begin);
    measured.paint.push_back(clock.paint());
    checkFrame(page, measured);
    measurePlanPart(*page.document().planned(), page.document().budget(), measured);
}

/// Moves from above the unplanned peak to below the smallest plan and back, until enough is
/// painted.
Measured drag(PaintClock& clock, ui::MainWindow& window)
{
    ui::PlannerPage& page = *pageOf(window);
    const workspace::Planned& planned = *page.document().planned();
    const ui::Coordinates at = coordinatesOf(window, viewOf<ui::BudgetTimelineView>(page));
    const auto scaled = [](base::Bytes bytes, double factor) {
        return base::Bytes{static_cast<std::int64_t>(static_cast<double>(bytes.count()) * factor)};
    };
    const int highest = static_cast<int>(
        std::max(at.plot().top(), at.yOf(scaled(planned.unplanned->evaluation().peak, 1.03))));
    const int lowest = static_cast<int>(at.yOf(scaled(planned.smallestPeak, 0.93)));
    const QPointF start{at.plot().left() + 300,
                        at.yOf(*viewOf<ui::BudgetTimelineView>(page).budget())};
    Measured measured;
    ColumnFill fill;
    ProfileScan scan{page.document().shownPlan()->evaluation().timeline->stepCount()};
    clock.watch(&viewOf<ui::BudgetTimelineView>(page));
    settle(clock);
    sendMouse(window, QEvent::MouseMove, start);
    sendMouse(window, QEvent::MouseButtonPress, start);
    settle(clock);
    if (!viewOf<ui::BudgetTimelineView>(page).isDragging())
        return measured;
    int y = static_cast<int>(start.y());
    int direction = kStride;
    while (measured.frame.size() < kFrames && measured.moves < kMostMoves) {
        if (y + direction > lowest || y + direction < highest) {
            direction = -direction;
            y += direction / kStride; // the other pixels on the way back
        }
        y += direction;
        step(clock, window, QPointF{start.x(), static_cast<double>(y)}, measured);
        if (measured.moves % 5 == 0)
            measureYardsticks(measured, fill, scan);
    }
    clock.watch(nullptr);
    sendMouse(window, QEvent::MouseButtonRelease, QPointF{start.x(), static_cast<double>(y)});
    settle(clock);
    return measured;
}

/// A replay that shares no code with the evaluation, at the tightest budget of each plan.
void replayShown(Measured& measured)
{
    for (const auto& [evaluation, plan] : measured.shown)
        if (!plan::verify(plan->problem(), plan->plan()).faults.empty())
            ++measured.faults;
}

/// One kind of time in multiples of its yardstick, on both clocks.
void printPart(const Rows& rows, const std::string& what, const Span& ours, const Span& yardstick,
               double target)
{
    rows.atMost(what, ours.wall / yardstick.wall, target);
    rows.atMost(what + ", processor", ours.processor / yardstick.processor, target);
}

/// A time without a target: microseconds on both clocks.
void printSpan(const char* what, const Span& span)
{
    fmt::print("  {:<22} {:>9.1f} us, processor {:>9.1f} us\n", what, span.wall, span.processor);
}

void print(const std::string& name, const QSize& view, const workspace::Planned& planned,
           const Measured& measured)
{
    const std::size_t steps = planned.unplanned->evaluation().timeline->stepCount();
    fmt::print("{}: {} ops, {} steps unplanned, {} plans known; window {}x{}, timeline {}x{}\n",
               name, planned.unplanned->problem().step()->ops.size(), steps,
               planned.frontier->points().size(), kWindow.width(), kWindow.height(), view.width(),
               view.height());
    fmt::print(
        "  {} mouse events, {} frames, {} of them without a plan; {} different plans shown\n",
        measured.moves, measured.frame.size(), measured.withoutPlan, measured.shown.size());
    const Span fill = quantile(measured.fill, 0.5);
    const Span scan = quantile(measured.scan, 0.5);
    printSpan("column fill", fill);
    printSpan("profile scan", scan);
    for (const auto& [quantileName, share] : {std::pair{"p50", 0.5}, std::pair{"p99", 0.99}}) {
        fmt::print("  {}:\n", quantileName);
        printSpan("event to painted", quantile(measured.frame, share));
        printSpan("event handling", quantile(measured.event, share));
        printSpan("plan part", quantile(measured.plan, share));
        printSpan("paint part", quantile(measured.paint, share));
    }
    const Rows rows{"2", "budget drag, " + name};
    printPart(rows, "event to painted p50, column fills", quantile(measured.frame, 0.5), fill, 2.3);
    printPart(rows, "event to painted p99, column fills", quantile(measured.frame, 0.99), fill,
              4.5);
    printPart(rows, "plan part p99, profile scans", quantile(measured.plan, 0.99), scan, 40);
    rows.atMost("frames over budget or with rows of another plan", measured.faults, 0);
    std::fflush(stdout);
}

/// Puts a block module around every kCallsPerBlock calls below the model.
void group(graph::Program& program)
{
    std::vector<graph::Module> modules{program.modules.front()};
    std::vector<graph::Call> calls{program.calls.front()};
    std::vector<graph::ModuleId> moduleOf(program.modules.size());
    std::vector<graph::CallId> callOf(program.calls.size());
    for (std::size_t old = 1; old < program.calls.size(); ++old) {
        graph::Call call = program.calls[old];
        if ((old - 1) % kCallsPerBlock == 0) {
            const std::size_t last = std::min(old + kCallsPerBlock, program.calls.size()) - 1;
            modules.push_back(
                {graph::ModuleId{0}, fmt::format("blocks.{}", calls.size()), "Block"});
            calls.push_back(call);
            calls.back().module = graph::ModuleId{modules.size() - 1};
            calls.back().last = program.calls[last].last;
            calls.back().outputs = program.calls[last].outputs;
            call.parent = graph::CallId{calls.size() - 1};
        } else {
            call.parent = calls.back().parent;
        }
        graph::Module module = program.module(call.module);
        module.parent = calls[call.parent->index()].module;
        module.path = modules[module.parent->index()].path + "." + module.path;
        moduleOf[call.module.index()] = graph::ModuleId{modules.size()};
        callOf[old] = graph::CallId{calls.size()};
        call.module = graph::ModuleId{modules.size()};
        modules.push_back(std::move(module));
        calls.push_back(std::move(call));
    }
    for (graph::Op& op : program.ops) {
        if (op.module)
            op.module = moduleOf[op.module->index()];
        if (op.call)
            op.call = callOf[op.call->index()];
    }
    program.modules = std::move(modules);
    program.calls = std::move(calls);
}

/// Blocks of layers whose values are large enough for a budget to matter.
std::string largeGraph()
{
    graph::Program program = tests::layeredProgram(kLargeOps);
    group(program);
    for (graph::Storage& storage : program.storages)
        if (storage.storageClass == graph::StorageClass::Activation)
            storage.bytes = base::Bytes{kValueBytes};
    program.checks = graph::recount(program);
    return tests::graphText(program);
}

/// Opens, plans, drags, prints. Returns the number of faults; 1 if nothing could be measured.
int runCase(PaintClock& clock, const std::string& name, const QString& path, const QString& folder)
{
    ui::Theme theme;
    ui::Settings settings{folder + QStringLiteral("/settings.ini")};
    settings.drive(theme);
    workspace::Choices choices;
    choices.device = plan::findDevice(plan::kDefaultDevice).value_or(plan::Device{});
    ui::MainWindow window{settings,
                          {workspace::documentKinds(choices),
                           {ui::plannerPageKind(settings, std::nullopt, ui::plannerLayout())},
                           ui::timelineCommands()}};
    window.setCloseQuestion([](const QString&) { return ui::MainWindow::CloseAnswer::Discard; });
    window.resize(kWindow);
    window.show();
    window.openFiles({path});
    const bool isReady = wait([&window] {
        ui::PlannerPage* page = pageOf(window);
        return page != nullptr && page->document().isPlanned() && page->document().isRefined();
    });
    if (!isReady) {
        fmt::print("{}: not planned in time\n", name);
        return 1;
    }
    window.resize(kWindow);
    settle(clock);
    ui::PlannerPage& page = *pageOf(window);
    Measured measured = drag(clock, window);
    if (measured.frame.size() < kFrames) {
        fmt::print("{}: only {} frames painted\n", name, measured.frame.size());
        return 1;
    }
    replayShown(measured);
    print(name, viewOf<ui::BudgetTimelineView>(page).size(), *page.document().planned(), measured);
    return measured.faults;
}

} // namespace

int main(int argc, char** argv)
{
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    PaintClock clock{argc, argv};
    const QTemporaryDir folder;
    const QString large = folder.filePath(QStringLiteral("layers.plimsoll.json"));
    {
        QFile file{large};
        const std::string text = largeGraph();
        if (!file.open(QIODevice::WriteOnly)
            || file.write(text.data(), static_cast<qint64>(text.size())) < 0)
            return EXIT_FAILURE;
    }
    const auto sample = [](const char* name) {
        return QStringLiteral(PLIMSOLL_SOURCE_DIR "/resources/samples/%1.plimsoll.json.gz")
            .arg(QString::fromUtf8(name));
    };
    // Arguments choose among the cases: "drag_bench llama".
    const auto isWanted = [&](const char* name) {
        return argc < 2 || std::any_of(argv + 1, argv + argc, [name](const char* wanted) {
                   return std::string_view{wanted} == name;
               });
    };
    int faults = 0;
    if (isWanted("gpt2"))
        faults += runCase(clock, "GPT-2", sample("gpt2"), folder.path());
    if (isWanted("llama"))
        faults += runCase(clock, "Llama 7B", sample("llama_7b"), folder.path());
    if (isWanted("chain"))
        faults += runCase(clock, "chain of layers", large, folder.path());
    return faults == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
