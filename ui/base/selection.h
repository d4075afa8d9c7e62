// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>

#include <cstdint>
#include <optional>

namespace plimsoll::ui {

/// Steps begin..end of the shown timeline, both included.
struct StepRange
{
    std::size_t begin = 0;
    std::size_t end = 0;

    bool operator==(const StepRange&) const = default;
};

/// "120–340", "120".
[[nodiscard]] QString rangeText(const StepRange& range);

/// The selection in a document, shared by all its views. Each part has its signal, emitted only on
/// change.
class Selection : public QObject
{
    Q_OBJECT

public:
    using QObject::QObject;

    [[nodiscard]] std::optional<StepRange> range() const { return m_range; }
    void setRange(std::optional<StepRange> range);
    /// The step under the cursor, in the planned timeline.
    [[nodiscard]] std::optional<std::size_t> step() const { return m_step; }
    void setStep(std::optional<std::size_t> step);
    /// Index into the program's modules.
    [[nodiscard]] std::optional<std::size_t> module() const { return m_module; }
    void setModule(std::optional<std::size_t> module);
    void clear();

Q_SIGNALS:
    void rangeChanged();
    void stepChanged();
    void moduleChanged();

private:
    std::optional<StepRange> m_range;
    std::optional<std::size_t> m_step;
    std::optional<std::size_t> m_module;
};

} // namespace plimsoll::ui
