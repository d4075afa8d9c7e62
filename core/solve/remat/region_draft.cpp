// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/region_draft.h"

#include "core/device/op_times.h"
#include "core/solve/regions/savable.h"

#include <algorithm>

namespace plimsoll::solve {

using graph::kBeforeStep;
using graph::kNever;
using graph::OpId;
using graph::OpIndex;
using graph::StorageId;

namespace {

std::size_t at(OpIndex moment)
{
    return static_cast<std::size_t>(moment);
}

std::size_t segmentAt(const RegionDraft& draft, OpIndex op)
{
    const auto next = std::ranges::upper_bound(draft.begins, op);
    return static_cast<std::size_t>(next - draft.begins.begin()) - 1;
}

/// The op that runs at the peak, or that the recomputation at the peak runs for.
OpIndex nowOf(const plan::Evaluation& evaluation)
{
    const std::vector<std::int32_t>& steps = evaluation.schedule->stepOfOp;
    const auto peak = static_cast<std::int32_t>(evaluation.peakStep);
    return static_cast<OpIndex>(std::ranges::lower_bound(steps, peak) - steps.begin());
}

} // namespace

RegionDrafts::RegionDrafts(const plan::Problem& problem, const RegionSpace& space)
    : m_problem{problem}
    , m_program{*problem.step()}
    , m_space{space}
    , m_forward{static_cast<OpIndex>(problem.step()->forwardCount())}
    , m_keepable{keepableOps(problem)}
    , m_made(at(m_forward), 0)
    , m_waiting(at(m_forward), 0)
    , m_packed(at(m_forward), kBeforeStep)
    , m_lastUse(at(m_forward), kBeforeStep)
    , m_unpack(at(m_forward), kNever)
    , m_reach(at(m_forward), 0)
    , m_passing(at(m_forward))
    , m_stop(at(m_forward), 0)
{
    for (const base::Nanoseconds time : plan::opTimes(m_program, problem.device))
        m_time.push_back(static_cast<double>(time.count()));
    indexOps();
    indexUses();
    constexpr std::size_t kMostCuts = 1000;
    m_cuts = Cuts{m_program, cutRuleOf(space.granularity()), kMostCuts}.positions();
}

void RegionDrafts::indexOps()
{
    for (const graph::Saved& row : m_program.saved)
        if (const auto op = static_cast<OpIndex>(row.op.index()); op < m_forward)
            m_stop[at(op)] = std::max(m_stop[at(op)], op + (row.afterKernel ? 1 : 0));
    for (OpIndex op = 1; op < m_forward; ++op)
        m_stop[at(op)] = std::max(m_stop[at(op)], m_stop[at(op - 1)]);
    std::vector<bool> isWaiting(m_program.storages.size(), false);
    for (const graph::Saved& row : m_program.saved) {
        const StorageId storage = m_program.tensor(row.tensor).storage;
        const OpIndex alloc = m_program.storage(storage).alloc;
        if (!row.unpack || row.op.index() >= at(m_forward))
            continue;
        OpIndex& unpack = m_unpack[row.op.index()];
        unpack = std::min(unpack, *row.unpack);
        if (alloc < 0 || alloc >= m_forward)
            continue;
        isWaiting[storage.index()] = true;
        m_packed[at(alloc)] = std::max(m_packed[at(alloc)], static_cast<OpIndex>(row.op.index()));
    }
    for (std::size_t index = 0; index < m_program.storages.size(); ++index) {
        const graph::Storage& storage = m_program.storages[index];
        if (storage.alloc < 0 || storage.alloc >= m_forward || storage.isScratch())
            continue;
        const std::int64_t bytes = graph::rounded(storage.bytes, m_problem.rounding).count();
        m_made[at(storage.alloc)] += bytes;
        if (isWaiting[index])
            m_waiting[at(storage.alloc)] += bytes;
    }
}

void RegionDrafts::indexUses()
{
    for (OpIndex op = 0; op < m_forward; ++op) {
        const graph::Op& row = m_program.ops[at(op)];
        m_reach[at(op)] = op;
        for (const std::vector<graph::TensorId>* tensors : {&row.reads, &row.writes, &row.outputs})
            for (const graph::TensorId tensor : *tensors) {
                const OpIndex maker = m_program.storageOf(tensor).alloc;
                if (maker < 0 || maker >= m_forward)
                    continue;
                m_lastUse[at(maker)] = std::max(m_lastUse[at(maker)], op);
                if (maker < op && m_packed[at(maker)] == kBeforeStep) {
                    m_reach[at(op)] = std::min(m_reach[at(op)], m_reach[at(maker)]);
                    m_passing[at(op)].push_back(maker);
                }
            }
    }
}

RegionDraft RegionDrafts::blank(CutRule rule, std::size_t segments) const
{
    RegionDraft draft;
    draft.begins = Cuts{m_program, rule, segments}.positions();
    draft.recomputed.assign(at(m_forward), false);
    draft.kept.assign(at(m_forward), false);
    for (std::size_t op = 0; op < draft.kept.size(); ++op)
        draft.kept[op] = m_keepable[op] && m_waiting[op] > 0 && m_time[op] > 0;
    return draft;
}

/// A region keeps the inputs passed to it until backward, even those that only forward needs. If
/// those are large, the ops that make them belong into the region.
std::size_t RegionDrafts::homeOf(const RegionDraft& draft, OpIndex op) const
{
    const std::size_t home = segmentAt(draft, op);
    std::int64_t held = 0;
    for (const OpIndex maker : m_passing[at(op)])
        held += maker < draft.begins[home] ? m_made[at(maker)] : 0;
    return !draft.joins || 2 * held < m_waiting[at(op)] ? home : segmentAt(draft, m_reach[at(op)]);
}

RegionDraft RegionDrafts::allAgain(RegionDraft draft) const
{
    for (OpIndex op = 0; op < m_forward; ++op)
        if (m_packed[at(op)] != kBeforeStep
            && segmentAt(draft, op) == segmentAt(draft, std::max(op, m_packed[at(op)])))
            draft.recomputed[at(op)] = true;
    return draft;
}

void RegionDrafts::drop(RegionDraft& draft, OpId op) const
{
    const auto moment = static_cast<OpIndex>(op.index());
    const auto first = static_cast<std::ptrdiff_t>(homeOf(draft, moment));
    const auto last =
        static_cast<std::ptrdiff_t>(segmentAt(draft, std::max(moment, m_packed[op.index()])));
    draft.begins.erase(draft.begins.begin() + first + 1, draft.begins.begin() + last + 1);
    draft.recomputed[op.index()] = true;
}

std::vector<RegionDrafts::Segment> RegionDrafts::segmentsOf(const RegionDraft& draft) const
{
    std::vector<Segment> segments;
    for (std::size_t index = 0; index < draft.begins.size(); ++index) {
        Segment segment;
        segment.begin = draft.begins[index];
        segment.end = index + 1 < draft.begins.size() ? draft.begins[index + 1] : m_forward;
        for (OpIndex op = segment.begin; op < segment.end; ++op)
            if (draft.recomputed[at(op)]) {
                segment.recomputeSpan.first =
                    std::min(segment.recomputeSpan.first, std::max(segment.begin, m_reach[at(op)]));
                segment.recomputeSpan.last =
                    std::max({segment.recomputeSpan.last, op, m_packed[at(op)]});
            }
        segments.push_back(segment);
    }
    return segments;
}

std::optional<RegionDrafts::Span> RegionDrafts::legalAround(const Segment& segment)
{
    const auto [found, isNew] = m_legal.try_emplace(
        {segment.begin, segment.end, segment.recomputeSpan.first, segment.recomputeSpan.last});
    for (OpIndex first = segment.recomputeSpan.first; isNew && first >= segment.begin; --first) {
        const std::vector<OpIndex> ends = m_space.endsFrom(first);
        const auto end = std::ranges::lower_bound(ends, segment.recomputeSpan.last);
        if (end != ends.end() && *end < segment.end) {
            found->second = Span{first, *end};
            break;
        }
    }
    return found->second;
}

/// A random op's results are kept only if no later random op is recomputed.
std::vector<OpId> RegionDrafts::savesIn(const RegionDraft& draft, Span span) const
{
    std::vector<OpId> saves;
    bool drawsAgain = false;
    for (OpIndex op = span.last; op >= span.first; --op) {
        const bool isRandom = m_program.ops[at(op)].isRandom;
        const bool stays =
            draft.kept[at(op)] && !draft.recomputed[at(op)] && !(isRandom && drawsAgain);
        if (stays)
            saves.push_back(graph::opAt(op));
        drawsAgain = drawsAgain || (isRandom && !stays);
    }
    std::reverse(saves.begin(), saves.end());
    return saves;
}

std::optional<std::vector<plan::Region>> RegionDrafts::regionsOf(const RegionDraft& draft)
{
    std::vector<plan::Region> regions;
    for (const Segment& segment : segmentsOf(draft)) {
        if (segment.recomputeSpan.isEmpty())
            continue;
        const std::optional<Span> span = legalAround(segment);
        if (!span)
            return std::nullopt;
        plan::Region region = m_space.region(span->first, span->last);
        region.label = static_cast<int>(regions.size());
        region.save = savesIn(draft, *span);
        regions.push_back(std::move(region));
    }
    return regions;
}

/// By op: nanoseconds of all earlier ops that are recomputed if they lie in a region.
std::vector<double> RegionDrafts::againTimes(const RegionDraft& draft) const
{
    std::vector<double> before(at(m_forward) + 1, 0);
    for (std::size_t op = 0; op < draft.recomputed.size(); ++op)
        before[op + 1] = before[op] + (draft.recomputed[op] || !draft.kept[op] ? m_time[op] : 0.0);
    return before;
}

double RegionDrafts::timeOf(const std::vector<double>& before, Span span) const
{
    const OpIndex stop = std::max(m_stop[at(span.last)], span.first);
    return before[at(stop)] - before[at(span.first)];
}

OpIndex RegionDrafts::firstUnpack(OpIndex first, OpIndex last) const
{
    return *std::min_element(m_unpack.begin() + first, m_unpack.begin() + last + 1);
}

std::vector<RegionDrop> RegionDrafts::dropsAt(const RegionDraft& draft,
                                              const plan::Evaluation& evaluation) const
{
    const plan::Schedule& schedule = *evaluation.schedule;
    const auto peak = static_cast<std::int32_t>(evaluation.peakStep);
    const OpIndex now = nowOf(evaluation);
    std::vector<std::int64_t> there(at(m_forward), 0); // by op: bytes
    for (std::size_t storage = 0; storage < m_program.storages.size(); ++storage) {
        const plan::Instance& life = schedule.instances[storage];
        const OpIndex alloc = m_program.storages[storage].alloc;
        if (alloc >= 0 && alloc < m_forward && life.alloc <= peak && life.free >= peak)
            there[at(alloc)] +=
                graph::rounded(m_program.storages[storage].bytes, m_problem.rounding).count();
    }
    const std::vector<Segment> segments = segmentsOf(draft);
    const std::vector<double> before = againTimes(draft);
    std::vector<RegionDrop> drops;
    for (OpIndex op = 0; op < m_forward; ++op) {
        const std::int64_t bytes = std::min(there[at(op)], m_waiting[at(op)]);
        if (bytes == 0 || draft.recomputed[at(op)] || m_lastUse[at(op)] >= now)
            continue;
        const std::size_t home = homeOf(draft, op);
        Span span{std::max(segments[home].begin, m_reach[at(op)]), std::max(op, m_packed[at(op)])};
        double time = draft.kept[at(op)] ? m_time[at(op)] : 0;
        for (std::size_t index = home; index < segments.size(); ++index) {
            const Segment& segment = segments[index];
            if (segment.begin > m_packed[at(op)])
                break;
            if (segment.recomputeSpan.isEmpty())
                continue;
            time -= timeOf(before, segment.recomputeSpan);
            span.first = std::min(span.first, segment.recomputeSpan.first);
            span.last = std::max(span.last, segment.recomputeSpan.last);
        }
        time += timeOf(before, span);
        if (firstUnpack(span.first, span.last) > now)
            drops.push_back(
                {graph::opAt(op), bytes, std::max(time, 0.0) / static_cast<double>(bytes)});
    }
    std::stable_sort(drops.begin(), drops.end(), [](const RegionDrop& a, const RegionDrop& b) {
        return a.price != b.price ? a.price < b.price : a.bytes > b.bytes;
    });
    return drops;
}

/// Values released across the new boundary are kept.
std::vector<RegionDraft> RegionDrafts::splitsAt(const RegionDraft& draft,
                                                const plan::Evaluation& evaluation) const
{
    const OpIndex now = nowOf(evaluation);
    const std::vector<Segment> segments = segmentsOf(draft);
    const auto isBack = [&](const Segment& segment) {
        return !segment.recomputeSpan.isEmpty()
               && firstUnpack(segment.recomputeSpan.first, segment.recomputeSpan.last) <= now;
    };
    const auto back = std::find_if(segments.begin(), segments.end(), isBack);
    std::vector<RegionDraft> splits;
    if (back == segments.end())
        return splits;
    const Span span = back->recomputeSpan;
    for (const int quarter : {2, 1, 3}) {
        const OpIndex wanted = span.first + (span.last - span.first) * quarter / 4;
        const auto cut = std::lower_bound(m_cuts.begin(), m_cuts.end(), wanted);
        if (cut == m_cuts.end() || *cut <= span.first || *cut > span.last)
            continue;
        RegionDraft split = draft;
        split.begins.insert(std::upper_bound(split.begins.begin(), split.begins.end(), *cut), *cut);
        for (OpIndex op = span.first; op < *cut; ++op)
            if (m_packed[at(op)] >= *cut && split.recomputed[at(op)])
                takeBack(split, graph::opAt(op));
        splits.push_back(std::move(split));
    }
    return splits;
}

std::vector<OpId> RegionDrafts::returns(const RegionDraft& draft) const
{
    std::vector<OpId> ops;
    for (const Segment& segment : segmentsOf(draft))
        for (OpIndex op = segment.recomputeSpan.first; op <= segment.recomputeSpan.last; ++op)
            if (m_time[at(op)] > 0
                && (draft.recomputed[at(op)] || (m_keepable[at(op)] && !draft.kept[at(op)])))
                ops.push_back(graph::opAt(op));
    const auto worth = [&](OpId op) {
        return m_time[op.index()]
               / static_cast<double>(std::max<std::int64_t>(m_made[op.index()], 1));
    };
    std::stable_sort(ops.begin(), ops.end(), [&](OpId a, OpId b) { return worth(a) > worth(b); });
    return ops;
}

} // namespace plimsoll::solve
