// SPDX-License-Identifier: Apache-2.0
#include "core/compare/belongs.h"

#include "core/base/format.h"
#include "core/device/device_spec.h"
#include "core/device/op_times.h"
#include "core/evaluate/evaluate.h"
#include "core/plan_file/plan_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace plimsoll::compare {

namespace {

using base::printable;

/// The runs of letters and digits, in lower case.
std::set<std::string> wordsOf(std::string_view text)
{
    std::set<std::string> words;
    std::string word;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ' ';
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
            word += c;
        } else if (c >= 'A' && c <= 'Z') {
            word += static_cast<char>(c - 'A' + 'a');
        } else if (!word.empty()) {
            words.insert(word);
            word.clear();
        }
    }
    return words;
}

/// Whether the predicted time consists of measured times only.
bool isMeasured(const plan::Problem& problem)
{
    const std::vector<base::Nanoseconds> times = plan::opTimes(*problem.step(), problem.device);
    bool any = false;
    for (std::size_t op = 0; op < times.size(); ++op) {
        const bool known = problem.step()->ops[op].measured.has_value();
        if (times[op].count() > 0 && !known)
            return false;
        any = any || known;
    }
    return any;
}

const char* backendName(Backend backend)
{
    return backend == Backend::Cuda ? "cuda" : "cpu";
}

} // namespace

std::string otherStep(const Measurement& measurement, const graph::Program& program)
{
    const graph::Header& header = program.header;
    if (measurement.modelClass != header.modelClass)
        return fmt::format("The measurement is of a model of class {}, the graph of one of class "
                           "{}: use the graph of the model that was measured.",
                           printable(measurement.modelClass, 60), printable(header.modelClass, 60));
    if (!measurement.batch.empty() && measurement.batch != header.batch)
        return fmt::format(
            "The measured steps took {}, the graph's step takes {}: use a graph of that batch, or "
            "select it with --at if the graph was traced at several sizes.",
            printable(measurement.batch, 80), printable(header.batch, 80));
    return {};
}

std::string otherPlan(const MeasuredPlan& measured, const plan::PlanFile& file)
{
    const auto other = [](const char* what, const std::string& was, const std::string& is) {
        return fmt::format("The second run was measured under another plan: its {} was {}, this "
                           "plan's is {}; use the plan that it was measured under.",
                           what, printable(was, 40), printable(is, 40));
    };
    const std::string runtime = plan::runtimeName(file.plan.runtime());
    const std::string granularity = plan::granularityName(file.plan.granularity());
    if (measured.runtime != runtime)
        return other("runtime", measured.runtime, runtime);
    if (measured.granularity != granularity)
        return other("granularity", measured.granularity, granularity);
    if (measured.freezeStats != file.plan.freezeStats())
        return other("freeze_stats", measured.freezeStats ? "true" : "false",
                     file.plan.freezeStats() ? "true" : "false");
    if (measured.budget && *measured.budget != file.info.budget)
        return other("budget", base::exactBytesText(*measured.budget),
                     base::exactBytesText(file.info.budget));
    if (measured.peak && *measured.peak != file.info.peak)
        return other("peak", base::exactBytesText(*measured.peak),
                     base::exactBytesText(file.info.peak));
    return {};
}

std::string otherSize(const plan::PlanFile& file, const graph::Program& program)
{
    if (file.info.batch == program.header.batch)
        return {};
    return fmt::format("the plan was made at {}, this graph is at {}", printable(file.info.batch),
                       printable(program.header.batch));
}

std::string otherTimes(const Measurement& measurement, const plan::Problem& problem)
{
    const char* backend = backendName(measurement.backend);
    const std::string& target = problem.step()->header.target;
    if (target == backend
        && (isMeasured(problem)
            || (measurement.backend == Backend::Cuda
                && isDevice(measurement.device, problem.device))))
        return {};
    return fmt::format(
        "Times are not compared: the steps ran on {}, the prediction is for {}{}.",
        printable(measurement.device, 60),
        isMeasured(problem) ? "the ops that were measured" : printable(problem.device.name, 60),
        target == backend ? std::string{} : " for a graph traced for " + printable(target, 40));
}

bool isDevice(std::string_view measuredName, const plan::Device& device)
{
    const std::set<std::string> words =
        wordsOf(plan::isDeviceSpec(device.id) ? device.name : device.id);
    const std::set<std::string> seen = wordsOf(measuredName);
    return !words.empty() && std::includes(seen.begin(), seen.end(), words.begin(), words.end());
}

} // namespace plimsoll::compare
