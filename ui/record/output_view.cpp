// SPDX-License-Identifier: Apache-2.0
#include "ui/record/output_view.h"

#include <QFontDatabase>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextBlock>

#include <chrono>

namespace plimsoll::ui {

namespace {
constexpr int kMostLines = 5000;
constexpr qsizetype kMostWaiting = qsizetype{1} << 18; ///< characters that are shown at a time
constexpr qsizetype kMostOfLine = 4000;
constexpr std::chrono::milliseconds kMoment{50};
} // namespace

OutputView::OutputView(QWidget* parent) : QPlainTextEdit{parent}
{
    setReadOnly(true);
    setMaximumBlockCount(kMostLines);
    setUndoRedoEnabled(false);
    setLineWrapMode(QPlainTextEdit::NoWrap);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setAccessibleName(tr("Output of the program"));
    setPlaceholderText(tr("The output of the program appears here."));
    m_moment.setSingleShot(true);
    m_moment.setInterval(kMoment);
    connect(&m_moment, &QTimer::timeout, this, &OutputView::flush);
}

void OutputView::add(const QString& text)
{
    m_waiting += text;
    // Only the end would be seen.
    if (m_waiting.size() > 2 * kMostWaiting)
        m_waiting = m_waiting.right(kMostWaiting);
    if (!m_moment.isActive())
        m_moment.start();
}

void OutputView::startOver()
{
    m_waiting.clear();
    m_returned = false;
    clear();
}

void OutputView::flush()
{
    static const QRegularExpression escapes{
        QStringLiteral("\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b[@-Z\\\\-_]")};
    static const QRegularExpression ends{QStringLiteral("\r\n|\n|\r")};
    QString text = std::exchange(m_waiting, {}).right(kMostWaiting);
    text.remove(escapes);
    const bool wasAtEnd = verticalScrollBar()->value() >= verticalScrollBar()->maximum();
    QTextCursor cursor{document()};
    cursor.movePosition(QTextCursor::End);
    cursor.beginEditBlock();
    const auto write = [&](QStringView piece) {
        if (piece.isEmpty())
            return;
        if (std::exchange(m_returned, false)) {
            cursor.movePosition(QTextCursor::StartOfBlock, QTextCursor::KeepAnchor);
            cursor.removeSelectedText();
        }
        cursor.insertText(piece.left(kMostOfLine).toString());
    };
    qsizetype from = 0;
    for (auto at = ends.globalMatch(text); at.hasNext();) {
        const QRegularExpressionMatch end = at.next();
        write(QStringView{text}.mid(from, end.capturedStart() - from));
        from = end.capturedEnd();
        m_returned = end.capturedView() == u"\r";
        if (!m_returned)
            cursor.insertBlock();
    }
    write(QStringView{text}.mid(from));
    cursor.endEditBlock();
    if (wasAtEnd)
        verticalScrollBar()->setValue(verticalScrollBar()->maximum());
}

} // namespace plimsoll::ui
