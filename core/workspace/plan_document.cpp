// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/plan_document.h"

#include "core/base/budget.h"
#include "core/base/format.h"
#include "core/base/try.h"
#include "core/device/known_devices.h"
#include "core/io/byte_source.h"
#include "core/plan/pins.h"
#include "core/plan_file/plan_json.h"
#include "core/solve/api/certify_and_insert.h"
#include "core/workspace/kept_plans.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::workspace {

namespace {

using base::ErrorKind;
using base::Result;

std::string graphName(const std::filesystem::path& path)
{
    std::string name = path.filename().string();
    for (const std::string_view ending : {".gz", ".json", ".plimsoll"})
        if (name.size() > ending.size() && std::string_view{name}.ends_with(ending))
            name.erase(name.size() - ending.size());
    return base::printable(name, 80);
}

/// The document with its first picture, ready to be shown.
Result<DocumentPtr> shown(PlanDocument document, const base::JobContext& job)
{
    ASSIGN_OR_RETURN(document.first, firstPicture(document, job));
    document.isBudgetSuggested = document.budget.count() == 0;
    if (document.isBudgetSuggested)
        document.budget = suggestedBudget(*document.first);
    return std::make_unique<PlanDocument>(std::move(document));
}

/// The session's sizes, if the graph supports them.
Sizes sizesOf(const session::SavedProblem& problem, const graph::ProgramPtr& recorded,
              std::vector<std::string>& notes, const base::JobContext& job)
{
    const Result<graph::ProgramPtr> there = programAt(recorded, problem.sizes, job);
    if (there)
        return problem.sizes;
    notes.push_back(fmt::format(
        "The model can't be resized to the session's batch or sequence; those recorded are "
        "used instead: {}",
        there.error().message));
    return {};
}

Choices choicesOf(const session::SavedProblem& problem, const graph::Program& recorded,
                  std::vector<std::string>& notes)
{
    Choices choices;
    if (Result<plan::Device> device = plan::findDevice(problem.device)) {
        choices.device = *std::move(device);
    } else {
        notes.push_back(fmt::format("The session's GPU \"{}\" is unknown here; {} is used instead.",
                                    base::printable(problem.device, 40), plan::kDefaultDevice));
        choices.device = plan::findDevice(plan::kDefaultDevice).value_or(plan::Device{});
    }
    choices.reserve = base::Bytes{problem.reserveBytes};
    if (choices.reserve.count() < 0 || choices.reserve >= choices.device.memory) {
        notes.push_back(
            fmt::format("The session's reserve of {} B doesn't leave the GPU any memory; "
                        "that of cuBLAS's workspaces is used instead.",
                        problem.reserveBytes));
        choices.reserve = reservedWorkspaces(recorded, choices.device).all();
    }
    choices.rounding = problem.rounding == 1 ? graph::Rounding::Exact : graph::Rounding::Cuda512;
    const Result<const solve::Planner*> planner = solve::findPlanner(problem.planner);
    if (planner && solve::checkOptions((*planner)->descriptor(), problem.options)) {
        choices.planner = problem.planner;
        choices.options = problem.options;
    } else {
        notes.push_back(fmt::format(
            "The session's planner \"{}\" or its options are unknown here; {} is used instead.",
            base::printable(problem.planner, 40), choices.planner));
    }
    return choices;
}

/// The session's pins, if they are valid for the graph.
std::vector<std::string> pinsOf(const session::SavedProblem& problem, PlanDocument& document)
{
    const Result<std::vector<plan::Pin>> pins =
        plan::resolvePins(problem.pins, *document.graph.program);
    if (pins)
        return problem.pins;
    document.notes.push_back("The session's pins are not used: " + pins.error().message);
    return {};
}

/// The session's data-parallel setting, if it can be used.
std::optional<plan::DataParallel> parallelOf(const session::SavedProblem& problem,
                                             const graph::Program& recorded,
                                             const plan::Device& device,
                                             std::vector<std::string>& notes)
{
    if (problem.dataParallel.empty())
        return std::nullopt;
    const Result<plan::DataParallel> setting =
        plan::parseDataParallel(problem.dataParallel, device);
    const Result<void> runs =
        setting ? plan::canRunUnder(recorded, *setting) : tl::unexpected{setting.error()};
    if (runs)
        return *setting;
    notes.push_back(fmt::format("The session's data parallel setting can't be used; the step is "
                                "planned for a single process: {}",
                                runs.error().message));
    return std::nullopt;
}

/// The run, with its plan checked again at the run's sizes.
Run checkedRun(const session::SavedRun& saved, const PlanDocument& document,
               std::vector<std::string>& notes, const base::JobContext& job)
{
    Run run;
    run.sizes = saved.sizes;
    run.key = saved.id;
    run.name = saved.name;
    run.budget = base::Bytes{saved.budgetBytes};
    run.planner = saved.planner;
    const auto claimed = [&](solve::Status status, solve::Status otherwise) {
        const std::string name = solve::statusName(status);
        return saved.status == name ? name : solve::statusName(otherwise);
    };
    // Feasible only with a plan that passes the check.
    run.status = claimed(solve::Status::Infeasible, solve::Status::NotFound);
    if (!saved.plan)
        return run;
    const auto verifiedFor = [&](const graph::ProgramPtr& program) -> Result<plan::FrontierPoint> {
        ASSIGN_OR_RETURN(const plan::PlanFile file, plan::readPlan(*saved.plan, *program));
        ASSIGN_OR_RETURN(plan::Problem problem, plan::problemOf(file, program));
        ASSIGN_OR_RETURN(const plan::VerifiedPlanPtr plan, plan::certify(problem, file.plan));
        if (plan->evaluation().peak > run.budget)
            return base::failure(ErrorKind::CheckFailed, "it needs more than the budget.");
        return plan::FrontierPoint{plan, std::make_shared<const plan::Provenance>(file.provenance)};
    };
    // Whether it was made with the measured times isn't kept: the one that took as long was.
    const auto verified = [&]() -> Result<plan::FrontierPoint> {
        ASSIGN_OR_RETURN(const auto program, programAt(document.graph.program, saved.sizes, job));
        const ProfiledTimes& profiled = document.choices.profiled;
        if (profiled.times && profiled.sizes == saved.sizes)
            if (Result<plan::FrontierPoint> timed =
                    verifiedFor(compare::withTimes(program, *profiled.times));
                timed && (*timed)->evaluation().stepTime.count() == saved.stepTimeNs)
                return timed;
        return verifiedFor(program);
    }();
    if (verified) {
        run.plan = *verified;
        run.peak = run.plan->evaluation().peak;
        run.stepTime = run.plan->evaluation().stepTime;
        run.status = claimed(solve::Status::Optimal, solve::Status::Feasible);
        return run;
    }
    notes.push_back(fmt::format("The plan kept for {} failed its check and is not used: {}",
                                base::bytesText(run.budget, base::Rounding::Down),
                                base::told(verified.error())));
    return run;
}

/// The session's measurement, attached to the graph as before.
OverlayPtr overlayOf(const session::SavedMeasurement& saved, PlanDocument& document,
                     const base::JobContext& job)
{
    const auto laid = [&]() -> Result<OverlayPtr> {
        ASSIGN_OR_RETURN(const auto program, programAt(document.graph.program, saved.sizes, job));
        return attachMeasurement(saved.name, saved.content,
                                 {program, saved.sizes, document.choices.device}, job);
    }();
    if (laid)
        return *laid;
    document.notes.push_back(
        fmt::format("The measurement kept in the session ({}) can't be laid over the graph: {}",
                    base::printable(saved.name, 60), laid.error().message));
    return nullptr;
}

/// The session's measured times, if they are of this graph.
ProfiledTimes profiledOf(const session::SavedTimes& saved, PlanDocument& document)
{
    Result<compare::StepTimesPtr> times =
        compare::readStepTimes(saved.content, document.graph.program->ops.size());
    if (times)
        return {*std::move(times), saved.sizes};
    document.notes.push_back(times.error().message);
    return {};
}

} // namespace

base::Result<OpenGraph> openGraph(readers::ReadProgram read, io::Source& source,
                                  const base::JobContext& job)
{
    ASSIGN_OR_RETURN(const auto content, source.whole(job));
    OpenGraph graph;
    graph.path = source.path();
    graph.name = graphName(source.path());
    graph.content = std::shared_ptr<const std::string>{content, &content->bytes};
    graph.program = std::move(read.program);
    graph.statistics = std::move(read.statistics);
    graph.contentHash = std::move(read.contentHash);
    return graph;
}

DocumentKind planDocuments(OpeningOf opening)
{
    return {std::string{kPlanDocument},
            [](const readers::ReaderDescriptor& format) {
                return format.kind == readers::FileKind::Graph;
            },
            [opening = std::move(opening)](readers::FileValue value, io::Source& source,
                                           const base::JobContext& job) -> Result<DocumentPtr> {
                PlanDocument document;
                auto read = std::get<readers::ReadProgram>(std::move(value));
                ASSIGN_OR_RETURN(document.graph, openGraph(std::move(read), source, job));
                Opening begin = opening(source.path());
                document.choices = std::move(begin.choices);
                document.choices.reserve =
                    reservedWorkspaces(*document.graph.program, document.choices.device).all();
                document.budget = begin.budget;
                document.isDeviceGuessed = begin.isDeviceGuessed;
                return shown(std::move(document), job);
            },
            [](const session::SessionStore& store, const session::SavedDocument& saved,
               const base::JobContext& job) -> Result<DocumentPtr> {
                ASSIGN_OR_RETURN(std::string content, store.blob(saved.id, session::kContent));
                ASSIGN_OR_RETURN(const session::SavedPlan plan, session::loadPlan(store, saved.id));
                ASSIGN_OR_RETURN(PlanDocument document,
                                 planDocumentOf(saved, plan, std::move(content), job));
                return shown(std::move(document), job);
            }};
}

std::unique_ptr<const Document> PlanDocument::copy() const
{
    auto copy = std::make_unique<PlanDocument>(*this);
    copy->pending.clear();
    return copy;
}

Result<void> PlanDocument::store(session::SessionStore& store, session::DocumentId id) const
{
    RETURN_IF_ERROR(store.saveBlob(id, session::kContent, *graph.content));
    return session::savePlan(store, id, savedPlan(*this));
}

Result<PlanDocument> planDocumentOf(const session::SavedDocument& row,
                                    const session::SavedPlan& saved, std::string content,
                                    const base::JobContext& job)
{
    io::Source source{row.sourcePath.empty() ? row.name : row.sourcePath, std::move(content)};
    Result<readers::ReadProgram> read = readers::readProgram(source, job);
    if (!read && read.error().kind == ErrorKind::Cancelled)
        return tl::unexpected{read.error()};
    if (!read)
        return base::failure(ErrorKind::File,
                             "The session's graph can't be read: " + read.error().message);
    if (read->contentHash != row.contentHash)
        return base::failure(ErrorKind::File,
                             fmt::format("{}: the session's copy of the graph was damaged after it "
                                         "was saved; open the graph file instead.",
                                         base::printable(row.name, 80)));
    PlanDocument document;
    ASSIGN_OR_RETURN(document.graph, openGraph(*std::move(read), source, job));
    if (!row.name.empty())
        document.graph.name = base::printable(row.name, 80);
    document.choices = choicesOf(saved.problem, *document.graph.program, document.notes);
    document.choices.sizes = sizesOf(saved.problem, document.graph.program, document.notes, job);
    document.choices.pins = pinsOf(saved.problem, document);
    if (saved.times)
        document.choices.profiled = profiledOf(*saved.times, document);
    document.choices.parallel =
        parallelOf(saved.problem, *document.graph.program, document.choices.device, document.notes);
    if (saved.problem.budgetBytes > 0
        && base::Bytes{saved.problem.budgetBytes} <= base::kLargestBudget)
        document.budget = base::Bytes{saved.problem.budgetBytes};
    else if (saved.problem.budgetBytes != 0)
        document.notes.push_back(
            fmt::format("The session's budget of {} B is not valid; one is suggested instead.",
                        saved.problem.budgetBytes));
    for (const session::SavedRun& run : saved.runs) {
        if (job.stopRequested())
            return base::cancelled();
        document.runs.push_back(checkedRun(run, document, document.notes, job));
    }
    if (!saved.frontier.empty())
        document.kept = std::make_shared<const std::string>(saved.frontier);
    if (saved.measurement)
        document.overlay = overlayOf(*saved.measurement, document, job);
    if (job.stopRequested())
        return base::cancelled();
    return document;
}

session::SavedProblem savedProblem(const PlanDocument& document)
{
    const Choices& choices = document.choices;
    return {choices.device.id,
            choices.reserve.count(),
            graph::blockBytes(choices.rounding),
            choices.planner,
            choices.options,
            document.budget.count(),
            choices.sizes,
            choices.pins,
            choices.parallel ? plan::dataParallelText(*choices.parallel) : std::string{}};
}

session::SavedRun savedRun(const Run& run)
{
    session::SavedRun saved;
    saved.id = run.key;
    saved.name = run.name;
    saved.budgetBytes = run.budget.count();
    saved.planner = run.planner;
    saved.status = run.status;
    saved.sizes = run.sizes;
    if (run.peak)
        saved.peakBytes = run.peak->count();
    if (run.stepTime)
        saved.stepTimeNs = run.stepTime->count();
    if (run.plan)
        saved.plan = plan::writePlan(run.plan);
    return saved;
}

std::optional<session::SavedMeasurement> savedMeasurement(const OverlayPtr& overlay)
{
    if (!overlay)
        return std::nullopt;
    return session::SavedMeasurement{overlay->name, *overlay->content, overlay->over.sizes};
}

std::optional<session::SavedTimes> savedTimes(const ProfiledTimes& profiled)
{
    if (!profiled.times)
        return std::nullopt;
    return session::SavedTimes{compare::writeStepTimes(*profiled.times), profiled.sizes};
}

session::SavedPlan savedPlan(const PlanDocument& document)
{
    session::SavedPlan saved{savedProblem(document), savedMeasurement(document.overlay), {}};
    for (const Run& run : document.runs)
        saved.runs.push_back(savedRun(run));
    if (document.planned)
        saved.frontier = keptPlans(*document.planned, document.graph.contentHash);
    else if (document.kept)
        saved.frontier = *document.kept;
    saved.times = savedTimes(document.choices.profiled);
    return saved;
}

Result<PlannedPtr> firstPicture(PlanDocument& document, const base::JobContext& job)
{
    ASSIGN_OR_RETURN(Planned planned, unplannedStep(document.graph.program, document.choices, job));
    plan::Frontier frontier = *planned.frontier;
    for (const Run& run : document.runs) {
        if (!run.plan)
            continue;
        const Result<void> known = solve::certifyAndInsert(
            frontier, planned.problem, run.plan->plan(), {}, run.plan.provenance);
        if (!known)
            document.notes.push_back(base::told(known.error()));
    }
    planned.setFrontier(std::make_shared<const plan::Frontier>(std::move(frontier)));
    return std::make_shared<const Planned>(std::move(planned));
}

base::Bytes suggestedBudget(const Planned& planned)
{
    const std::int64_t peak = planned.unplanned->evaluation().peak.count();
    const std::int64_t memory = planned.choices.device.memory.count();
    // Round values read the same everywhere: 256 MiB are a quarter of a GiB.
    const std::int64_t unit = peak >= 4096 * base::kMiB  ? 256 * base::kMiB
                              : peak >= 512 * base::kMiB ? 64 * base::kMiB
                                                         : base::kMiB;
    const auto roundUp = [](std::int64_t bytes, std::int64_t step) {
        return base::Bytes{(bytes + step - 1) / step * step};
    };
    // Nothing that is recomputed lowers the peak: then as much as the allocator needs.
    if (planned.peakBound.bytes.count() >= peak && planned.unplannedNeeds.count() <= memory)
        return roundUp(planned.unplannedNeeds.count(), unit);
    const base::Bytes wanted = peak <= memory ? roundUp(peak / 5 * 4, unit) : base::Bytes{memory};
    const bool isPlanned = planned.took.count() > 0;
    const std::int64_t least =
        isPlanned ? planned.smallestPeak.count() : planned.peakBound.bytes.count();
    const std::int64_t room = isPlanned ? 0 : std::max<std::int64_t>(peak - least, 0);
    if (wanted.count() >= least + room / 4)
        return wanted;
    // GiB are shown with two decimals: at values other than quarters, the plan's peak could read as
    // more than the budget.
    return roundUp(least + room / 2, least >= 1024 * base::kMiB ? 256 * base::kMiB : base::kMiB);
}

Run runOf(const solve::Outcome& outcome, base::Bytes budget, const Choices& choices)
{
    Run run;
    run.budget = budget;
    run.planner = choices.planner;
    run.sizes = choices.sizes;
    run.status = solve::statusName(outcome.status);
    run.plan = outcome.best;
    if (outcome.best) {
        run.peak = outcome.best->evaluation().peak;
        run.stepTime = outcome.best->evaluation().stepTime;
    }
    return run;
}

bool contains(const std::vector<Run>& runs, const Run& run)
{
    return std::any_of(runs.begin(), runs.end(), [&](const Run& other) {
        return other.budget == run.budget && other.planner == run.planner
               && other.status == run.status && other.sizes == run.sizes && other.peak == run.peak
               && other.stepTime == run.stepTime;
    });
}

} // namespace plimsoll::workspace
