// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"
#include "ui/base/selection.h"
#include "ui/step_filter/range_chip.h"

#include <optional>

namespace plimsoll::ui {

/// The selected range of a profile, by which a dock is filtered: a chip that names it and removes
/// it. Hidden where there is none.
class RangeFilter : public RangeChip
{
    Q_OBJECT

public:
    /// `what` as in RangeChip.
    explicit RangeFilter(QString what, QWidget* parent = nullptr);

    /// Takes the range from a selection, and removes it there when it is clicked.
    void follow(Selection& selection);
    /// The picture names the range's ends. Emits nothing.
    void setPicture(workspace::ProfilePicturePtr picture);
    [[nodiscard]] const std::optional<StepRange>& range() const { return m_range; }

Q_SIGNALS:
    void rangeChanged();

private:
    void setFollowed(std::optional<StepRange> range);
    void showText();

    workspace::ProfilePicturePtr m_picture;
    std::optional<StepRange> m_range;
};

} // namespace plimsoll::ui
