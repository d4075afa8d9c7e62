// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/fits_page/largest_size_model.h"
#include "ui/fits_page/search_pane.h"

#include <string>

namespace plimsoll::ui {

/// The largest size of each axis that runs within the budget, by planner. Choosing a row asks for
/// that size.
class LargestSizesPane : public SearchPane<workspace::LargestSize>
{
    Q_OBJECT

public:
    explicit LargestSizesPane(QWidget* parent = nullptr);

    [[nodiscard]] LargestSizeModel& model() { return *m_model; }

Q_SIGNALS:
    void sizeChosen(const std::string& axis, qint64 size);

protected:
    [[nodiscard]] Search makeSearch() const override;
    void showRow(std::size_t place, const workspace::LargestSize& found) override;
    void updateRows(bool isNew) override;
    [[nodiscard]] QString formerOf(const FitSettings& former, const FitSettings& now) const override
    {
        return formerOfLargestSizes(former, now);
    }
    [[nodiscard]] QString summary() const override;
    [[nodiscard]] QString refusal() const override;
    void takeRow(int row) override;

private:
    explicit LargestSizesPane(LargestSizeModel* model, QWidget* parent);

    LargestSizeModel* m_model = nullptr;
};

} // namespace plimsoll::ui
