// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/common/planner.h"

#include <QWidget>

#include <string>
#include <vector>

class QComboBox;

namespace plimsoll::ui {

/// The named options of planners, from their records: one row each. Those that the planner doesn't
/// have are off.
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
        QComboBox* combo = nullptr;
    };
    void addRow(const solve::OptionRecord& record);

    std::vector<Row> m_rows;
};

} // namespace plimsoll::ui
