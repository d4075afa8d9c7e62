// SPDX-License-Identifier: Apache-2.0
#include "app/cli/diff/diff_steps.h"

#include "core/base/format.h"
#include "core/plan_file/plan_json.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

namespace plimsoll::cli {

namespace {

using compare::Decision;
using compare::Pair;
using compare::Unit;

constexpr double kLeastShown = 0.005; ///< percent; less rounds to 0.00
constexpr std::size_t kShown = 10;    ///< regions in the text; JSON has all

std::optional<std::int64_t> differenceOf(const Pair& pair)
{
    return pair.first && pair.second ? std::optional{*pair.second - *pair.first} : std::nullopt;
}

ordered_json pairJson(const Pair& pair)
{
    const std::string unit = pair.unit == Unit::Bytes ? "_bytes" : "_ns";
    return {{"name", pair.name},
            {"a" + unit, orNull(pair.first)},
            {"b" + unit, orNull(pair.second)},
            {"difference" + unit, orNull(differenceOf(pair))}};
}

std::string pairText(const Pair& pair)
{
    return fmt::format("  {:<16}{:>30}{:>30}{:>14}\n", pair.name, valueText(pair.first, pair.unit),
                       valueText(pair.second, pair.unit),
                       differenceText(pair.first, pair.second, pair.unit));
}

ordered_json decisionsJson(const std::vector<Decision>& decisions, bool isStep)
{
    ordered_json rows = ordered_json::array();
    for (const Decision& decision : decisions) {
        ordered_json ops = ordered_json::array();
        for (const graph::OpId op : decision.ops)
            ops.push_back(op.index());
        if (isStep)
            rows.push_back({{"before", decision.first}, {"again", std::move(ops)}});
        else
            rows.push_back({{"first", decision.first},
                            {"last", decision.last},
                            {"depth", decision.depth},
                            {"save", std::move(ops)}});
    }
    return rows;
}

std::string decisionsText(const char* side, const std::vector<Decision>& decisions, bool isStep)
{
    std::string text;
    for (std::size_t i = 0; i < decisions.size() && i < kShown; ++i) {
        const Decision& decision = decisions[i];
        text +=
            isStep ? fmt::format("  only {}: before op {}, {} recomputed\n", side, decision.first,
                                 base::counted(decision.ops.size(), "op"))
                   : fmt::format("  only {}: region of ops {} to {}{}\n", side, decision.first,
                                 decision.last,
                                 decision.ops.empty()
                                     ? std::string{}
                                     : ", keeping " + base::counted(decision.ops.size(), "result"));
    }
    if (decisions.size() > kShown)
        text += fmt::format("  only {}: {} more\n", side, decisions.size() - kShown);
    return text;
}

} // namespace

std::string valueText(std::optional<std::int64_t> value, compare::Unit unit)
{
    if (!value)
        return "-";
    return unit == compare::Unit::Bytes ? base::exactBytesText(base::Bytes{*value})
                                        : base::timeText(base::Nanoseconds{*value});
}

std::string differenceText(std::optional<std::int64_t> first, std::optional<std::int64_t> second,
                           compare::Unit unit)
{
    if (!first || !second)
        return "";
    const std::int64_t difference = *second - *first;
    if (difference == 0)
        return "equal";
    const double percent = 100.0 * static_cast<double>(difference) / static_cast<double>(*first);
    if (*first != 0 && std::abs(percent) >= kLeastShown)
        return fmt::format("{:+.2f} %", percent);
    return (difference > 0 ? "+" : "") + valueText(difference, unit);
}

Answer describeSteps(const std::string& kind, const compare::PredictedStep& first,
                     const compare::PredictedStep& second)
{
    const compare::StepDifference found = compare::compareSteps(first, second);
    const bool isStep = first.plan.isCompiledStep();
    const bool isOtherStep = second.plan.isCompiledStep();
    const bool isOneDevice = first.problem.device == second.problem.device;
    Answer answer;
    answer.json = {{"kind", kind},
                   {"device_a", first.problem.device.id},
                   {"device_b", second.problem.device.id},
                   {"runtime_a", plan::runtimeName(first.plan.runtime())},
                   {"runtime_b", plan::runtimeName(second.plan.runtime())},
                   {"rows", ordered_json::array()}};
    answer.text = fmt::format("  {:<16}{:>30}{:>30}\n", "", "A", "B");
    for (Pair pair : found.pairs) {
        if (pair.unit == Unit::Nanoseconds && !isOneDevice)
            continue;
        answer.json["rows"].push_back(pairJson(pair));
        if (pair.first || pair.second)
            answer.text += pairText(pair);
    }
    if (!isOneDevice)
        answer.text += fmt::format("  Times are not compared: A is for {}, B for {}.\n",
                                   base::printable(first.problem.device.name, 60),
                                   base::printable(second.problem.device.name, 60));
    answer.json["same_ops"] = !found.op.has_value();
    answer.json["first_other_op"] = nullptr;
    if (found.op) {
        answer.json["first_other_op"] = {
            {"step", found.op->step}, {"a", found.op->first}, {"b", found.op->second}};
        answer.text += fmt::format("  Execution {} is the first that differs: {} in A, {} in B.\n",
                                   found.op->step, base::printable(found.op->first, 100),
                                   base::printable(found.op->second, 100));
    } else {
        answer.text += "  The same ops run in the same order.\n";
    }
    answer.json["only_a"] = decisionsJson(found.onlyFirst, isStep);
    answer.json["only_b"] = decisionsJson(found.onlySecond, isOtherStep);
    answer.text += decisionsText("A", found.onlyFirst, isStep)
                   + decisionsText("B", found.onlySecond, isOtherStep);
    return answer;
}

} // namespace plimsoll::cli
