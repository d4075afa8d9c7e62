// SPDX-License-Identifier: Apache-2.0
#include "app/cli/diff/diff_profiles.h"
#include "app/cli/diff/diff_steps.h"
#include "app/cli/diff/diff_waterfall.h"
#include "app/cli/graph_input.h"
#include "app/cli/numbers.h"
#include "app/cli/plan/evaluation_json.h"
#include "app/cli/profile/profile_input.h"
#include "app/cli/verbs.h"
#include "core/base/format.h"
#include "core/compare/against_plan.h"
#include "core/compare/belongs.h"
#include "core/device/known_devices.h"
#include "core/evaluate/certify.h"
#include "core/io/byte_source.h"
#include "core/parallel/rank_program.h"
#include "core/workspace/devices.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <optional>
#include <vector>

namespace plimsoll::cli {

namespace {

using base::ErrorKind;
using compare::Unit;

constexpr std::size_t kGaps = 5;

/// A run's name, and what was predicted for it.
struct Predicted
{
    plan::Problem problem;
    plan::EvaluationPtr evaluation;
};

ordered_json rowJson(const compare::Row& row)
{
    const std::string unit = row.unit == Unit::Bytes ? "_bytes" : "_ns";
    return {{"name", row.name},
            {"predicted" + unit, orNull(row.predicted)},
            {"measured" + unit, orNull(row.measured)},
            {"difference" + unit, orNull(row.difference())}};
}

ordered_json gapJson(const compare::Gap& gap, const Predicted& predicted)
{
    const graph::Program& program = *predicted.problem.step();
    const plan::Step& step = predicted.evaluation->schedule->steps[gap.step];
    const graph::Op& op = program.op(step.op);
    return {{"step", gap.step},
            {"op", step.op.index()},
            {"target", program.targetOf(op)},
            {"module", program.modulePath(op)},
            {"recomputed", step.region >= 0},
            {"predicted_bytes", gap.predicted.count()},
            {"measured_bytes", gap.measured.count()}};
}

/// Unknown if the measurement has no ops.
ordered_json sameOps(const compare::Comparison& comparison)
{
    return comparison.opsKnown ? ordered_json(comparison.otherOps.empty()) : ordered_json(nullptr);
}

void leaveOutTimes(compare::Comparison& comparison)
{
    for (compare::Row& row : comparison.rows)
        if (row.unit == Unit::Nanoseconds)
            row.predicted.reset();
}

std::string gapText(const compare::Gap& gap, const Predicted& predicted)
{
    const graph::Program& program = *predicted.problem.step();
    const plan::Step& step = predicted.evaluation->schedule->steps[gap.step];
    return fmt::format("    step {:<6} {:+} B  {}{}\n", gap.step,
                       (gap.measured - gap.predicted).count(),
                       base::printable(program.label(program.op(step.op)), 80),
                       step.region >= 0 ? ", recomputed" : "");
}

class Diff : public Verb
{
public:
    explicit Diff(CLI::App& app)
        : Verb{
            app, "diff",
            "Compare a measurement or a memory profile with its prediction, two graphs, two plans "
            "of a graph, or two memory profiles"}
    {
        command()
            .add_option("A", m_measurement,
                        "Measurement that plimsoll.measure() wrote, traced step, plan, memory "
                        "profile, or session that holds a profile")
            ->required();
        command()
            .add_option("B", m_graph,
                        "Traced step that was measured, or another traced step, plan or profile")
            ->required();
        command().add_option("C", m_plan,
                             "Plan of the second measured run or of the profile, or the graph of "
                             "both plans");
        m_at.addTo(command());
        command()
            .add_option("--device", m_device,
                        "GPU that predicts the times of ops without a measured time. Of profiles: "
                        "the number of a device, by default the one with the highest peak")
            ->capture_default_str();
        command().add_option("--by", m_profiles.by,
                             "Of profiles: frame (default), stack, class, module, stream or pool");
        command()
            .add_option("--top", m_profiles.top, "Of profiles: groups to print")
            ->check(wholeNumber(1, kMostGroups));
        close("diff MEASUREMENT GRAPH [PLAN], diff GRAPH PROFILE [PLAN], diff GRAPH GRAPH, diff "
              "PLAN PLAN GRAPH, diff PROFILE PROFILE.\n"
              "Example: plimsoll-cli diff mine.measurement.json mine.plimsoll.json.gz plan.json");
    }

    [[nodiscard]] Answer run() override
    {
        const Stopwatch clock;
        for (const std::string& file : {m_measurement, m_graph, m_plan})
            if (!file.empty())
                orThrow(io::checkReadable(file)); // else it would be of no kind
        putProfileSecond();
        const std::optional<readers::FileKind> kind = inputKind(m_measurement);
        if (const auto other = inputKind(m_graph);
            kind == readers::FileKind::Profile || other == readers::FileKind::Profile) {
            const bool isPredicted =
                kind == readers::FileKind::Graph || other == readers::FileKind::Graph;
            Answer answer = isPredicted ? compareWithGraph(kind == readers::FileKind::Graph)
                                        : compareProfiles(kind, other);
            answer.json["seconds"] = clock.seconds();
            return answer;
        }
        if (isGiven("--by") || isGiven("--top"))
            throw VerbError(ErrorKind::Usage, "--by and --top are for memory profiles.");
        if (kind != readers::FileKind::Measurement) {
            Answer answer = kind == readers::FileKind::Plan ? comparePlans() : compareGraphs();
            answer.json["seconds"] = clock.seconds();
            return answer;
        }
        const compare::Measurement measurement = readMeasurement(m_measurement);
        if (!m_plan.empty() && measurement.runs.size() < 2)
            throw VerbError(ErrorKind::File, m_measurement
                                                 + ": it has no run with a plan: pass the plan to "
                                                   "measure(), or leave PLAN out.");
        Answer answer;
        answer.json = {{"measurement", m_measurement}, {"graph", m_graph}};
        answer.json["backend"] = measurement.backend == compare::Backend::Cuda ? "cuda" : "cpu";
        answer.json["device"] = measurement.device;
        answer.json["runs"] = ordered_json::array();
        answer.text =
            fmt::format("{}, measured on {} with torch {}\n", base::printable(measurement.model),
                        base::printable(measurement.device), base::printable(measurement.torch));
        const std::size_t runs = m_plan.empty() ? 1 : 2;
        for (std::size_t i = 0; i < runs; ++i) {
            const Predicted predicted = predict(measurement, i == 1);
            describe(answer, measurement, measurement.runs[i], predicted);
        }
        answer.json["seconds"] = clock.seconds();
        return answer;
    }

private:
    [[nodiscard]] bool isGiven(const char* option) const { return command().count(option) > 0; }
    /// GRAPH PLAN PROFILE is GRAPH PROFILE PLAN, too, and so is any other order of the three.
    void putProfileSecond()
    {
        std::array<std::string*, 3> files{&m_measurement, &m_graph, &m_plan};
        if (m_plan.empty())
            return;
        std::array<std::string, 3> sorted;
        for (const std::string* file : files) {
            const auto kind = inputKind(*file);
            const std::size_t place = kind == readers::FileKind::Graph     ? 0
                                      : kind == readers::FileKind::Profile ? 1
                                                                           : 2;
            if (!sorted.at(place).empty() || (place == 2 && kind != readers::FileKind::Plan))
                return;
            sorted.at(place) = *file;
        }
        for (std::size_t i = 0; i < files.size(); ++i)
            *files.at(i) = std::move(sorted.at(i));
    }
    Answer compareProfiles(std::optional<readers::FileKind> kind,
                           std::optional<readers::FileKind> other)
    {
        if (kind && other && *kind != *other)
            throw VerbError(ErrorKind::Usage,
                            fmt::format("{} is a {} and {} a {}: diff takes two profiles, or a "
                                        "profile and a graph.",
                                        io::pathText(m_measurement), readers::kindName(*kind),
                                        io::pathText(m_graph), readers::kindName(*other)));
        if (!m_plan.empty() || m_at.isGiven())
            throw VerbError(ErrorKind::Usage,
                            "Comparing two profiles takes neither a third file nor --at.");
        m_profiles.first = m_measurement;
        m_profiles.second = m_graph;
        m_profiles.device = ordinal();
        if (isGiven("--device") && !m_profiles.device)
            throw VerbError(ErrorKind::Usage,
                            fmt::format("--device takes the number of a device for profiles, not "
                                        "\"{}\".",
                                        base::printable(m_device, 40)));
        return diffProfiles(m_profiles, common());
    }
    /// --device as the number of a profile's device; none if it is something else.
    [[nodiscard]] std::optional<int> ordinal() const
    {
        int number = 0;
        const char* const last = m_device.data() + m_device.size();
        const auto [end, error] = std::from_chars(m_device.data(), last, number);
        return isGiven("--device") && error == std::errc{} && end == last ? std::optional{number}
                                                                          : std::nullopt;
    }
    Answer compareWithGraph(bool isGraphFirst)
    {
        if (isGiven("--by") || isGiven("--top"))
            throw VerbError(ErrorKind::Usage, "--by and --top are for two memory profiles.");
        WaterfallInput input{isGraphFirst ? m_measurement : m_graph,
                             isGraphFirst ? m_graph : m_measurement,
                             m_plan,
                             ordinal(),
                             {},
                             plan::keepEverything()};
        if (input.ordinal)
            m_device = plan::kDefaultDevice;
        if (m_plan.empty()) {
            input.problem = problemOf(input.graph);
        } else {
            PlanInput read = readPlan(m_plan, input.graph, m_at, common());
            const graph::Program& program = *read.problem.step();
            if (!m_at.isGiven() && !compare::otherSize(read.file, program).empty())
                throw VerbError(ErrorKind::File,
                                io::pathText(m_plan) + ": " + otherSizeText(read.file, program));
            compare::PredictedStep step = legalStep(m_plan, std::move(read));
            input.problem = plan::singleProcess(step.problem); // a rank's memory isn't its own
            input.decisions = std::move(step.plan);
        }
        return diffWaterfall(std::move(input), common());
    }
    Answer comparePlans() const
    {
        if (m_plan.empty())
            throw VerbError(ErrorKind::Usage,
                            "Comparing two plans needs their graph: diff PLAN PLAN GRAPH.");
        const compare::PredictedStep first = stepOfPlan(m_measurement);
        return describeSteps("plans", first, stepOfPlan(m_graph));
    }
    Answer compareGraphs() const
    {
        if (!m_plan.empty())
            throw VerbError(ErrorKind::Usage,
                            "Comparing two graphs takes no third file: diff GRAPH GRAPH.");
        const compare::PredictedStep first = stepOfGraph(m_measurement);
        return describeSteps("graphs", first, stepOfGraph(m_graph));
    }

    plan::Problem problemOf(const std::string& graph) const
    {
        plan::Problem problem;
        problem.device = orThrow(workspace::chooseDevice(m_device));
        problem.program = readGraph(graph, m_at, common()).program;
        return problem;
    }
    compare::PredictedStep stepOfGraph(const std::string& path) const
    {
        compare::PredictedStep step;
        step.problem = problemOf(path);
        step.plan = plan::keepEverything();
        step.evaluation = plan::evaluate(step.problem, step.plan);
        return step;
    }
    /// Loads a plan that may be over its budget but can run.
    compare::PredictedStep stepOfPlan(const std::string& path) const
    {
        return legalStep(path, readPlan(path, m_plan, m_at, common()));
    }
    static compare::PredictedStep legalStep(const std::string& path, PlanInput input)
    {
        compare::PredictedStep step{std::move(input.problem), std::move(input.file.plan), nullptr};
        const plan::Verification replay = plan::verify(step.problem, step.plan);
        if (!plan::isLegal(replay))
            throw VerbError(ErrorKind::CheckFailed, path + ": " + replay.faults.front().sentence);
        step.evaluation = plan::evaluate(step.problem, step.plan);
        orThrow(plan::agreement(replay, *step.evaluation));
        return step;
    }

    /// `other`: why the measurement belongs to something else, if it does.
    void refuseForeign(const std::string& other) const
    {
        if (!other.empty())
            throw VerbError(ErrorKind::File, io::pathText(m_measurement) + ": " + other);
    }

    /// Predicts with the measured allocator's rounding and without a reserve.
    Predicted predict(const compare::Measurement& measurement, bool planned)
    {
        Predicted predicted;
        plan::Plan decisions = plan::keepEverything();
        if (planned) {
            PlanInput input = readPlan(m_plan, m_graph, m_at, common());
            refuseForeign(compare::otherPlan(*measurement.runs[1].plan, input.file));
            compare::PredictedStep step = legalStep(m_plan, std::move(input));
            predicted.problem = plan::singleProcess(step.problem); // as measure() runs it
            decisions = std::move(step.plan);
        } else {
            predicted.problem = problemOf(m_graph);
        }
        refuseForeign(compare::otherStep(measurement, *predicted.problem.step()));
        predicted.problem.rounding = compare::roundingOf(measurement.backend);
        predicted.problem.reserve = {};
        predicted.evaluation = plan::evaluate(predicted.problem, decisions);
        return predicted;
    }

    static void describe(Answer& answer, const compare::Measurement& measurement,
                         const compare::MeasuredRun& run, const Predicted& predicted)
    {
        compare::Comparison comparison =
            compare::compareRun(run, predicted.problem, *predicted.evaluation, kGaps);
        const std::string otherTimes = compare::otherTimes(measurement, predicted.problem);
        if (!otherTimes.empty())
            leaveOutTimes(comparison);
        ordered_json json = {
            {"planned", run.plan.has_value()}, {"device", predicted.problem.device.id},
            {"same_ops", sameOps(comparison)}, {"other_ops", comparison.otherOps},
            {"other_times", otherTimes},       {"rows", ordered_json::array()},
            {"gaps", ordered_json::array()}};
        answer.text += fmt::format("{}\n  {:<16}{:>30}{:>30}{:>14}\n",
                                   run.plan ? "With the plan" : "Without a plan", "", "predicted",
                                   "measured", "");
        for (const compare::Row& row : comparison.rows) {
            json["rows"].push_back(rowJson(row));
            if (row.measured)
                answer.text += fmt::format("  {:<16}{:>30}{:>30}{:>14}\n", row.name,
                                           valueText(row.predicted, row.unit),
                                           valueText(row.measured, row.unit),
                                           differenceText(row.predicted, row.measured, row.unit));
        }
        if (!otherTimes.empty())
            answer.text += "  " + otherTimes + "\n";
        if (!comparison.opsKnown)
            answer.text += "  The measurement has no ops of this run: only its peak, its time and "
                           "the memory before the step are compared.\n";
        if (!comparison.otherOps.empty())
            answer.text += "  " + comparison.otherOps + "\n";
        if (!comparison.gaps.empty())
            answer.text += "  largest differences, measured minus predicted:\n";
        for (const compare::Gap& gap : comparison.gaps) {
            json["gaps"].push_back(gapJson(gap, predicted));
            answer.text += gapText(gap, predicted);
        }
        answer.json["runs"].push_back(std::move(json));
    }

    std::string m_measurement;
    std::string m_graph;
    AtOption m_at;
    std::string m_plan;
    std::string m_device{plan::kDefaultDevice};
    ProfilePair m_profiles;
};

} // namespace

std::unique_ptr<Verb> diffVerb(CLI::App& app)
{
    return std::make_unique<Diff>(app);
}

} // namespace plimsoll::cli
