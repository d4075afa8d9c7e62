// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <QWidget>

#include <array>
#include <vector>

namespace plimsoll::ui {

class NextStepRow;
class TextLabel;

/// A verified plan that needs less than the current one: its budget, what it saves and what it
/// costs.
struct NextStep
{
    base::Bytes budget;
    base::Bytes difference;      ///< of the budgets, below 0
    base::Nanoseconds extraTime; ///< of the steps
    QString how = {};            ///< which decisions change, at which price, and whose plan it is

    bool operator==(const NextStep&) const = default;
};

/// "Cheapest next steps": up to three; a click applies one. Keeps its space while none is known.
class NextSteps : public QWidget
{
    Q_OBJECT

public:
    static constexpr std::size_t kRows = 3;

    explicit NextSteps(QWidget* parent = nullptr);

    /// Empty: there is none, which it says. `leastBudget`: the smallest at which one of the known
    /// plans runs; empty: unknown.
    void setSteps(const std::vector<NextStep>& steps, std::optional<base::Bytes> leastBudget);
    /// Hides everything, as nothing is known.
    void clear();
    [[nodiscard]] const std::vector<NextStep>& steps() const { return m_steps; }

Q_SIGNALS:
    void chosen(plimsoll::base::Bytes budget);

private:
    std::vector<NextStep> m_steps;
    std::array<NextStepRow*, kRows> m_rows{};
    TextLabel* m_none = nullptr;
};

} // namespace plimsoll::ui
