// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/api/planner.h"

#include <QFormLayout>
#include <QWidget>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace plimsoll::ui {

/// The options of a planner, from their records: a check box for a switch, a list for other
/// choices, a field for a number or text. Options without a choice are shown disabled.
class OptionForm : public QWidget
{
    Q_OBJECT

public:
    explicit OptionForm(QWidget* parent = nullptr);

    void setOptions(const std::string& planner, const solve::Options& options);

    /// An option that isn't about the graph has no row.
    void setShown(const std::string& name, bool shown);

Q_SIGNALS:
    void optionChosen(const QString& name, const solve::OptionValue& value);

private:
    struct Row
    {
        std::string name;
        QWidget* field = nullptr;
        std::function<void(const solve::OptionRecord&, const solve::OptionValue&)>
            show; ///< sets the field to a value that the record accepts
    };
    void addRow(const solve::OptionRecord& record);
    [[nodiscard]] Row makeList(const solve::OptionRecord& record);
    [[nodiscard]] Row makeSwitch(const solve::OptionRecord& record);
    [[nodiscard]] Row makeNumber(const solve::OptionRecord& record);
    [[nodiscard]] Row makeText(const solve::OptionRecord& record);
    [[nodiscard]] Row makeRow(const solve::OptionRecord& record);
    [[nodiscard]] QFormLayout& formLayout() const { return *qobject_cast<QFormLayout*>(layout()); }

    std::vector<Row> m_rows;        ///< of all planners, each name once
    std::set<std::string> m_absent; ///< names that setShown() hid
    std::string m_planner;
};

} // namespace plimsoll::ui
