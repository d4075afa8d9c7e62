// SPDX-License-Identifier: Apache-2.0
#include "core/compare/step_times.h"

#include "core/base/format.h"
#include "core/base/limits.h"
#include "core/base/try.h"
#include "core/device/op_times.h"
#include "core/io/json_text.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ctime>
#include <new>
#include <utility>

namespace plimsoll::compare {

namespace {

using base::ErrorKind;
using base::Nanoseconds;
using base::Result;
using nlohmann::json;

constexpr int kTimesFormat = 1;
/// The longest time of an op, so that the sums of a graph's stay within 64 bits: 50 minutes, as for
/// times that are modelled.
constexpr std::int64_t kLongest = 3'000'000'000'000;

std::size_t measuredCount(const std::vector<std::optional<Nanoseconds>>& ops)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(ops, [](const auto& time) { return time.has_value(); }));
}

/// "2026-03-01", in UTC.
std::string dateText(std::int64_t epochNs)
{
    constexpr std::int64_t kSecond = 1'000'000'000;
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(epochNs / kSecond)));
}

tl::unexpected<base::Error> notTimes()
{
    return base::failure(ErrorKind::File,
                         "The measured times kept in the session can't be read; use the profile "
                         "again.");
}

} // namespace

std::size_t StepTimes::measuredOps() const
{
    return measuredCount(ops);
}

graph::ProgramPtr withTimes(const graph::ProgramPtr& program, const StepTimes& times)
{
    auto timed = std::make_shared<graph::Program>(*program);
    for (std::size_t op = 0; op < timed->ops.size(); ++op) {
        timed->ops[op].measured = times.ops[op];
        if (timed->ops[op].measured)
            timed->ops[op].measured =
                Nanoseconds{std::clamp<std::int64_t>(times.ops[op]->count(), 0, kLongest)};
    }
    timed->header.assumed.push_back(fmt::format(
        "times: {}; those of the other ops follow from flops and bytes", sourceText(times)));
    for (const std::string& note : times.notes)
        timed->header.assumed.push_back("times: " + note);
    return timed;
}

double TimeShares::modelledPercent() const
{
    const double all =
        static_cast<double>(measured.count()) + static_cast<double>(modelled.count());
    return all > 0 ? 100 * static_cast<double>(modelled.count()) / all : 0;
}

TimeShares timeShares(const graph::Program& program, const plan::Device& device)
{
    TimeShares shares;
    const std::vector<Nanoseconds> times = plan::opTimes(program, device);
    for (std::size_t op = 0; op < times.size(); ++op) {
        const bool isMeasured = program.ops[op].measured.has_value();
        ++(isMeasured ? shares.measuredOps : shares.modelledOps);
        (isMeasured ? shares.measured : shares.modelled) += times[op];
    }
    return shares;
}

std::string sourceText(const StepTimes& times)
{
    std::string text = fmt::format(
        "{} of {} measured in {} of {}", times.measuredOps(), base::counted(times.ops.size(), "op"),
        base::printable(times.step, 60), base::printable(times.file, 100));
    if (!times.device.empty())
        text += ", " + base::printable(times.device, 60);
    if (times.epochNs > 0)
        text += ", " + dateText(times.epochNs);
    return text;
}

std::string writeStepTimes(const StepTimes& times)
{
    json ops = json::array();
    for (const std::optional<Nanoseconds>& time : times.ops)
        ops.push_back(time ? json(time->count()) : json(nullptr));
    const json all{{"format", kTimesFormat},    {"file", times.file},
                   {"step", times.step},        {"device", times.device},
                   {"epoch_ns", times.epochNs}, {"other_ns", times.otherTime.count()},
                   {"notes", times.notes},      {"ops", std::move(ops)}};
    return all.dump(-1, ' ', false, json::error_handler_t::replace);
}

Result<StepTimesPtr> readStepTimes(std::string_view text, std::size_t ops)
try {
    ASSIGN_OR_RETURN(const json all, io::parseJson(text));
    if (!all.is_object() || all.value("format", 0) != kTimesFormat)
        return notTimes();
    auto times = std::make_shared<StepTimes>();
    times->file = all.at("file").get<std::string>();
    times->step = all.at("step").get<std::string>();
    times->device = all.at("device").get<std::string>();
    times->epochNs = all.at("epoch_ns").get<std::int64_t>();
    times->otherTime = Nanoseconds{all.at("other_ns").get<std::int64_t>()};
    times->notes = all.at("notes").get<std::vector<std::string>>();
    for (const json& time : all.at("ops")) {
        if (!time.is_null() && !time.is_number_integer())
            return notTimes();
        times->ops.push_back(time.is_null() ? std::nullopt
                                            : std::optional{Nanoseconds{std::clamp<std::int64_t>(
                                                time.get<std::int64_t>(), 0, kLongest)}});
    }
    if (times->ops.size() != ops)
        return notTimes();
    return StepTimesPtr{std::move(times)};
} catch (const json::exception&) {
    return notTimes();
} catch (const std::bad_alloc&) {
    return notTimes();
}

} // namespace plimsoll::compare
