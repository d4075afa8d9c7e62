// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"
#include "ui/profile_tables/diff_model.h"

#include <QWidget>

#include <array>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;
class QToolButton;

namespace plimsoll::ui {

class TextLabel;

/// A and B with their peaks, what their difference is due to, and their classes at the peaks.
class SummaryPane : public QWidget
{
    Q_OBJECT

public:
    explicit SummaryPane(QWidget* parent = nullptr);

    /// Profiles that aren't compared yet; there may be fewer than two.
    void setProfiles(const workspace::ComparedProfiles& profiles);
    void setPicture(const workspace::ComparisonPicture& picture);
    /// The sentence about the difference.
    [[nodiscard]] QString verdict() const;
    [[nodiscard]] DiffModel& classes() const { return *m_classes; }
    [[nodiscard]] QTableView& table() const { return *m_table; }
    /// The device of A or B; hidden if a profile has only one.
    [[nodiscard]] QComboBox& devices(std::size_t side) const { return *m_cards[side].devices; }
    [[nodiscard]] QPushButton& swapButton() const { return *m_swap; }
    /// What a card says below the name.
    [[nodiscard]] QString facts(std::size_t side) const;

Q_SIGNALS:
    void swapWanted();
    void addWanted();
    void removeWanted(std::size_t side);
    void deviceChosen(std::size_t side, std::size_t device);

private:
    struct Card
    {
        QWidget* widget = nullptr;
        TextLabel* name = nullptr;
        TextLabel* facts = nullptr;
        QComboBox* devices = nullptr;
    };

    [[nodiscard]] Card makeCard(std::size_t side);
    QWidget* makeButtons();

    std::array<Card, 2> m_cards;
    QPushButton* m_swap = nullptr;
    QLabel* m_verdict = nullptr;
    DiffModel* m_classes = nullptr;
    QTableView* m_table = nullptr;
};

} // namespace plimsoll::ui
