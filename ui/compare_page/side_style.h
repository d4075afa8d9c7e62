// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/tokens.h"

#include <QList>
#include <QString>
#include <QWidget>

#include <cstddef>

namespace plimsoll::ui {

// How the profiles of a comparison are told apart.

/// "A", "B", …
[[nodiscard]] QString sideLetter(std::size_t side);
[[nodiscard]] Role sideRole(std::size_t side);
/// Dash pattern of a curve in pen widths; empty is solid. A is dashed, B solid.
[[nodiscard]] QList<qreal> sideDashes(std::size_t side);

/// A side's letter in a square of its colour.
class SideBadge : public QWidget
{
    Q_OBJECT

public:
    explicit SideBadge(std::size_t side, QWidget* parent = nullptr);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    std::size_t m_side;
};

} // namespace plimsoll::ui
