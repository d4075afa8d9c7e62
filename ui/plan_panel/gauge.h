// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <QWidget>

#include <optional>

namespace plimsoll::ui {

/// A bar as wide as the GPU's memory: fill = peak of the plan, tick = budget, grey at the right:
/// reserve.
class Gauge : public QWidget
{
    Q_OBJECT

public:
    explicit Gauge(QWidget* parent = nullptr);

    void setValues(base::Bytes memory, base::Bytes reserve, base::Bytes budget,
                   std::optional<base::Bytes> peak);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    base::Bytes m_memory;
    base::Bytes m_reserve;
    base::Bytes m_budget;
    std::optional<base::Bytes> m_peak;
};

} // namespace plimsoll::ui
