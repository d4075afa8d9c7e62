// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <QAbstractSpinBox>
#include <QTimer>
#include <QWidget>

#include <cstdint>
#include <vector>

class QFormLayout;
class QLabel;
class QPushButton;

namespace plimsoll::ui {

class TextLabel;

/// One axis of a graph that was traced at several sizes. Arrows step through the sizes for which
/// the laws hold; anything may be typed.
class SizeBox : public QAbstractSpinBox
{
    Q_OBJECT

public:
    explicit SizeBox(graph::Axis axis, QWidget* parent = nullptr);

    void setSize(std::int64_t size);
    /// Whether input that has not been entered yet must not be overwritten.
    [[nodiscard]] bool isBeingEdited() const;
    void stepBy(int steps) override;

Q_SIGNALS:
    /// The text was entered, or a moment has passed since the last step.
    void entered(const QString& text);

protected:
    [[nodiscard]] StepEnabled stepEnabled() const override;

private:
    void enter();

    graph::Axis m_axis;
    std::int64_t m_size = 0; ///< the size set, or stepped to since
    QTimer m_stepTimer;
};

/// Batch and sequence of a graph that was traced at several sizes: one row each, with the recorded
/// sizes. Hidden for other graphs.
class SizeForm : public QWidget
{
    Q_OBJECT

public:
    explicit SizeForm(QWidget* parent = nullptr);

    /// The graph as read.
    void setRecorded(const graph::ProgramPtr& recorded);
    void setSizes(const workspace::Sizes& sizes);

Q_SIGNALS:
    void sizesChosen(const plimsoll::workspace::Sizes& sizes);

private:
    struct Row
    {
        graph::Axis axis;
        SizeBox* box = nullptr;
        TextLabel* hint = nullptr;
    };
    void addRow(const graph::Axis& axis);
    void read(std::size_t row, const QString& text);
    void show(const Row& row);
    [[nodiscard]] std::int64_t sizeOf(const graph::Axis& axis) const;

    graph::ProgramPtr m_recorded;
    workspace::Sizes m_sizes;
    std::vector<Row> m_rows;
    QFormLayout* m_form = nullptr;
    QLabel* m_error = nullptr;
    QPushButton* m_reset = nullptr;
};

} // namespace plimsoll::ui
