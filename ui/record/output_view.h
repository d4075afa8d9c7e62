// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>
#include <QTimer>

namespace plimsoll::ui {

/// What a program writes: the last lines of it. Progress bars, which return to the begin of their
/// line, overwrite it; sequences for colours are left out.
class OutputView : public QPlainTextEdit
{
    Q_OBJECT

public:
    explicit OutputView(QWidget* parent = nullptr);

    /// Shown within a moment, with what else comes meanwhile.
    void add(const QString& text);
    void startOver();

private:
    void flush();

    QString m_waiting;
    bool m_returned = false; ///< the next text overwrites the last line
    QTimer m_moment;
};

} // namespace plimsoll::ui
