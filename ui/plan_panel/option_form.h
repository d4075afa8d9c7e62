// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <QWidget>

#include <functional>
#include <string>
#include <vector>

class QFormLayout;

namespace plimsoll::ui {

/// The named options of planners, from their records: one row each, a box to check for a switch and
/// a list for the others. Those that the planner doesn't have can't be chosen.
class OptionForm : public QWidget
{
    Q_OBJECT

public:
    explicit OptionForm(QWidget* parent = nullptr);

    void setOptions(const std::string& planner, const solve::Options& options);

    /// An option that says nothing about the graph has no row.
    void setShown(const std::string& name, bool shown);

Q_SIGNALS:
    void optionChosen(const QString& name, qint64 value);

private:
    struct Row
    {
        std::string name;
        QWidget* field = nullptr;
        std::function<void(qint64)> show; ///< puts a value into the field
    };
    void addRow(const solve::OptionRecord& record);
    [[nodiscard]] Row makeList(const solve::OptionRecord& record);
    [[nodiscard]] Row makeSwitch(const solve::OptionRecord& record);
    [[nodiscard]] QFormLayout& formLayout() const;

    std::vector<Row> m_rows;
};

} // namespace plimsoll::ui
