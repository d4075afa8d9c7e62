// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/waterfall/waterfall_document.h"
#include "ui/waterfall_page/class_model.h"

#include <QWidget>

#include <array>
#include <optional>

class QLabel;
class QTableView;

namespace plimsoll::ui {

class TextLabel;

/// What is compared, the verdict, and the classes at both peaks.
class WaterfallSummary : public QWidget
{
    Q_OBJECT

public:
    explicit WaterfallSummary(QWidget* parent = nullptr);

    void setSides(const workspace::WaterfallDocument& document);
    /// Null: they aren't compared.
    /// Why there is no picture.
    void setFault(const QString& sentence);
    void setPicture(const workspace::WaterfallPicturePtr& picture);
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] ClassModel& classes() const { return *m_classes; }
    /// What a card says: its name, and the line below it.
    [[nodiscard]] QString cardText(std::size_t side) const;

private:
    struct Card
    {
        TextLabel* name = nullptr;
        TextLabel* facts = nullptr;
    };
    [[nodiscard]] QWidget* makeCard(std::size_t side);

    std::array<Card, 2> m_cards;
    std::optional<workspace::ComparedStep> m_step;
    QLabel* m_verdict = nullptr;
    ClassModel* m_classes = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace plimsoll::ui
