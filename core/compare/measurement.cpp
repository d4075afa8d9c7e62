// SPDX-License-Identifier: Apache-2.0
#include "core/compare/measurement.h"

#include "core/base/try.h"
#include "core/base/unicode.h"
#include "core/graph/fingerprint.h"
#include "core/io/json_text.h"
#include "core/plan_file/plan_json_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace plimsoll::compare {

namespace {

using base::Bytes;
using base::ErrorKind;
using base::failure;
using base::Nanoseconds;
using base::Result;
using nlohmann::json;
using plan::detail::Field;

constexpr auto kFormat = "plimsoll-measurement";
constexpr int kVersion = 1;
constexpr std::size_t kColumns = 6;
constexpr std::int64_t kLongestOp = 1000000000000000; ///< ns: eleven days

/// A number that may be null.
std::optional<std::int64_t> numberOf(const Field& field)
{
    return field.value().is_null() ? std::nullopt : std::optional{field.integer()};
}

std::optional<Bytes> bytesOf(const Field& field)
{
    const std::optional<std::int64_t> number = numberOf(field);
    return number ? std::optional{Bytes{*number}} : std::nullopt;
}

/// A text that may be null, which is the same as empty.
std::string textOf(const Field& field)
{
    return field.value().is_null() ? std::string{} : field.text();
}

MeasuredOp readOp(const Field& row, const MeasuredRun& run)
{
    MeasuredOp op;
    if (row.size() < kColumns) {
        row.fail(fmt::format("must be an array of {} numbers", kColumns));
        return op;
    }
    const auto index = [&](std::size_t column, std::size_t count) {
        return static_cast<std::uint32_t>(
            row[column].integer(static_cast<std::int64_t>(count) - 1));
    };
    op.target = index(0, run.targets.size());
    op.phase = static_cast<graph::Phase>(index(1, graph::kPhaseCount));
    if (row[2].value() != -1)
        op.recomputeOf = index(2, run.ops.size());
    if (!row[3].value().is_null())
        op.time = Nanoseconds{row[3].integer(kLongestOp)};
    op.live = Bytes{row[4].integer()};
    op.allocator = bytesOf(row[5]);
    return op;
}

void readOps(const Field& fields, MeasuredRun& run)
{
    const Field targets = fields.array("targets");
    for (const json& target : targets.value()) {
        if (!target.is_string())
            return targets.fail("must be an array of strings");
        run.targets.push_back(target.get<std::string>());
    }
    const Field ops = fields.array("ops");
    for (std::size_t i = 0; i < ops.size(); ++i)
        run.ops.push_back(readOp(ops[i], run));
}

void readTimes(const Field& fields, MeasuredRun& run)
{
    if (const auto time = numberOf(fields.at("step_time_ns")))
        run.stepTime = Nanoseconds{*time};
    const Field times = fields.array("step_times_ns");
    for (std::size_t i = 0; i < times.size(); ++i)
        run.stepTimes.emplace_back(times[i].integer());
    if (!fields.isGood() || (!run.stepTime && run.stepTimes.empty()))
        return;
    const auto [least, most] = std::ranges::minmax_element(run.stepTimes);
    if (run.stepTimes.empty() || run.stepTime < *least || run.stepTime > *most)
        fields.fail("step_time_ns", "must lie within step_times_ns");
}

/// Checks the numbers of a run for consistency.
void checkRun(const Field& fields, const MeasuredRun& run)
{
    for (const auto& [key, peak] : {std::pair{"live_peak_bytes", run.livePeak},
                                    std::pair{"allocator_peak_bytes", run.allocatorPeak}})
        if (peak && *peak < run.resident)
            fields.fail(key, "must not be below resident_bytes");
    Bytes most;
    for (const MeasuredOp& op : run.ops)
        most = std::max(most, op.live);
    if (!run.ops.empty() && run.livePeak != most)
        fields.fail("live_peak_bytes",
                    fmt::format("must be what ops give, which is {}", most.count()));
    const auto first =
        std::ranges::find_if(run.ops, [most](const MeasuredOp& op) { return op.live == most; });
    if (first != run.ops.end() && fields.at("live_peak_op").value() != first - run.ops.begin())
        fields.fail("live_peak_op",
                    fmt::format("must be what ops give, which is {}", first - run.ops.begin()));
    if (run.allocatorPeakOp && *run.allocatorPeakOp >= std::max<std::size_t>(run.ops.size(), 1))
        fields.fail("allocator_peak_op", "must be a row of ops");
    graph::Fingerprint hash;
    for (const MeasuredOp& op : run.ops)
        hash.add(op.phase, run.targets[op.target]);
    if (!run.ops.empty() && run.fingerprint != hash.text())
        fields.fail("fingerprint", "must be that of ops, which is " + hash.text());
}

MeasuredRun readRun(const Field& fields)
{
    MeasuredRun run;
    if (const Field planned = fields.at("plan"); fields.isGood() && !planned.value().is_null()) {
        run.plan = MeasuredPlan{textOf(planned.at("runtime")), textOf(planned.at("granularity")),
                                textOf(planned.at("planner")), bytesOf(planned.at("budget_bytes")),
                                bytesOf(planned.at("peak_bytes"))};
        if (planned.has("freeze_stats"))
            planned.flag("freeze_stats", run.plan->freezeStats);
    }
    readTimes(fields, run);
    fields.whole("resident_bytes", run.resident);
    run.saved = bytesOf(fields.at("saved_bytes"));
    run.livePeak = bytesOf(fields.at("live_peak_bytes"));
    run.allocatorPeak = bytesOf(fields.at("allocator_peak_bytes"));
    run.reservedPeak = bytesOf(fields.at("reserved_peak_bytes"));
    if (const auto op = numberOf(fields.at("allocator_peak_op")))
        run.allocatorPeakOp = static_cast<std::size_t>(*op);
    run.fingerprint = textOf(fields.at("fingerprint"));
    readOps(fields, run);
    if (fields.isGood())
        checkRun(fields, run);
    return run;
}

void readRuns(const Field& runs, Measurement& measurement)
{
    if (runs.size() == 0 || runs.size() > 2)
        runs.fail("must hold one or two runs");
    for (std::size_t i = 0; i < runs.size(); ++i) {
        measurement.runs.push_back(readRun(runs[i]));
        if (measurement.runs.back().plan.has_value() != (i == 1))
            runs.fail("must be a run without a plan, then optionally one with a plan");
    }
}

} // namespace

bool looksLikeMeasurement(std::string_view head)
{
    return base::fromFirstCharacter(head).starts_with('{')
           && head.substr(0, 4096).find(fmt::format("\"{}\"", kFormat)) != std::string_view::npos;
}

Result<Measurement> readMeasurement(std::string_view text)
try {
    ASSIGN_OR_RETURN(const json root, io::parseJson(text));
    Result<void> state;
    const Field fields{root, "", state};
    if (fields.at("format").text() != kFormat)
        fields.fail("format", fmt::format("must be \"{}\"", kFormat));
    const std::int64_t version = fields.at("version").integer();
    if (version > kVersion)
        return failure(ErrorKind::File, fmt::format("This measurement has version {}; this program "
                                                    "reads up to version {}: update Plimsoll.",
                                                    version, kVersion));
    if (version < 1)
        fields.fail("version", "must be 1");
    Measurement measurement;
    fields.text("exporter", measurement.exporter);
    fields.text("torch", measurement.torch);
    fields.text("model", measurement.model);
    fields.text("model_class", measurement.modelClass);
    if (fields.has("batch")) // older files lack this key
        fields.text("batch", measurement.batch);
    const std::string backend = fields.at("backend").text();
    if (backend != "cpu" && backend != "cuda")
        fields.fail("backend", "must be \"cpu\" or \"cuda\"");
    measurement.backend = backend == "cuda" ? Backend::Cuda : Backend::Cpu;
    fields.text("device", measurement.device);
    fields.whole("threads", measurement.threads);
    readRuns(fields.array("runs"), measurement);
    if (!state)
        return tl::unexpected{
            plan::detail::advised(state.error(), "measure again with plimsoll.measure()")};
    return measurement;
} catch (const std::bad_alloc&) {
    return io::tooLarge();
}

} // namespace plimsoll::compare
