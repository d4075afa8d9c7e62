// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/waterfall/waterfall_document.h"
#include "ui/timeline/timeline_view.h"
#include "ui/waterfall_page/waterfall_overlay.h"

namespace plimsoll::ui {

/// The predicted and the measured curve of a step over one axis.
class WaterfallView : public TimelineView
{
    Q_OBJECT

public:
    explicit WaterfallView(QWidget* parent = nullptr);
    ~WaterfallView() override;

    /// Null: nothing is shown.
    void setPicture(const workspace::WaterfallPicturePtr& picture);
    /// "12.4 ms · predicted 7.16 GiB · measured 7.83 GiB"; empty: the axis has no such step.
    [[nodiscard]] QString readText(std::size_t step) const;

protected:
    [[nodiscard]] QString description() const override;

private:
    [[nodiscard]] HoverContent hoverAt(std::size_t step) const;
    [[nodiscard]] RangeText rangeText(const StepRange& range) const;

    workspace::WaterfallPicturePtr m_picture;
    WaterfallOverlay m_overlay{model()};
};

} // namespace plimsoll::ui
