// SPDX-License-Identifier: Apache-2.0
#include "ui/budget_timeline/budget_values.h"

#include "core/base/budget.h"
#include "core/base/format.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
constexpr double kSnapPixels = 6.0;
constexpr double kLeavePixels = 8.0;
constexpr double kTargetGap = 8.0; ///< pixels
constexpr double kSlow = 8.0;

base::Bytes clamped(base::Bytes value, const BudgetLimits& limits)
{
    return std::clamp(value, base::Bytes{base::kMiB},
                      std::max(limits.axisTop, base::Bytes{base::kMiB}));
}

/// Targets at least kTargetGap pixels apart: those with names come first.
std::vector<SnapTarget> thinned(std::vector<SnapTarget> targets, double bytesPerPixel)
{
    std::ranges::stable_partition(targets,
                                  [](const SnapTarget& target) { return !target.name.isEmpty(); });
    std::vector<SnapTarget> kept;
    for (SnapTarget& target : targets)
        if (!target.name.isEmpty() || std::ranges::none_of(kept, [&](const SnapTarget& other) {
                return std::abs(static_cast<double>((other.bytes - target.bytes).count()))
                       < kTargetGap * bytesPerPixel;
            }))
            kept.push_back(std::move(target));
    return kept;
}

/// The next target above or below; the value itself if there is none.
base::Bytes neighbourTarget(base::Bytes budget, bool above, const BudgetLimits& limits)
{
    std::optional<base::Bytes> best;
    for (const SnapTarget& target : limits.targets) {
        if (target.bytes > limits.axisTop || target.bytes.count() <= 0)
            continue;
        if (above ? target.bytes <= budget : target.bytes >= budget)
            continue;
        if (!best || (above ? target.bytes < *best : target.bytes > *best))
            best = target.bytes;
    }
    return best.value_or(budget);
}

} // namespace

base::Bytes budgetAfterKey(base::Bytes budget, BudgetKey key, KeyStep step,
                           const BudgetLimits& limits)
{
    const std::int64_t divisor = step == KeyStep::Fine ? 256 : step == KeyStep::Coarse ? 4 : 32;
    const base::Bytes distance{std::max<std::int64_t>(1, limits.gridStep.count() / divisor)};
    switch (key) {
    case BudgetKey::Up: return clamped(budget + distance, limits);
    case BudgetKey::Down: return clamped(budget - distance, limits);
    case BudgetKey::NextTarget: return neighbourTarget(budget, true, limits);
    case BudgetKey::PreviousTarget: return neighbourTarget(budget, false, limits);
    case BudgetKey::UnplannedPeak: return limits.unplannedPeak.value_or(budget);
    case BudgetKey::Smallest: break;
    }
    return limits.smallestFeasible.value_or(budget);
}

base::Bytes dragQuantum(base::Bytes span, double pixels)
{
    const double perPixel = static_cast<double>(span.count()) / std::max(1.0, pixels);
    std::int64_t quantum = base::kMiB;
    while (static_cast<double>(quantum) * 2 <= perPixel)
        quantum *= 2;
    return base::Bytes{quantum};
}

BudgetDrag::BudgetDrag(base::Bytes start, double pointerY, double pixels, BudgetLimits limits)
    : m_limits{std::move(limits)}
    , m_start{start}
    , m_value{start}
    , m_pixels{std::max(1.0, pixels)}
    , m_pointerY{pointerY}
    , m_position{static_cast<double>(m_limits.shown.clamped(start).count())}
{
    m_limits.targets = thinned(std::move(m_limits.targets),
                               static_cast<double>(m_limits.shown.span().count()) / m_pixels);
}

double BudgetDrag::pixelsTo(base::Bytes target) const
{
    return std::abs(static_cast<double>(target.count()) - m_position) * m_pixels
           / static_cast<double>(m_limits.shown.span().count());
}

base::Bytes BudgetDrag::moveTo(double pointerY, Options options)
{
    const auto span = static_cast<double>(m_limits.shown.span().count());
    const double moved = (m_pointerY - pointerY) / (options.slow ? kSlow : 1.0);
    m_pointerY = pointerY;
    m_position += moved * span / m_pixels;

    const base::Bytes quantum = dragQuantum(m_limits.shown.span(), m_pixels);
    const auto nearest =
        static_cast<std::int64_t>(std::llround(m_position / static_cast<double>(quantum.count())));
    m_value = clamped(m_limits.shown.clamped(base::Bytes{nearest * quantum.count()}), m_limits);

    if (options.noSnap || (m_snapped && pixelsTo(m_snapped->bytes) > kLeavePixels))
        m_snapped.reset();
    if (!options.noSnap && !m_snapped) {
        double least = kSnapPixels;
        for (const SnapTarget& target : m_limits.targets) {
            if (target.bytes.count() <= 0 || !m_limits.shown.contains(target.bytes)
                || pixelsTo(target.bytes) > least)
                continue;
            least = pixelsTo(target.bytes);
            m_snapped = target;
        }
    }
    if (m_snapped)
        m_value = m_snapped->bytes;
    return m_value;
}

base::Result<base::Bytes> parseBudget(const QString& text, const BudgetContext& context)
{
    QString plain = text.simplified();
    plain.replace(QChar{u'\u2212'}, QChar{u'-'});
    plain.replace(QChar{u'\u00a0'}, QChar{u' '});
    const auto refuse = [&] {
        return base::failure(base::ErrorKind::Usage,
                             "\"" + base::printable(text.toStdString(), 40)
                                 + "\" is not an amount of memory. Write 7.25, 7.25 GiB, 7424 MiB, "
                                   "90 % of the unplanned peak or the GPU's name.");
    };
    if (plain.isEmpty())
        return refuse();
    if (plain.endsWith(u'%')) {
        bool ok = false;
        const double percent = plain.chopped(1).trimmed().toDouble(&ok);
        if (!ok || !(percent > 0) || context.unplanned.count() == 0)
            return refuse();
        // To what is shown: a peak within hidden digits would look larger than the budget.
        return shownFloor(base::Budget{.bytes = {}, .ratio = percent / 100}.of(context.unplanned));
    }
    const bool relative = plain.startsWith(u'-') || plain.startsWith(u'+');
    const bool negative = plain.startsWith(u'-');
    const QString amount = relative ? plain.mid(1).trimmed() : plain;
    bool bare = false;
    const double number = amount.toDouble(&bare);
    if (bare && !relative) {
        // "4060" isn't a plausible number of GiB: it names a GPU.
        for (const CapacityMark& mark : context.devices)
            if (amount.size() >= 3 && mark.name.contains(amount))
                return mark.size;
    }
    base::Bytes bytes;
    if (bare) {
        if (!(number > 0 && number < 1e6))
            return refuse();
        bytes = base::Bytes{std::llround(number * kGibi)};
    } else {
        const base::Result<base::Bytes> parsed = parseBytes(amount);
        if (!parsed) {
            for (const CapacityMark& mark : context.devices)
                if (mark.name.compare(amount, Qt::CaseInsensitive) == 0)
                    return mark.size;
            return refuse();
        }
        bytes = *parsed;
    }
    if (relative)
        bytes = negative ? context.current - bytes : context.current + bytes;
    return bytes.count() > 0 && bytes <= base::kLargestBudget ? base::Result<base::Bytes>{bytes}
                                                              : refuse();
}

QString budgetHint()
{
    return QCoreApplication::translate(
        "Budget",
        "An amount such as 7.25 GiB or 7424 MiB, −500 MiB from here, 80 % of the unplanned peak, "
        "or a GPU's name.");
}

} // namespace plimsoll::ui
