// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"
#include "ui/compare_page/curves_overlay.h"
#include "ui/timeline/timeline_view.h"

namespace plimsoll::ui {

/// What compared profiles have live, as curves over their common axis.
class CompareView : public TimelineView
{
    Q_OBJECT

public:
    explicit CompareView(QWidget* parent = nullptr);
    ~CompareView() override;

    void setPicture(const workspace::ComparisonPicturePtr& picture);
    /// What is told of a step and of a range of the common axis.
    [[nodiscard]] HoverContent hoverAt(std::size_t step) const;
    [[nodiscard]] RangeText rangeText(const StepRange& range) const;

protected:
    [[nodiscard]] QString description() const override;

private:
    workspace::ComparisonPicturePtr m_picture;
    CurvesOverlay m_overlay{model()};
};

} // namespace plimsoll::ui
