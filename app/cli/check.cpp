// SPDX-License-Identifier: Apache-2.0
#include "app/cli/graph_input.h"
#include "app/cli/plan/evaluation_json.h"
#include "app/cli/plan/run_json.h"
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/base/budget.h"
#include "core/base/format.h"
#include "core/evaluate/certify.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace plimsoll::cli {

namespace {

struct NamedFault
{
    std::string kind;
    std::string sentence;
};

void compare(std::vector<NamedFault>& faults, const char* what, std::int64_t written,
             std::int64_t evaluated)
{
    if (written != evaluated)
        faults.push_back({"different_evaluation",
                          fmt::format("The file says {} is {}, but the evaluation gives {}.", what,
                                      written, evaluated)});
}

void compareNumbers(std::vector<NamedFault>& faults, const plan::PlanFileInfo& info,
                    const plan::Evaluation& evaluation, const plan::Evaluation& base)
{
    compare(faults, "peak_bytes", info.peak.count(), evaluation.peak.count());
    compare(faults, "peak_op", info.peakOp, static_cast<std::int64_t>(evaluation.peakOp.index()));
    compare(faults, "base_peak_bytes", info.basePeak.count(), base.peak.count());
    compare(faults, "step_time_ns", info.stepTime.count(), evaluation.stepTime.count());
    compare(faults, "base_step_time_ns", info.baseStepTime.count(), base.stepTime.count());
    compare(faults, "recompute_time_ns", info.recomputeTime.count(),
            evaluation.recomputeTime.count());
}

/// Whether the file has the plan's bytes, and other times.
bool areOfTimes(const std::vector<NamedFault>& faults)
{
    return !faults.empty() && std::ranges::all_of(faults, [](const NamedFault& fault) {
        return fault.sentence.find("_time_ns") != std::string::npos;
    });
}

class Check : public Verb
{
public:
    explicit Check(CLI::App& app) : Verb{app, "check", "Verify an exported plan against its graph"}
    {
        command().add_option("PLAN", m_plan, "Plan file (.json)")->required();
        command().add_option("GRAPH", m_graph, "Graph that the plan was made for")->required();
        m_at.addTo(command());
        m_times.addTo(command());
        command().add_option("--max-peak", m_maxPeak,
                             "Fail above this peak: 6GiB, or 50% of the unplanned peak");
        command().add_option(
            "--max-slowdown", m_maxSlowdown,
            "Fail if the step is slower than unplanned by more than this, such as 20%");
        CLI::Option* runs = command().add_flag(
            "--runs", m_mustRun,
            "Fail if PyTorch's allocator runs out of memory on a device with the plan's budget");
        m_allocator.addTo(command())->needs(runs);
        close("Example: plimsoll-cli check plan.json model.plimsoll.json.gz --max-peak 6GiB");
    }

    [[nodiscard]] Answer run() override
    {
        const Stopwatch clock;
        parseLimits();
        const PlanInput input = readPlan(m_plan, m_graph, m_at, common(), &m_times);
        Answer answer = judge(input.file, input.problem);
        answer.json["times"] = m_times.json(input.problem);
        answer.json["seconds"] = clock.seconds();
        answer.text += m_times.text(input.problem);
        return answer;
    }

private:
    void parseLimits()
    {
        if (!m_maxPeak.empty())
            m_peakLimit = orThrow(base::parseBudget(m_maxPeak));
        if (!m_maxSlowdown.empty())
            m_slowdownLimit = orThrow(base::parsePercent(m_maxSlowdown));
        m_allocatorSettings = m_allocator.settings();
    }

    /// Shows the numbers even if the plan is over its budget, but not if its regions are illegal:
    /// then there are none.
    Answer judge(const plan::PlanFile& file, const plan::Problem& problem) const
    {
        const plan::Verification verification = plan::verify(problem, file.plan);
        std::vector<NamedFault> faults;
        for (const plan::Fault& fault : verification.faults)
            faults.push_back({plan::faultName(fault.kind), fault.sentence});
        Answer answer;
        answer.json = {{"file", m_plan}, {"graph", m_graph}};
        // A plan is valid at any size; the numbers in its file are those of its own size.
        const bool madeHere = file.info.batch == problem.step()->header.batch;
        const bool sameSize = !m_at.isGiven() || madeHere;
        if (plan::isLegal(verification)) {
            const plan::EvaluationPtr evaluation = plan::evaluate(problem, file.plan);
            orThrow(plan::agreement(verification, *evaluation));
            const plan::EvaluationPtr base = plan::evaluate(problem, plan::keepEverything());
            if (sameSize)
                compareNumbers(faults, file.info, *evaluation, *base);
            checkLimits(faults, *evaluation, *base);
            answer.json["planner"] = file.provenance.asked.planner;
            answer.json["device"] = problem.device.id;
            answer.json["budget_bytes"] = problem.budget.count();
            answer.json["reserve_bytes"] = problem.reserve.count();
            addEvaluation(answer.json, problem, file.plan, *evaluation, *base);
            answer.text = evaluationText(problem, file.plan, *evaluation, *base);
            addAddresses(answer, problem, file.plan);
            answer.json["run"] = nullptr;
            if (m_mustRun)
                addRun(answer, faults, problem, file.plan);
        } else {
            addNoMemory(answer.json);
        }
        answer.json["ok"] = faults.empty();
        answer.json["verified"] = faults.empty();
        answer.json["faults"] = ordered_json::array();
        for (const NamedFault& fault : faults) {
            answer.json["faults"].push_back({{"kind", fault.kind}, {"sentence", fault.sentence}});
            answer.error += fmt::format("{}{}: {}", answer.error.empty() ? "" : "\n", fault.kind,
                                        base::printable(fault.sentence, 1000));
        }
        if (!faults.empty() && !madeHere && !m_at.isGiven()) {
            answer.json["made_at"] = file.info.batch;
            answer.error += "\nhint: " + otherSizeText(file, *problem.step());
        }
        if (madeHere && !m_times.isGiven() && areOfTimes(faults))
            answer.error +=
                "\nhint: only times differ; a plan that was made with measured times is "
                "checked with --times PROFILE.";
        answer.exit = faults.empty() ? Exit::Done : Exit::GateFailed;
        if (!sameSize) {
            answer.json["made_at"] = file.info.batch;
            answer.text += fmt::format(
                "  the plan was made at {}: the numbers in its file were not compared\n",
                base::printable(file.info.batch));
        }
        answer.text.insert(0, faults.empty() ? "The plan is verified.\n"
                                             : "The plan failed the check.\n");
        return answer;
    }

    /// A plan over its budget or against its pins still has a packed height.
    static void addAddresses(Answer& answer, plan::Problem problem, const plan::Plan& plan)
    {
        problem.budget = plan::kUnlimited;
        problem.pins.clear();
        const plan::VerifiedPlanPtr sure = orThrow(plan::certify(problem, plan));
        const solve::PlanMemory memory = orThrow(solve::planMemory(*sure, {}));
        addMemory(answer.json, memory);
        answer.text += memoryText(memory);
    }

    /// Of a plan over its budget, or against its pins, too.
    void addRun(Answer& answer, std::vector<NamedFault>& faults, plan::Problem problem,
                const plan::Plan& plan) const
    {
        const base::Bytes budget = std::exchange(problem.budget, plan::kUnlimited);
        problem.pins.clear();
        const plan::VerifiedPlanPtr sure = orThrow(plan::certify(problem, plan));
        Watch watch{common().quiet ? std::string{} : "Replaying the allocator"};
        const RunAnswer run{
            orThrow(run::willRun(*sure, m_allocatorSettings, budget, watch.context())),
            m_allocator.text()};
        answer.json["run"] = runJson(problem, run);
        answer.text += runText(problem, run);
        if (run.verdict.status == run::RunStatus::Fails)
            faults.push_back({"out_of_memory", failureText(problem, run)});
    }

    void checkLimits(std::vector<NamedFault>& faults, const plan::Evaluation& evaluation,
                     const plan::Evaluation& base) const
    {
        if (m_peakLimit && evaluation.peak > m_peakLimit->of(base.peak))
            faults.push_back(
                {"over_max_peak", fmt::format("The peak of {} exceeds the limit of {}.",
                                              base::exactBytesText(evaluation.peak),
                                              base::exactBytesText(m_peakLimit->of(base.peak)))});
        const double slowdown = overheadPercent(evaluation, base);
        if (m_slowdownLimit && slowdown > *m_slowdownLimit)
            faults.push_back({"over_max_slowdown",
                              fmt::format("The step takes {:.2f} % longer than unplanned, which "
                                          "exceeds the limit of {} %.",
                                          slowdown, *m_slowdownLimit)});
    }

    std::string m_plan;
    std::string m_graph;
    AtOption m_at;
    TimesOption m_times;
    std::string m_maxPeak;
    std::string m_maxSlowdown;
    bool m_mustRun = false;
    AllocatorOption m_allocator;
    allocator::AllocatorSettings m_allocatorSettings;
    std::optional<base::Budget> m_peakLimit;
    std::optional<double> m_slowdownLimit;
};

} // namespace

std::unique_ptr<Verb> checkVerb(CLI::App& app)
{
    return std::make_unique<Check>(app);
}

} // namespace plimsoll::cli
