// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/start_page/file_summary.h"

#include <QAbstractButton>

namespace plimsoll::ui {

/// A file that can be opened: the whole widget is one button.
class FileButton : public QAbstractButton
{
    Q_OBJECT

public:
    FileButton(QString path, QWidget* parent);
    [[nodiscard]] const QString& path() const { return m_path; }
    void setSummary(const FileSummary& summary);

Q_SIGNALS:
    void removeRequested(const QString& path);

protected:
    /// Enter opens, as Space does.
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] const FileSummary& summary() const { return m_summary; }

private:
    QString m_path;
    FileSummary m_summary;
};

/// The narrowest that a card can be, unscaled.
inline constexpr int kCardWidth = 268;
/// A sample: thumbnail, name, kind, peak.
[[nodiscard]] FileButton* makeFileCard(const QString& path, QWidget* parent);
/// A recent file in one line.
[[nodiscard]] FileButton* makeFileRow(const QString& path, QWidget* parent);

/// One line of text, elided if it doesn't fit.
void drawLine(QPainter& painter, const QRectF& rect, const QString& text, TextRole font, Role role,
              Qt::Alignment align = Qt::AlignLeft);

} // namespace plimsoll::ui
