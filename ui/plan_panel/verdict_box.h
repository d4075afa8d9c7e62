// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/tokens.h"

#include <QTextLayout>
#include <QWidget>

namespace plimsoll::ui {

enum class Verdict : std::uint8_t { Neutral, Good, Slow, Bad };

/// One or two sentences about a plan, on the colour of their meaning, with an icon as a second
/// sign. The box wraps the text itself, not a label, so that another sentence in each frame of a
/// drag requests no new layout; its height is that of the longest usual sentence.
class VerdictBox : public QWidget
{
    Q_OBJECT

public:
    explicit VerdictBox(QWidget* parent = nullptr);

    void show(Verdict verdict, const QString& sentence);
    /// Beside other widgets instead of above them: fewer lines hold the same text.
    void setWide(bool isWide);
    [[nodiscard]] QString sentence() const { return m_layout.text(); }
    /// The positions of the sentence's lines.
    [[nodiscard]] QRectF textRect() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void wrap();
    [[nodiscard]] QPointF textCorner() const;

    Verdict m_verdict = Verdict::Neutral;
    bool m_isWide = false;
    QTextLayout m_layout;
};

} // namespace plimsoll::ui
