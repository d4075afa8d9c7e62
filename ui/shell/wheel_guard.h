// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

namespace plimsoll::ui {

/// Keeps the mouse wheel from changing the values of drop-down lists, and of number fields without
/// the focus, so that it scrolls the form in which they are: else whoever scrolls there would
/// change settings unawares. Works in the whole application for as long as it exists.
class WheelGuard : public QObject
{
    Q_OBJECT

public:
    explicit WheelGuard(QObject* parent);

    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace plimsoll::ui
