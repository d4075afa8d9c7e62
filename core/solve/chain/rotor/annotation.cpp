// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/annotation.h"

#include <algorithm>

namespace plimsoll::solve {

namespace {

std::optional<int> labelAt(const StageLabel& label, std::size_t level)
{
    return level < label.size() ? label[level] : std::nullopt;
}

std::vector<Region> regionsAt(const Labels& labels, std::size_t level, std::size_t first,
                              std::size_t end)
{
    std::vector<Region> regions;
    for (std::size_t i = first; i < end;) {
        const std::optional<int> label = labelAt(labels[i], level);
        std::size_t stop = i + 1;
        while (stop < end && labelAt(labels[stop], level) == label)
            ++stop;
        if (label)
            regions.push_back({*label, static_cast<int>(i), static_cast<int>(stop - 1),
                               regionsAt(labels, level + 1, i, stop)});
        i = stop;
    }
    return regions;
}

} // namespace

Labels annotate(const Sequence& sequence, std::size_t stages)
{
    Labels labels(stages);
    std::vector<std::size_t> open; // stages of the region still open
    int counter = 0;               // its label
    bool isBack = false;           // the loss has run
    bool isFirst = false;          // only a backward or the loss precedes it
    for (const ChainOp op : sequence) {
        const auto stage = static_cast<std::size_t>(op.stage);
        if (isBack && isFirst && op.kind != ChainOpKind::Backward) {
            counter = 0;
            open.clear();
        }
        if (op.kind == ChainOpKind::NoGrad) {
            open.push_back(stage);
            isFirst = false;
            continue;
        }
        for (const std::size_t member : open)
            labels[member].emplace_back(counter);
        // Readers of the format expect labels of a recomputation to skip a number at a saving
        // forward.
        if (op.kind != ChainOpKind::Backward && (isBack ? !isFirst : !open.empty()))
            ++counter;
        open.clear();
        if (op.kind == ChainOpKind::Check)
            open.push_back(stage);
        isBack = isBack || op.kind == ChainOpKind::Loss;
        isFirst = op.kind == ChainOpKind::Loss || op.kind == ChainOpKind::Backward;
    }
    for (const Region& region : regionsAt(labels, 0, 0, stages)) {
        std::size_t depth = 0;
        for (int i = region.first; i <= region.last; ++i)
            depth = std::max(depth, labels[static_cast<std::size_t>(i)].size());
        for (int i = region.first; i <= region.last; ++i)
            labels[static_cast<std::size_t>(i)].resize(depth);
    }
    return labels;
}

std::vector<Region> regionTree(const Labels& labels)
{
    return regionsAt(labels, 0, 0, labels.size());
}

} // namespace plimsoll::solve
