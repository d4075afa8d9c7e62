// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/pins.h"
#include "core/workspace/pin_prices.h"

#include <QWidget>

#include <string>
#include <vector>

class QComboBox;
class QLabel;
class QLineEdit;
class QToolButton;
class QVBoxLayout;

namespace plimsoll::ui {

class TextLabel;

/// The Pins dock: what every plan must keep or recompute, one row each with what it matches in the
/// graph and what it costs, and a row for a new one. A pin that matches nothing or conflicts is
/// refused with a sentence.
class PinPage : public QWidget
{
    Q_OBJECT

public:
    explicit PinPage(QWidget* parent = nullptr);

    /// The step in which pins are resolved.
    void setProgram(const graph::ProgramPtr& program);
    void setPins(const std::vector<std::string>& pins);
    /// In the order of the pins; empty: not known yet.
    void setPrices(const std::vector<workspace::PinPrice>& prices);
    [[nodiscard]] const std::vector<std::string>& pins() const { return m_pins; }
    /// As if typed into the last row: "keep:h.0.mlp".
    void add(const QString& pin);

Q_SIGNALS:
    void pinsChosen(const std::vector<std::string>& pins);

private:
    struct Row
    {
        QWidget* widget = nullptr;
        QComboBox* kind = nullptr;
        QLineEdit* glob = nullptr;
        TextLabel* meaning = nullptr;
        TextLabel* price = nullptr;
        QToolButton* remove = nullptr;
    };
    [[nodiscard]] Row makePinRow();
    static void fillIn(const Row& row, const std::string& pin);
    [[nodiscard]] static std::string textOf(const Row& row);
    void buildRows();
    void readRow(std::size_t row);
    void readNew();
    /// Whether the pins are valid; otherwise the sentence is shown below them.
    bool check(const std::vector<std::string>& pins);
    void choose(const std::vector<std::string>& pins);
    void refresh();

    graph::ProgramPtr m_program;
    std::vector<std::string> m_pins;
    std::vector<workspace::PinPrice> m_prices;
    std::vector<Row> m_rows; ///< of m_pins
    Row m_new;
    QVBoxLayout* m_list = nullptr;
    QLabel* m_error = nullptr;
};

} // namespace plimsoll::ui
