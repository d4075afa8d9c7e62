// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/find_allocations.h"

#include "core/memtrace/frames.h"

#include <QRegularExpression>

#include <algorithm>

namespace plimsoll::ui {

namespace {

QRegularExpression expressionFor(const QString& query)
{
    const QRegularExpression expression{query, QRegularExpression::CaseInsensitiveOption};
    return expression.isValid() ? expression
                                : QRegularExpression{QRegularExpression::escape(query),
                                                     QRegularExpression::CaseInsensitiveOption};
}

/// By stack: whether one of its frames matches.
std::vector<bool> matchingStacks(const memtrace::StackTable& stacks,
                                 const QRegularExpression& expression)
{
    std::vector<bool> frames(stacks.frameCount());
    for (std::size_t i = 0; i < frames.size(); ++i)
        frames[i] =
            expression
                .match(QString::fromStdString(memtrace::frameText(stacks, memtrace::FrameId{i})))
                .hasMatch();
    std::vector<bool> matching(stacks.stackCount());
    for (std::size_t i = 0; i < matching.size(); ++i)
        matching[i] =
            std::ranges::any_of(stacks.stack(memtrace::StackId{i}),
                                [&](memtrace::FrameId frame) { return frames[frame.index()]; });
    return matching;
}

} // namespace

base::Result<std::vector<std::size_t>> findAllocations(const workspace::ProfilePicture& picture,
                                                       const QString& query,
                                                       const base::JobContext& job)
{
    const std::vector<bool> stacks = matchingStacks(picture.trace->stacks(), expressionFor(query));
    if (job.stopRequested())
        return base::cancelled();
    std::vector<std::size_t> hits;
    const memtrace::Allocations& allocations = picture.device().allocations();
    for (const timeline::Interval& interval : picture.timeline->intervals())
        if (stacks[allocations.stack[interval.origin]])
            hits.push_back(interval.origin);
    return hits;
}

} // namespace plimsoll::ui
