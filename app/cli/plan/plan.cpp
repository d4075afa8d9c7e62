// SPDX-License-Identifier: Apache-2.0
#include "app/cli/graph_input.h"
#include "app/cli/numbers.h"
#include "app/cli/plan/fits_where.h"
#include "app/cli/plan/plan_answer.h"
#include "app/cli/plan/planner_list.h"
#include "app/cli/plan/run_json.h"
#include "app/cli/plan/take_best.h"
#include "app/cli/times_option.h"
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/base/budget.h"
#include "core/base/format.h"
#include "core/device/known_devices.h"
#include "core/parallel/rank_program.h"
#include "core/plan/pins.h"
#include "core/solve/registry.h"
#include "core/workspace/devices.h"
#include "core/workspace/export.h"
#include "core/workspace/planning.h"
#include "core/writers/registry.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::cli {

namespace {

using base::ErrorKind;
using base::Result;

constexpr int kMostPoints = 10000;
constexpr int kMostZero = 3;
constexpr const char* kFastest = "fastest";                  ///< value of --prefer
constexpr std::int64_t kMostOption = std::int64_t{1} << 62U; ///< the records know better

class PlanVerb : public Verb
{
public:
    explicit PlanVerb(CLI::App& app);
    [[nodiscard]] Answer run() override;

private:
    void addParallelOptions();
    void addPlannerOption(const solve::OptionRecord& option);
    void readOptions();
    void checkArguments();
    [[nodiscard]] std::optional<plan::DataParallel> parallelOn(const plan::Device& device) const;
    [[nodiscard]] workspace::Choices choicesOn(const graph::ProgramPtr& recorded,
                                               const plan::Device& device) const;
    [[nodiscard]] static base::Bytes unplannedPeak(const graph::ProgramPtr& recorded,
                                                   const workspace::Choices& choices);
    [[nodiscard]] Answer planOnce();
    [[nodiscard]] Answer tableOfFits();
    [[nodiscard]] plan::Problem makeProblem(graph::ProgramPtr program);
    [[nodiscard]] Answer solveProblem(const plan::Problem& problem);
    [[nodiscard]] static solve::Listener bestSoFar(const plan::Problem& problem, Watch& watch);
    [[nodiscard]] Result<plan::FrontierPtr> search(Planning& planning);
    struct Priced
    {
        plan::VerifiedPlanPtr best;
        bool stopped = false; ///< the search was cut short
    };
    [[nodiscard]] Priced bestUnder(const Planning& planning, std::vector<plan::Pin> pins) const;
    void priceOfPins(Planning& planning) const;
    [[nodiscard]] run::Prefer preferred() const
    {
        return m_prefer == kFastest ? run::Prefer::Fastest : run::Prefer::Runs;
    }

    Stopwatch m_clock;
    TimeLeft m_timeLeft; ///< once all is read and posed
    std::string m_graph;
    AtOption m_at;
    TimesOption m_times;
    std::string m_budgetText;
    std::string m_reserveText; ///< "": the workspaces of cuBLAS
    std::string m_device{plan::kDefaultDevice};
    std::string m_plannerId{solve::kDefaultPlanner};
    std::vector<std::string> m_exports;
    std::vector<std::string> m_pins;
    std::string m_parallelText;
    std::optional<std::int64_t> m_zero;
    std::map<std::string, std::optional<std::int64_t>> m_optionValues;
    std::map<std::string, std::optional<std::string>> m_optionTexts; ///< choices and texts
    std::optional<double> m_timeLimit;
    int m_points = 0;
    bool m_hasFlips = false;
    bool m_list = false;
    bool m_explain = false;
    FitsOptions m_fits;

    const solve::Planner* m_planner = nullptr;
    solve::Options m_options;
    base::Budget m_budget;
    std::optional<base::Budget> m_reserve;
    plan::Device m_deviceRecord;
    AllocatorOption m_allocator;
    std::string m_prefer{"runs"};
    allocator::AllocatorSettings m_allocatorSettings;
    std::optional<plan::DataParallel> m_parallel;
    plan::EvaluationPtr m_base;
};

PlanVerb::PlanVerb(CLI::App& app)
    : Verb{app, "plan", "Find what to recompute so that a step fits a budget"}
{
    command().add_option("GRAPH", m_graph, "Traced step (.plimsoll.json or .plimsoll.json.gz)");
    m_at.addTo(command());
    m_times.addTo(command());
    command().add_option("--budget", m_budgetText,
                         "Device memory that the step may use, including the reserve: 6GiB, "
                         "2100MiB, or 80% of the unplanned peak");
    command()
        .add_option("--planner", m_plannerId, "Planner to use; see --list")
        ->capture_default_str();
    command().add_option(
        "--reserve", m_reserveText,
        "Part of the budget kept free for the CUDA context and workspaces: 512MiB, or "
        "5% of the unplanned peak without the reserve. Left out, the workspaces of "
        "cuBLAS: one for forward and one for backward, of the size that "
        "CUBLAS_WORKSPACE_CONFIG or the GPU gives them");
    command()
        .add_option("--device", m_device,
                    "GPU to plan for: an id, a file such as gpus.json:my-gpu, or a line such as "
                    "memory=24GiB,bandwidth=1008G,float32=82.6T")
        ->capture_default_str();
    m_fits.addTo(command());
    m_allocator.addTo(command());
    command()
        .add_option("--prefer", m_prefer,
                    "runs: the fastest plan with which PyTorch's allocator finds memory on a "
                    "device with this budget, if possible without emptying its cache. fastest: the "
                    "fastest plan whose peak is within the budget, whatever the allocator does")
        ->check(CLI::IsMember({"runs", kFastest}))
        ->capture_default_str();
    command()
        .add_option("--frontier", m_points,
                    "Also print the trade-off between memory and time at this many budgets")
        ->transform(wholeNumber(1, kMostPoints));
    command()
        .add_option("--export", m_exports,
                    fmt::format("File to write; the extension selects the format: {}. Repeatable",
                                writers::planEndings()))
        ->allow_extra_args(false); // what follows the file is the graph
    command().add_flag("--flips", m_hasFlips,
                       "Also print which values to recompute or keep to save one more GiB, and "
                       "between the points of --frontier");
    command()
        .add_option("--pin", m_pins,
                    "keep:GLOB or recompute:GLOB: values of modules, ops (a target, or "
                    "PATH:TARGET) or tensors that the plan must keep or recompute. Repeatable")
        ->allow_extra_args(false);
    addParallelOptions();
    command()
        .add_option("--time-limit", m_timeLimit,
                    "Seconds after which the search stops with the best answer so far")
        ->check(seconds());
    command().add_flag("--explain", m_explain,
                       "Also print each value that the planner chose, and why");
    command().add_flag("--list", m_list, "Print the planners and their options");
    for (const auto& planner : solve::planners())
        for (const solve::OptionRecord& option : planner->descriptor().options)
            addPlannerOption(option);
    close("Example: plimsoll-cli plan model.plimsoll.json.gz --budget 80% --export "
          "plan.json --export plan.py\n"
          "         plimsoll-cli plan model.plimsoll.json.gz --devices all");
}

void PlanVerb::addParallelOptions()
{
    command().add_option(
        "--ddp", m_parallelText,
        "Plan for one rank under DistributedDataParallel, such as "
        "world=8,bucket=25MiB,busbw=100GB/s,latency=5us,views,manual; only world is required");
    command()
        .add_option(
            "--zero", m_zero,
            "What the ranks of --ddp shard. 1: the optimizer's state, as ZeroRedundancyOptimizer "
            "does. 2: also gradients and parameters, as fully_shard(reshard_after_forward=False) "
            "does. 3: the same, with parameters gathered for forward and again for backward, "
            "module by module, as fully_shard() does")
        ->transform(wholeNumber(0, kMostZero));
}

void PlanVerb::addPlannerOption(const solve::OptionRecord& option)
{
    const std::string flag = "--" + option.name;
    if (option.kind() == solve::OptionKind::Number) {
        if (const auto [entry, added] = m_optionValues.try_emplace(option.name); added)
            command()
                .add_option(flag, entry->second, option.sentence)
                ->transform(wholeNumber(-kMostOption, kMostOption))
                ->group("Options of planners");
    } else if (const auto [entry, added] = m_optionTexts.try_emplace(option.name); added) {
        const std::string more = option.isText ? fmt::format("Such as {}", option.example)
                                               : fmt::format("{}", fmt::join(option.choices, ", "));
        command()
            .add_option(flag, entry->second, fmt::format("{} {}", option.sentence, more))
            ->group("Options of planners");
    }
}

void PlanVerb::readOptions()
{
    for (const auto& [name, value] : m_optionValues)
        if (value)
            m_options[name] = *value;
    for (const solve::OptionRecord& record : m_planner->descriptor().options) {
        const auto text = m_optionTexts.find(record.name);
        if (text == m_optionTexts.end() || !text->second)
            continue;
        if (record.isText)
            m_options[record.name] = *text->second;
        else
            m_options[record.name] = orThrow(solve::choiceValue(record, *text->second));
    }
    // Options of other planners: a default value is ignored, other values are rejected by name.
    for (const auto& [name, text] : m_optionTexts)
        if (text && !isPlannerDefault(name, *text))
            m_options.try_emplace(name);
    orThrow(solve::checkOptions(m_planner->descriptor(), m_options));
}

void PlanVerb::checkArguments()
{
    if (m_graph.empty())
        throw VerbError(ErrorKind::Usage, "GRAPH is missing: name a traced step. See --help.");
    if (m_fits.isGiven())
        m_fits.check(command());
    else if (m_budgetText.empty())
        throw VerbError(ErrorKind::Usage, "--budget is missing: give the memory that the step may "
                                          "use, such as 6GiB or 80%.");
    m_planner = orThrow(solve::findPlanner(m_plannerId));
    if (m_explain && !m_planner->descriptor().explains)
        throw VerbError(ErrorKind::Usage,
                        fmt::format("--explain: {} does not choose value by value; planners that "
                                    "do: {}.",
                                    m_plannerId, explainers()));
    readOptions();
    for (const std::string& path : m_exports)
        orThrow(writers::writerFor(path));
    if (!m_budgetText.empty())
        m_budget = orThrow(base::parseBudget(m_budgetText));
    if (command().count("--reserve") > 0)
        m_reserve = orThrow(base::parseBudget(m_reserveText));
    m_deviceRecord = orThrow(workspace::chooseDevice(m_device));
    m_allocatorSettings = m_allocator.settings();
    m_parallel = parallelOn(m_deviceRecord);
}

/// The device gives the bandwidth unless the user does.
std::optional<plan::DataParallel> PlanVerb::parallelOn(const plan::Device& device) const
{
    if (command().count("--ddp") == 0) {
        if (m_zero.value_or(0) == 0)
            return std::nullopt;
        throw VerbError(
            ErrorKind::Usage,
            "--zero needs --ddp, which gives the number of processes, such as --ddp world=8.");
    }
    if (m_parallelText.find_first_not_of(" \t") == std::string::npos)
        throw VerbError(
            ErrorKind::Usage,
            "--ddp is empty: give at least the number of processes, such as --ddp world=8.");
    const std::string zero = m_zero ? fmt::format(",zero={}", *m_zero) : std::string{};
    const Result<plan::DataParallel> setting =
        plan::parseDataParallel(m_parallelText + zero, device);
    if (!setting)
        throw VerbError(ErrorKind::Usage, "--ddp: " + setting.error().message);
    return *setting;
}

plan::Problem PlanVerb::makeProblem(graph::ProgramPtr program)
{
    plan::Problem problem;
    problem.program = std::move(program);
    problem.device = m_deviceRecord;
    problem.pins = orThrow(plan::resolvePins(m_pins, *problem.step()));
    if (m_parallel)
        problem = orThrow(plan::forRank(problem, *m_parallel));
    m_base = plan::evaluate(problem, plan::keepEverything());
    problem.reserve = m_reserve
                          ? m_reserve->of(m_base->peak)
                          : workspace::reservedWorkspaces(*problem.program, m_deviceRecord).all();
    if (problem.reserve.count() > 0)
        m_base = plan::evaluate(problem, plan::keepEverything());
    problem.budget = m_budget.of(m_base->peak);
    return problem;
}

Answer PlanVerb::run()
{
    if (m_list)
        return listPlanners();
    checkArguments();
    Answer answer = m_fits.isGiven() ? tableOfFits() : planOnce();
    answer.json["seconds"] = m_clock.seconds();
    return answer;
}

Answer PlanVerb::planOnce()
{
    const graph::ProgramPtr recorded = readGraph(m_graph, m_at, common()).program;
    const plan::Problem problem = makeProblem(m_times.applied(recorded, common()));
    Answer answer = solveProblem(problem);
    answer.json["times"] = m_times.json(problem);
    answer.text += m_times.text(problem);
    return answer;
}

/// The settings for a table, at the chosen sizes.
workspace::Choices PlanVerb::choicesOn(const graph::ProgramPtr& recorded,
                                       const plan::Device& device) const
{
    workspace::Choices choices;
    choices.device = device;
    choices.planner = m_plannerId;
    choices.options = m_options;
    for (const graph::AxisSize& axis : m_at.sizes())
        choices.sizes[axis.axis] = axis.size;
    choices.pins = m_pins;
    choices.parallel = parallelOn(device);
    if (!m_reserve)
        choices.reserve = workspace::reservedWorkspaces(*recorded, device).all();
    else
        choices.reserve =
            m_reserve->of(m_reserve->ratio ? unplannedPeak(recorded, choices) : base::Bytes{});
    return choices;
}

base::Bytes PlanVerb::unplannedPeak(const graph::ProgramPtr& recorded,
                                    const workspace::Choices& choices)
{
    return orThrow(workspace::unplannedStep(recorded, choices, {})).unplanned->evaluation().peak;
}

/// Where the step fits, instead of one plan.
Answer PlanVerb::tableOfFits()
{
    const std::vector<plan::Device> devices =
        m_fits.isAboutDevices() ? m_fits.devices() : std::vector{m_deviceRecord};
    const graph::ProgramPtr recorded = readGraph(m_graph, AtOption{}, common()).program;
    std::vector<workspace::Choices> choices;
    choices.reserve(devices.size());
    for (const plan::Device& device : devices)
        choices.push_back(choicesOn(recorded, device));
    const FitsRequest request{recorded, m_allocatorSettings, m_allocator.text(),
                              TimeLeft{m_timeLimit}, common().quiet};
    if (m_fits.isAboutDevices())
        return devicesAnswer(request, choices);
    const base::Bytes peak = unplannedPeak(recorded, choices.front()); // checks sizes and pins
    return largestAnswer(request, choices.front(),
                         m_budgetText.empty() ? m_deviceRecord.memory : m_budget.of(peak),
                         m_fits.axes(*recorded));
}

/// Reports each faster plan within the budget to the watch, with the lower bound.
solve::Listener PlanVerb::bestSoFar(const plan::Problem& problem, Watch& watch)
{
    if (!watch.isShown())
        return {};
    return [&problem, &watch,
            told = plan::VerifiedPlanPtr{}](const plan::FrontierPtr& better) mutable {
        const plan::VerifiedPlanPtr best = better->at(problem.budget);
        if (!best || best == told)
            return;
        told = best;
        watch.tell(fmt::format("{} so far, at least {}",
                               base::timeText(best->evaluation().stepTime),
                               base::timeText(solve::outcomeAt(problem, better).timeBound)));
    };
}

Result<plan::FrontierPtr> PlanVerb::search(Planning& planning)
{
    const plan::Problem& problem = planning.problem;
    const plan::Runtime runtime = solve::runtimeOf(m_planner->descriptor(), m_options);
    planning.searched =
        m_points > 0 || problem.budget >= plan::peakLowerBound(problem, runtime).bytes;
    if (!planning.searched) { // report what a planner knows before it searches
        std::stop_source over;
        over.request_stop();
        return m_planner->frontier(problem, m_options, {.stop = over.get_token(), .progress = {}});
    }
    Watch watch{common().quiet ? std::string{} : "Planning", m_timeLeft.seconds()};
    Result<plan::FrontierPtr> found =
        m_planner->frontier(problem, m_options, watch.context(), bestSoFar(problem, watch));
    planning.outcome.stopped = watch.stopped();
    return found;
}

/// With other pins.
PlanVerb::Priced PlanVerb::bestUnder(const Planning& planning, std::vector<plan::Pin> pins) const
{
    plan::Problem problem = planning.problem;
    problem.pins = std::move(pins);
    Watch watch{common().quiet ? std::string{} : "Pricing pins", m_timeLeft.seconds()};
    const plan::FrontierPtr found =
        orThrow(m_planner->frontier(problem, m_options, watch.context()));
    if (!planning.run || watch.stopped())
        return {found->at(planning.comparablePeak), watch.stopped()};
    const base::Result<run::PlanChoice> choice =
        run::choosePlan(*found, m_allocatorSettings, problem.budget, preferred(), watch.context());
    return {choice ? choice->plan.plan : nullptr, watch.stopped()};
}

void PlanVerb::priceOfPins(Planning& planning) const
{
    const plan::VerifiedPlanPtr& best = planning.outcome.best;
    const std::vector<plan::Pin>& pins = planning.problem.pins;
    for (const plan::Pin& pin : pins)
        planning.pins.push_back(
            {pin,
             {},
             static_cast<std::size_t>(std::ranges::count(m_pins, plan::pinText(pin))),
             planning.searched});
    if (!planning.searched || planning.outcome.stopped)
        return;
    bool isExplained = best != nullptr || pins.size() < 2;
    for (std::size_t pin = 0; pin < pins.size(); ++pin) {
        std::vector<plan::Pin> others = pins;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(pin));
        const Priced without = bestUnder(planning, others);
        if (without.stopped) // tells nothing about a full search
            return;
        planning.pins[pin].isOutOfTime = false;
        planning.pins[pin].at = workspace::priceOf(best, without.best);
        isExplained = isExplained || planning.pins[pin].at.isWhy;
    }
    if (!isExplained)
        planning.areAllPinsWhy = bestUnder(planning, {}).best != nullptr;
}

Answer PlanVerb::solveProblem(const plan::Problem& problem)
{
    Planning planning{m_planner->descriptor(), m_options, problem, *m_base, {}};
    m_timeLeft = TimeLeft{m_timeLimit};
    Result<plan::FrontierPtr> frontier = search(planning);
    // Even keeping everything fails its check: the options don't fit this graph.
    if (!frontier && frontier.error().kind == ErrorKind::CheckFailed)
        throw VerbError(ErrorKind::Usage, frontier.error().message);
    {
        Watch watch{common().quiet ? std::string{} : "Replaying the allocator",
                    m_timeLeft.seconds()};
        takeBest(planning, orThrow(std::move(frontier)),
                 {m_allocator.text(), m_allocatorSettings, preferred()}, watch.context());
    }
    planning.points = m_points;
    planning.hasFlips = m_hasFlips;
    priceOfPins(planning);
    if (planning.outcome.best) {
        for (const std::string& path : m_exports)
            orThrow(workspace::exportPlan(planning.outcome.best, path, {m_graph}));
        planning.exports = m_exports;
        Watch watch{common().quiet ? std::string{} : "Packing", m_timeLeft.seconds()};
        planning.memory = orThrow(solve::planMemory(*planning.outcome.best, watch.context()));
    }
    Answer answer = describe(planning);
    if (m_explain && planning.outcome.best) {
        addPicks(answer, problem, orThrow(m_planner->explain(*planning.outcome.best)));
    } else if (m_explain) {
        answer.json["explain"] = ordered_json::array();
    }
    return answer;
}

} // namespace

std::unique_ptr<Verb> planVerb(CLI::App& app)
{
    return std::make_unique<PlanVerb>(app);
}

} // namespace plimsoll::cli
