// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/docks/range_filter.h"

#include "ui/profile_page/profile_texts.h"

#include <utility>

namespace plimsoll::ui {

RangeFilter::RangeFilter(QString what, QWidget* parent) : RangeChip{std::move(what), parent} {}

void RangeFilter::follow(Selection& selection)
{
    connect(&selection, &Selection::rangeChanged, this,
            [this, &selection] { setFollowed(selection.range()); });
    connect(this, &RangeFilter::clicked, &selection,
            [&selection] { selection.setRange(std::nullopt); });
    setFollowed(selection.range());
}

void RangeFilter::setPicture(workspace::ProfilePicturePtr picture)
{
    m_picture = std::move(picture);
    showText();
}

void RangeFilter::setFollowed(std::optional<StepRange> range)
{
    if (range == m_range)
        return;
    m_range = range;
    showText();
    Q_EMIT rangeChanged();
}

void RangeFilter::showText()
{
    if (m_picture)
        setRangeText(rangeText(*m_picture, m_range));
}

} // namespace plimsoll::ui
