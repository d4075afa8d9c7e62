// SPDX-License-Identifier: Apache-2.0
#include "core/compare/measurement.h"

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
using plan::detail::fail;
using plan::detail::Fields;
using plan::detail::integer;

constexpr auto kFormat = "plimsoll-measurement";
constexpr int kVersion = 1;
constexpr std::size_t kColumns = 6;
constexpr std::int64_t kLongestOp = 1000000000000000; ///< ns: eleven days

/// A number that may be null.
std::optional<std::int64_t> numberOf(const json& value, const std::string& where,
                                     Result<void>& state)
{
    if (value.is_null())
        return std::nullopt;
    return integer(value, where, state);
}

std::optional<Bytes> bytesOf(Fields& fields, const char* key, Result<void>& state)
{
    const std::optional<std::int64_t> number = numberOf(fields.at(key), fields.path(key), state);
    return number ? std::optional{Bytes{*number}} : std::nullopt;
}

/// A text that may be null, which is the same as empty.
std::string textOf(Fields& fields, const char* key)
{
    return fields.at(key).is_null() ? std::string{} : fields.text(key);
}

/// False where it isn't there.
bool flagOf(Fields& fields, const char* key)
{
    if (!fields.has(key))
        return false;
    const json& value = fields.at(key);
    if (!value.is_boolean())
        fields.fail(key, "must be true or false");
    return value == true;
}

std::optional<MeasuredOp> readOp(const json& row, const MeasuredRun& run, Result<void>& state)
{
    const std::string where = fmt::format("ops[{}]", run.ops.size());
    if (!row.is_array() || row.size() < kColumns) {
        fail(state, where, fmt::format("must be an array of {} numbers", kColumns));
        return std::nullopt;
    }
    const auto most = [](std::size_t count) { return static_cast<std::int64_t>(count) - 1; };
    MeasuredOp op;
    op.target =
        static_cast<std::uint32_t>(integer(row[0], where + "[0]", state, most(run.targets.size())));
    op.phase =
        static_cast<graph::Phase>(integer(row[1], where + "[1]", state, most(graph::kPhaseCount)));
    if (row[2] != -1)
        op.recomputeOf =
            static_cast<std::uint32_t>(integer(row[2], where + "[2]", state, most(run.ops.size())));
    if (!row[3].is_null())
        op.time = Nanoseconds{integer(row[3], where + "[3]", state, kLongestOp)};
    op.live = Bytes{integer(row[4], where + "[4]", state)};
    if (const auto bytes = numberOf(row[5], where + "[5]", state))
        op.allocator = Bytes{*bytes};
    return state ? std::optional{op} : std::nullopt;
}

void readOps(Fields& fields, MeasuredRun& run, Result<void>& state)
{
    for (const json& target : fields.array("targets")) {
        if (!target.is_string()) {
            fields.fail("targets", "must be an array of texts");
            return;
        }
        run.targets.push_back(target.get<std::string>());
    }
    for (const json& row : fields.array("ops")) {
        const std::optional<MeasuredOp> op = readOp(row, run, state);
        if (!op)
            return;
        run.ops.push_back(*op);
    }
}

void readTimes(Fields& fields, MeasuredRun& run, Result<void>& state)
{
    run.stepTime = Nanoseconds{fields.integer("step_time_ns")};
    for (const json& time : fields.array("step_times_ns"))
        run.stepTimes.emplace_back(integer(time, fields.path("step_times_ns"), state));
    if (!state)
        return;
    const auto [least, most] = std::ranges::minmax_element(run.stepTimes);
    if (run.stepTimes.empty() || run.stepTime < *least || run.stepTime > *most)
        fields.fail("step_time_ns", "must lie within step_times_ns");
}

/// What the numbers of a run say about one another.
void checkRun(Fields& fields, const MeasuredRun& run)
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
                    fmt::format("must be what ops say, which is {}", most.count()));
    const auto first =
        std::ranges::find_if(run.ops, [most](const MeasuredOp& op) { return op.live == most; });
    if (first != run.ops.end() && fields.at("live_peak_op") != first - run.ops.begin())
        fields.fail("live_peak_op",
                    fmt::format("must be what ops say, which is {}", first - run.ops.begin()));
    if (run.allocatorPeakOp && *run.allocatorPeakOp >= std::max<std::size_t>(run.ops.size(), 1))
        fields.fail("allocator_peak_op", "must be a row of ops");
    graph::Fingerprint hash;
    for (const MeasuredOp& op : run.ops)
        hash.add(op.phase, run.targets[op.target]);
    if (!run.ops.empty() && run.fingerprint != hash.text())
        fields.fail("fingerprint", "must be that of ops, which is " + hash.text());
}

MeasuredRun readRun(const json& value, const std::string& where, Result<void>& state)
{
    MeasuredRun run;
    Fields fields{value, where, state};
    if (const json& plan = fields.at("plan"); state && !plan.is_null()) {
        Fields planned{plan, where + ".plan", state};
        run.plan = MeasuredPlan{textOf(planned, "runtime"),
                                textOf(planned, "granularity"),
                                textOf(planned, "planner"),
                                bytesOf(planned, "budget_bytes", state),
                                bytesOf(planned, "peak_bytes", state),
                                flagOf(planned, "freeze_stats")};
    }
    readTimes(fields, run, state);
    run.resident = Bytes{fields.integer("resident_bytes")};
    run.saved = bytesOf(fields, "saved_bytes", state);
    run.livePeak = bytesOf(fields, "live_peak_bytes", state);
    run.allocatorPeak = bytesOf(fields, "allocator_peak_bytes", state);
    run.reservedPeak = bytesOf(fields, "reserved_peak_bytes", state);
    if (const auto op = bytesOf(fields, "allocator_peak_op", state))
        run.allocatorPeakOp = static_cast<std::size_t>(op->count());
    run.fingerprint = textOf(fields, "fingerprint");
    readOps(fields, run, state);
    if (state)
        checkRun(fields, run);
    return run;
}

void readRuns(Fields& fields, Measurement& measurement, Result<void>& state)
{
    const json& runs = fields.array("runs");
    if (state && (runs.empty() || runs.size() > 2))
        fields.fail("runs", "must hold one run or two");
    for (std::size_t i = 0; state && i < runs.size(); ++i) {
        measurement.runs.push_back(readRun(runs[i], fmt::format("runs[{}]", i), state));
        if (state && measurement.runs.back().plan.has_value() != (i == 1))
            fields.fail("runs", "must be one without a plan, then perhaps one with");
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
    const Result<json> root = io::parseJson(text);
    if (!root)
        return tl::unexpected{root.error()};
    Result<void> state;
    Fields fields{*root, "", state};
    if (state && fields.text("format") != kFormat && state)
        fields.fail("format", fmt::format("must be \"{}\"", kFormat));
    const std::int64_t version = fields.integer("version");
    if (state && version > kVersion)
        return failure(ErrorKind::File,
                       fmt::format("This measurement has version {}; this program reads up to "
                                   "version {}: get a newer Plimsoll.",
                                   version, kVersion));
    if (state && version < 1)
        fields.fail("version", "must be 1");
    Measurement measurement;
    measurement.exporter = fields.text("exporter");
    measurement.torch = fields.text("torch");
    measurement.model = fields.text("model");
    measurement.modelClass = fields.text("model_class");
    if (fields.has("batch")) // files of before it was written have no such key
        measurement.batch = fields.text("batch");
    const std::string backend = fields.text("backend");
    if (state && backend != "cpu" && backend != "cuda")
        fields.fail("backend", "must be \"cpu\" or \"cuda\"");
    measurement.backend = backend == "cuda" ? Backend::Cuda : Backend::Cpu;
    measurement.device = fields.text("device");
    measurement.threads = fields.integer("threads");
    readRuns(fields, measurement, state);
    if (!state)
        return tl::unexpected{
            plan::detail::advised(state.error(), "measure again, plimsoll.measure() writes it so")};
    return measurement;
} catch (const std::bad_alloc&) {
    return io::tooLarge();
}

} // namespace plimsoll::compare
