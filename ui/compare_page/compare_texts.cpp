// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/compare_texts.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/compare_page/side_style.h"
#include "ui/profile_tables/allocation_texts.h"
#include "ui/profile_tables/live_group_model.h"

#include <QCoreApplication>

#include <cstdlib>

namespace plimsoll::ui {

namespace {

constexpr qsizetype kNamedChanges = 2;

QString compareText(const char* text)
{
    return QCoreApplication::translate("Compare", text);
}

QString blocksText(const memtrace::BlockSum& sum)
{
    return sum.blocks == 1
               ? compareText("%1 in 1 block").arg(bytesText(sum.bytes))
               : compareText("%1 in %2 blocks").arg(bytesText(sum.bytes), countText(sum.blocks));
}

/// Where the peaks are: ", in the same phase (backward)"; empty if no phase is known.
QString phasesText(const memtrace::Comparison& comparison)
{
    const QString a = fileText(comparison.sides()[0].peakPhase);
    const QString b = fileText(comparison.sides()[1].peakPhase);
    if (a.isEmpty() || b.isEmpty() || !comparison.phases().isAligned())
        return {};
    return memtrace::phaseKey(comparison.sides()[0].peakPhase)
                   == memtrace::phaseKey(comparison.sides()[1].peakPhase)
               ? compareText(", in the same phase (%1)").arg(b)
               : compareText(", in %1 instead of %2").arg(b, a);
}

QString lengthText(const memtrace::Comparison& comparison, std::size_t side)
{
    const std::vector<memtrace::PhaseSpan>& spans = comparison.phases().spansOf(side);
    const std::int64_t length = spans.empty() ? 0 : spans.back().end;
    return comparison.axis() == memtrace::Axis::Time
               ? timeText(base::Nanoseconds{length})
               : compareText("%1 events").arg(countText(static_cast<std::uint64_t>(length)));
}

} // namespace

QString comparisonVerdict(const workspace::ComparisonPicture& picture)
{
    const memtrace::Comparison& comparison = *picture.comparison;
    const base::Bytes difference = picture.peakDifference();
    if (difference.count() == 0)
        return compareText("Both peaks are %1%2.")
            .arg(bytesText(comparison.peakOf(0)), phasesText(comparison));
    const QString amount = bytesText(base::Bytes{std::abs(difference.count())});
    QString text = (difference.count() > 0 ? compareText("B's peak is %1 higher%2.")
                                           : compareText("B's peak is %1 lower%2."))
                       .arg(amount, phasesText(comparison));
    const auto changeText = [](const memtrace::DiffGroup& group) {
        return compareText("%1, %2").arg(groupText(group.name, memtrace::LiveBy::Class),
                                         bytesDifferenceText(group.delta()));
    };
    if (const memtrace::DiffGroup* main = picture.mainClass())
        return text + compareText(" Most of it: %1.").arg(changeText(*main));
    QStringList changes; // the groups are in that order
    for (const memtrace::DiffGroup& group : picture.classes.groups)
        if (changes.size() < kNamedChanges && group.delta().count() != 0)
            changes << changeText(group);
    if (!changes.isEmpty())
        text += compareText(" Largest changes: %1.").arg(changes.join(QStringLiteral("; ")));
    return text;
}

QString sharesText(const memtrace::TraceDiff& diff)
{
    return compareText("Only A: %1. In both: %2. Only B: %3.")
        .arg(blocksText(diff.onlyA), blocksText(diff.common), blocksText(diff.onlyB));
}

QStringList alignmentFacts(const workspace::ComparisonPicture& picture)
{
    const memtrace::Comparison& comparison = *picture.comparison;
    QStringList facts{comparison.phases().isAligned()
                          ? compareText("aligned by phase, lengths as in A")
                          : compareText("no phases in common: all begin at 0")};
    for (std::size_t side = 0; side < comparison.sides().size(); ++side)
        facts << sideLetter(side) + u' ' + lengthText(comparison, side);
    return facts;
}

QString axisPhaseText(const memtrace::Comparison& comparison, std::size_t axisStep)
{
    const memtrace::AxisPhase* phase =
        comparison.phases().phaseAt(comparison.ground()->timeAt(axisStep).count());
    return phase == nullptr ? QString{} : fileText(phase->name);
}

QString sidePositionText(const memtrace::Comparison& comparison, std::size_t side,
                         std::size_t axisStep)
{
    const std::int64_t position =
        comparison.phases().ownPositionOf(side, comparison.ground()->timeAt(axisStep).count());
    return comparison.axis() == memtrace::Axis::Time
               ? timeText(base::Nanoseconds{position})
               : compareText("event %1").arg(countText(static_cast<std::uint64_t>(position)));
}

QString axisPositionText(const memtrace::Comparison& comparison, std::size_t axisStep)
{
    const base::Nanoseconds position = comparison.ground()->timeAt(axisStep);
    const QString at =
        comparison.axis() == memtrace::Axis::Time
            ? timeText(position)
            : compareText("event %1").arg(countText(static_cast<std::uint64_t>(position.count())));
    const QString phase = axisPhaseText(comparison, axisStep);
    return phase.isEmpty() ? at : phase + QStringLiteral(" · ") + at;
}

QString liveText(const memtrace::Comparison& comparison, std::size_t side, std::size_t axisStep)
{
    return comparison.isOver(side, axisStep) ? unknownText()
                                             : bytesText(comparison.bytesAt(side, axisStep));
}

QString differenceText(const memtrace::Comparison& comparison, std::size_t axisStep)
{
    return comparison.isOver(0, axisStep) || comparison.isOver(1, axisStep)
               ? unknownText()
               : bytesDifferenceText(comparison.bytesAt(1, axisStep)
                                     - comparison.bytesAt(0, axisStep));
}

QString peakText(const workspace::ComparisonPicture& picture, std::size_t side)
{
    const memtrace::Comparison::Side& of = picture.comparison->sides()[side];
    QString text = deviceText(of.of.device()) + QStringLiteral(" · ")
                   + compareText("peak %1").arg(bytesText(picture.comparison->peakOf(side)));
    if (!of.peakPhase.empty())
        text += compareText(" in %1").arg(fileText(of.peakPhase));
    return text;
}

} // namespace plimsoll::ui
