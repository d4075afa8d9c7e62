// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/waterfall/waterfall_document.h"

#include <QString>
#include <QStringList>

namespace plimsoll::ui {

/// "Rounding", …: a row's name.
[[nodiscard]] QString reasonText(waterfall::Reason reason);
/// "Measured 0.67 GiB over the prediction (9.4 %). All of it is explained."
[[nodiscard]] QString waterfallVerdict(const waterfall::Waterfall& waterfall);
/// Whether the verdict is a warning: more was measured than predicted, or a part isn't explained.
[[nodiscard]] bool isWarning(const waterfall::Waterfall& waterfall);
/// What was compared, and what weakens it: sentences.
[[nodiscard]] QStringList waterfallFacts(const waterfall::Waterfall& waterfall);
/// "blocks.3.up · aten.addmm": the op at a step of the axis.
[[nodiscard]] QString opText(const waterfall::Waterfall& waterfall, std::size_t step);

} // namespace plimsoll::ui
