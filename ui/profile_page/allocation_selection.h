// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

#include <cstdint>
#include <optional>

namespace plimsoll::ui {

/// The allocation that all views of a profile page show as selected: an index into the shown
/// device's allocations, which has one address and one birth.
class AllocationSelection : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] std::optional<std::uint32_t> allocation() const { return m_allocation; }
    void select(std::optional<std::uint32_t> allocation)
    {
        if (allocation == m_allocation)
            return;
        m_allocation = allocation;
        Q_EMIT changed();
    }

Q_SIGNALS:
    void changed();

private:
    std::optional<std::uint32_t> m_allocation;
};

} // namespace plimsoll::ui
