// SPDX-License-Identifier: Apache-2.0
#include "app/cli/graph_input.h"
#include "app/cli/inspect/inspect_accesses.h"
#include "app/cli/inspect/inspect_outline.h"
#include "app/cli/inspect/inspect_profile.h"
#include "app/cli/profile/profile_input.h"
#include "app/cli/verbs.h"
#include "core/base/budget.h"
#include "core/base/format.h"
#include "core/device/known_devices.h"
#include "core/io/byte_source.h"
#include "core/solve/regions/linearize.h"
#include "core/solve/regions/region_space.h"
#include "core/workspace/devices.h"

#include <fmt/format.h>

#include <numeric>
#include <vector>

namespace plimsoll::cli {

namespace {

ordered_json phasesJson(const graph::Program& program)
{
    ordered_json json = ordered_json::object();
    for (std::size_t phase = 0; phase < graph::kPhaseCount; ++phase)
        json[graph::phaseName(static_cast<graph::Phase>(phase))] =
            program.checks.opsByPhase.at(phase);
    return json;
}

ordered_json classesJson(const graph::Program& program)
{
    ordered_json json = ordered_json::object();
    for (std::size_t index = 0; index < graph::kStorageClassCount; ++index) {
        const auto storageClass = static_cast<graph::StorageClass>(index);
        const base::Bytes bytes = program.checks.bytesByClass.at(index);
        if (bytes.count() > 0 || storageClass != graph::StorageClass::Scratch)
            json[graph::className(storageClass)] = bytes.count();
    }
    return json;
}

ordered_json kernelsJson(const graph::Header& header)
{
    ordered_json json = ordered_json::object();
    for (const graph::KernelChoice& choice : header.kernels)
        json[choice.family][choice.kernel] = choice.times;
    return json;
}

/// The sizes that a graph supports; empty if it was traced at a single size.
ordered_json axesJson(const graph::Program& program)
{
    ordered_json json = ordered_json::array();
    if (program.vary)
        for (const graph::Axis& axis : program.vary->axes)
            json.push_back({{"name", axis.name},
                            {"size", axis.size},
                            {"recorded", axis.recorded},
                            {"step", axis.step}});
    return json;
}

ordered_json summaryJson(const graph::Program& program, std::size_t cuts,
                         const plan::Evaluation& unplanned)
{
    const std::int64_t flops =
        std::accumulate(program.ops.begin(), program.ops.end(), std::int64_t{0},
                        [](std::int64_t sum, const graph::Op& op) { return sum + op.flops; });
    return {{"name", program.header.model},
            {"ops", program.ops.size()},
            {"tensors", program.tensors.size()},
            {"storages", program.storages.size()},
            {"ops_by_phase", phasesJson(program)},
            {"bytes_by_class", classesJson(program)},
            {"saved_for_backward_bytes", program.checks.savedBytes.count()},
            {"peak_bytes", program.checks.peakBytes.count()},
            {"peak_op", program.checks.peakOp},
            {"flops", flops},
            {"modules", program.modules.size()},
            {"cuts", cuts},
            {"peak_allocated_bytes", unplanned.peak.count()},
            {"peak_allocated_op", unplanned.peakOp.index()},
            {"rounding", graph::blockBytes(graph::Rounding::Cuda512)},
            {"model_class", program.header.modelClass},
            {"batch", program.header.batch},
            {"axes", axesJson(program)},
            {"execution", program.header.execution},
            {"planner",
             program.isRewritten() ? ordered_json(program.header.planner) : ordered_json(nullptr)},
            {"mode", program.header.mode},
            {"micro_steps", program.header.microSteps},
            {"target", program.header.target},
            {"optimizer", program.header.optimizer},
            {"torch", program.header.torch},
            {"exporter", program.header.exporter},
            {"autocast", program.header.autocast},
            {"kernels", kernelsJson(program.header)},
            {"assumed", program.header.assumed}};
}

/// The chain in the format that `solve chain` reads.
ordered_json problemJson(const solve::Chain& chain)
{
    return {{"ftime", chain.ftime}, {"btime", chain.btime}, {"x", chain.x},
            {"xbar", chain.xbar},   {"ftmp", chain.ftmp},   {"btmp", chain.btmp}};
}

ordered_json chainJson(const solve::LinearizedStep& step, const std::string& granularity)
{
    const solve::Chain& chain = step.chain;
    ordered_json stages = ordered_json::array();
    for (std::size_t i = 0; i < step.stages.size() && i < chain.stages(); ++i) {
        const solve::Stage& stage = step.stages[i];
        ordered_json crossing = ordered_json::array();
        for (const graph::StorageId id : stage.crossing)
            crossing.push_back(id.index());
        stages.push_back({{"ops", {stage.first, stage.last}},
                          {"module", stage.module},
                          {"x", chain.x[i]},
                          {"xbar", chain.xbar[i + 1]},
                          {"ftmp", chain.ftmp[i]},
                          {"btmp", chain.btmp[i]},
                          {"ftime", number(chain.ftime[i])},
                          {"btime", number(chain.btime[i])},
                          {"crossing", std::move(crossing)}});
    }
    return {{"stages", std::move(stages)},
            {"granularity", granularity},
            {"fixed_bytes", step.fixed.count()},
            {"problem", problemJson(chain)}};
}

std::string stagesText(const solve::LinearizedStep& step)
{
    std::string text = fmt::format("{:>5} {:>13} {:>11} {:>11}  {}\n", "stage", "ops", "enters",
                                   "saved", "module");
    for (std::size_t i = 0; i < step.stages.size() && i < step.chain.stages(); ++i) {
        const solve::Stage& stage = step.stages[i];
        text += fmt::format("{:>5} {:>13} {:>11} {:>11}  {}\n", i,
                            fmt::format("{}-{}", stage.first, stage.last),
                            base::bytesText(base::Bytes{step.chain.x[i]}),
                            base::bytesText(base::Bytes{step.chain.xbar[i + 1]}),
                            stage.module.empty() ? "(model)" : base::printable(stage.module, 80));
    }
    return text;
}

std::string summaryText(const readers::ReadProgram& read, std::size_t cuts,
                        const plan::Evaluation& unplanned)
{
    const graph::Program& program = *read.program;
    const graph::Checks& checks = program.checks;
    std::string text = fmt::format(
        "{}\n  {}, {}, {}\n", titled(program.header.model, program.header.batch),
        base::counted(program.ops.size(), "op"), base::counted(program.storages.size(), "storage"),
        base::counted(program.modules.size(), "module"));
    for (std::size_t phase = 0; phase < graph::kPhaseCount; ++phase)
        text += fmt::format("  {:<18} {}\n", graph::phaseName(static_cast<graph::Phase>(phase)),
                            base::counted(checks.opsByPhase.at(phase), "op"));
    for (std::size_t index = 0; index < graph::kStorageClassCount; ++index)
        if (checks.bytesByClass.at(index).count() > 0)
            text += fmt::format("  {:<18} {}\n",
                                graph::className(static_cast<graph::StorageClass>(index)),
                                base::bytesText(checks.bytesByClass.at(index)));
    text += fmt::format("  saved for backward {}\n", base::bytesText(checks.savedBytes));
    if (!program.ops.empty())
        text += fmt::format(
            "  peak               {} of live values at op {}, {}\n"
            "  allocated at peak  {} in blocks of {} B, which is what plan counts\n",
            base::bytesText(checks.peakBytes, base::Rounding::Up), checks.peakOp,
            base::printable(program.label(program.ops[static_cast<std::size_t>(checks.peakOp)])),
            base::bytesText(unplanned.peak, base::Rounding::Up),
            graph::blockBytes(graph::Rounding::Cuda512));
    text += fmt::format("  clean cuts         {}\n", cuts);
    if (program.isRewritten()) {
        const auto repetitions =
            std::ranges::count_if(program.ops, [](const graph::Op& op) { return op.isRepetition; });
        text +=
            fmt::format("  rewritten          by a plan of {}: {} of the ops are recomputations\n",
                        base::printable(program.header.planner), repetitions);
    }
    text += fmt::format("  target             {}\n", base::printable(program.header.target));
    if (program.header.microSteps > 1)
        text += fmt::format("  micro-steps        {}\n", program.header.microSteps);
    for (const graph::KernelChoice& choice : program.header.kernels)
        text += fmt::format("  {:<18} {}, {}\n", base::printable(choice.family),
                            base::printable(choice.kernel),
                            base::counted(static_cast<std::size_t>(choice.times), "time"));
    if (program.vary)
        text += fmt::format("  recorded at        {} (--at selects other sizes)\n",
                            graph::axesText(program));
    for (const auto& [name, count] : read.statistics)
        text += fmt::format("  note: {} ({})\n", base::printable(name), count);
    for (const std::string& sentence : program.header.assumed)
        text += fmt::format("  assumed: {}\n", base::printable(sentence));
    return text;
}

class Inspect : public Verb
{
public:
    explicit Inspect(CLI::App& app) : Verb{app, "inspect", "Describe what is in a file"}
    {
        command().add_option("FILE", m_files, "Files to read")->required();
        m_at.addTo(command());
        command().add_flag("--chain", m_chain, "Print the chain of stages that planners work on");
        command()
            .add_option("--granularity", m_granularity,
                        "Where --chain may cut: between modules (module) or any two ops (op)")
            ->check(CLI::IsMember({"module", "op"}))
            ->capture_default_str();
        command()
            .add_option("--device", m_device, "GPU for the times of --chain and --accesses")
            ->capture_default_str();
        command().add_flag("--accesses", m_accesses,
                           "Print when forward and backward use each value that is saved for "
                           "backward, and how far the peak can fall");
        command()
            .add_option("--budget", m_budgetText,
                        "Budget for --accesses, which shows where the step exceeds it: 6GiB, or "
                        "80% of the peak. Default: the GPU's memory")
            ->needs("--accesses");
        close(
            "peak_bytes is the peak that the exporter counted and the reader verified, with exact\n"
            "sizes; peak_allocated_bytes is the evaluator's, with sizes rounded up to the\n"
            "allocator's blocks, as in plan and check.\n"
            "Example: plimsoll-cli inspect model.plimsoll.json.gz --chain --json");
    }

    [[nodiscard]] Answer run() override
    {
        Answer answer;
        ordered_json files = ordered_json::array();
        for (const std::string& file : m_files) {
            const Stopwatch clock;
            Answer one = inspect(file);
            one.json["seconds"] = clock.seconds();
            files.push_back(std::move(one.json));
            answer.text += one.text;
        }
        answer.json = files.size() == 1 ? files.front() : ordered_json{{"files", std::move(files)}};
        return answer;
    }

private:
    [[nodiscard]] plan::Granularity granularity() const
    {
        return m_granularity == "op" ? plan::Granularity::Op : plan::Granularity::Module;
    }
    [[nodiscard]] Answer inspect(const std::string& file) const
    {
        const std::optional<readers::FileKind> kind = inputKind(file);
        const bool isPlan = kind == readers::FileKind::Plan;
        const bool isProfile = kind == readers::FileKind::Profile;
        if (!isPlan && !isProfile && kind != readers::FileKind::Measurement)
            return inspectGraph(file);
        if (m_chain || m_accesses || m_at.isGiven())
            throw VerbError(base::ErrorKind::Usage,
                            fmt::format("{} is for graphs, but {} is a {}.",
                                        m_chain      ? "--chain"
                                        : m_accesses ? "--accesses"
                                                     : "--at",
                                        io::pathText(file), readers::kindName(*kind)));
        if (isProfile)
            return inspectProfile(file, common());
        return isPlan ? inspectPlan(file) : inspectMeasurement(file);
    }
    [[nodiscard]] Answer inspectGraph(const std::string& file) const
    {
        plan::Problem problem;
        problem.device = orThrow(workspace::chooseDevice(m_device));
        const readers::ReadProgram read = readGraph(file, m_at, common());
        problem.program = read.program;
        // A step that can't be cut, such as inference, is still worth inspecting.
        const base::Result<solve::LinearizedStep> step =
            solve::linearize(problem, *solve::makeRegionSpace(*read.program, granularity()),
                             solve::Residuals::EachCut);
        if (!step && m_chain)
            throw VerbError{step.error()};
        const std::size_t cuts = step && !step->stages.empty() ? step->stages.size() - 1 : 0;
        const plan::EvaluationPtr unplanned = plan::evaluate(problem, plan::keepEverything());
        Answer answer;
        answer.text = summaryText(read, cuts, *unplanned);
        answer.json = {{"file", file},
                       {"format", read.formatId},
                       {"format_version", read.formatVersion},
                       {"kind", "program"},
                       {"summary", summaryJson(*read.program, cuts, *unplanned)},
                       {"statistics", read.statistics}};
        if (m_chain) {
            answer.json["chain"] = chainJson(*step, m_granularity);
            answer.text += stagesText(*step);
        }
        if (m_accesses) {
            problem.budget = problem.device.memory;
            if (!m_budgetText.empty())
                problem.budget = orThrow(base::parseBudget(m_budgetText)).of(unplanned->peak);
            addAccesses(answer, problem);
        }
        return answer;
    }

    std::vector<std::string> m_files;
    AtOption m_at;
    std::string m_device{plan::kDefaultDevice};
    std::string m_granularity = "module";
    std::string m_budgetText;
    bool m_chain = false;
    bool m_accesses = false;
};

} // namespace

std::unique_ptr<Verb> inspectVerb(CLI::App& app)
{
    return std::make_unique<Inspect>(app);
}

} // namespace plimsoll::cli
