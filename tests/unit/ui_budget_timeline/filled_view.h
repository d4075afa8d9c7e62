// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/budget_timeline/budget_timeline_view.h"

#include "tests/unit/ui_timeline/sample_step.h"

#include <memory>
#include <vector>

namespace plimsoll::tests {

inline constexpr std::int64_t kGiB = 1024 * kMiB;

/// A view as the Planner fills it: 14 GiB unplanned, a budget of 7.25 GiB.
inline void fill(ui::BudgetTimelineView& view, std::size_t steps)
{
    const auto unplanned = sampleStep(steps, 1.0);
    const auto planned = sampleStep(steps, 0.35);
    auto map = std::make_shared<std::vector<std::uint32_t>>();
    const std::size_t extra = planned->stepCount() - unplanned->stepCount();
    for (std::size_t step = 0; step < planned->stepCount(); ++step) {
        const std::size_t half = steps / 2;
        const std::size_t flat = step < half ? step : step < half + extra ? half : step - extra;
        map->push_back(static_cast<std::uint32_t>(flat));
    }
    view.setTitle(QStringLiteral("Memory over the step"));
    view.setSubtitle({QStringLiteral("planned, 164 ms")});
    view.setTimelines({planned, unplanned, map});
    view.setBudget(base::Bytes{7424 * kMiB});
    view.setLowerBound(
        ui::LowerBound{base::Bytes{2468 * kMiB}, QStringLiteral("lm_head, backward"), steps / 2});
    view.setSmallestFeasible(base::Bytes{2580 * kMiB});
    view.setPeakNames(QStringLiteral("lm_head"), QStringLiteral("lm_head · loss"));
    view.setCapacityMarks({{base::Bytes{8 * kGiB}, QStringLiteral("RTX 4060"), true},
                           {base::Bytes{12 * kGiB}, QStringLiteral("RTX 4070"), false}});
    view.setHoverProvider([](std::size_t step) {
        ui::HoverContent content;
        content.title = QStringLiteral("softmax, recomputed");
        content.where = QStringLiteral("transformer.h.%1.attn · backward").arg(step % 12);
        content.noteIcon = QStringLiteral("recompute");
        content.noteRole = ui::Role::DecisionRecompute;
        content.note = QStringLiteral("192 MiB paid with 0.30 ms");
        content.source = QStringLiteral("modeling_gpt2.py:214");
        return content;
    });
    view.setReadout({{QStringLiteral("Below unplanned peak"), QStringLiteral("−7.08 GiB")},
                     {QStringLiteral("Step time"), QStringLiteral("+15.3 ms (+10.2 %)")}});
}

} // namespace plimsoll::tests
