// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/annotation.h"

#include <algorithm>

namespace plimsoll::solve {

namespace {

/// Collects the stages of one open region and gives them their label when it closes.
class Labeller
{
public:
    explicit Labeller(Labels& labels) : m_labels{labels} {}

    void startRun()
    {
        m_counter = 0;
        m_open.clear();
    }
    void open(std::int32_t stage) { m_open.assign(1, static_cast<std::size_t>(stage)); }
    void extend(std::int32_t stage) { m_open.push_back(static_cast<std::size_t>(stage)); }
    /// Returns whether there was anything to close.
    bool close()
    {
        for (const std::size_t stage : m_open)
            m_labels[stage].emplace_back(m_counter);
        const bool any = !m_open.empty();
        m_open.clear();
        return any;
    }
    void count() { ++m_counter; }

private:
    Labels& m_labels;
    std::vector<std::size_t> m_open;
    int m_counter = 0;
};

/// One operation before the loss, the loss included: it closes what is still open.
void labelForward(Labeller& labeller, ChainOp op)
{
    if (op.kind == ChainOpKind::NoGrad) {
        labeller.extend(op.stage);
        return;
    }
    if (labeller.close())
        labeller.count();
    if (op.kind == ChainOpKind::Check)
        labeller.open(op.stage);
}

/// One operation after the loss. `first`: nothing but a backward or the loss is before it.
void labelRecompute(Labeller& labeller, ChainOp op, bool first)
{
    if (first)
        labeller.startRun();
    if (op.kind == ChainOpKind::NoGrad) {
        labeller.extend(op.stage);
        return;
    }
    labeller.close();
    // Labels of one run skip a number at each saving forward: readers of the format expect that.
    if (!first)
        labeller.count();
    if (op.kind == ChainOpKind::Check)
        labeller.open(op.stage);
}

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
    Labeller labeller{labels};
    bool afterLoss = false;
    bool inRun = false;
    for (const ChainOp op : sequence) {
        if (!afterLoss) {
            labelForward(labeller, op);
            afterLoss = op.kind == ChainOpKind::Loss;
        } else if (op.kind == ChainOpKind::Backward) {
            labeller.close();
            inRun = false;
        } else {
            labelRecompute(labeller, op, !inRun);
            inRun = true;
        }
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
