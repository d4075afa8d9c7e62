// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/tokens.h"

#include <QWidget>

class QLabel;

namespace plimsoll::ui {

enum class Verdict : std::uint8_t { Neutral, Good, Bad };

/// One or two sentences about a plan, on the colour of what they mean, with an icon as second sign.
class VerdictBox : public QWidget
{
    Q_OBJECT

public:
    explicit VerdictBox(QWidget* parent = nullptr);

    void show(Verdict verdict, const QString& sentence);
    [[nodiscard]] QString sentence() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Verdict m_verdict = Verdict::Neutral;
    QLabel* m_text = nullptr;
};

} // namespace plimsoll::ui
