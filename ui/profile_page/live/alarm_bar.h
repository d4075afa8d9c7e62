// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"

#include <QWidget>

#include <optional>

class QLineEdit;

namespace plimsoll::ui {

class TextLabel;

/// A row in which the alarm is typed.
class AlarmBar : public QWidget
{
    Q_OBJECT

public:
    explicit AlarmBar(QWidget* parent = nullptr);

    void setAlarm(std::optional<base::Bytes> alarm);
    /// Where it is dragged; none: back to the alarm.
    void showDragged(std::optional<base::Bytes> dragged);
    /// Shows the row and moves the focus into it.
    void begin();
    [[nodiscard]] QLineEdit& field() const { return *m_field; }
    [[nodiscard]] QString fault() const;

Q_SIGNALS:
    /// None: there is to be no alarm.
    void alarmWanted(std::optional<plimsoll::base::Bytes> alarm);

private:
    void read();

    QLineEdit* m_field = nullptr;
    TextLabel* m_fault = nullptr;
    std::optional<base::Bytes> m_alarm;
};

} // namespace plimsoll::ui
