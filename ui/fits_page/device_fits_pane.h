// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/fits_page/device_fit_model.h"
#include "ui/fits_page/search_pane.h"

namespace plimsoll::ui {

/// Whether the step fits each GPU. Choosing a row asks for that GPU.
class DeviceFitsPane : public SearchPane<workspace::DeviceFit>
{
    Q_OBJECT

public:
    explicit DeviceFitsPane(QWidget* parent = nullptr);

    [[nodiscard]] DeviceFitModel& model() { return *m_model; }

Q_SIGNALS:
    void deviceChosen(const plimsoll::plan::Device& device);

protected:
    [[nodiscard]] Search makeSearch() const override;
    void showRow(std::size_t place, const workspace::DeviceFit& fit) override;
    void updateRows(bool isNew) override;
    [[nodiscard]] QString formerOf(const FitSettings& former, const FitSettings& now) const override
    {
        return formerOfDeviceFits(former, now);
    }
    [[nodiscard]] QString summary() const override;
    void takeRow(int row) override;

private:
    explicit DeviceFitsPane(DeviceFitModel* model, QWidget* parent);

    DeviceFitModel* m_model = nullptr;
};

} // namespace plimsoll::ui
