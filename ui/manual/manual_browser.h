// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTextBrowser>

namespace plimsoll::ui {

/// One page of the manual. Follows links between pages itself and opens others with the desktop.
class ManualBrowser : public QTextBrowser
{
    Q_OBJECT

public:
    explicit ManualBrowser(QWidget* parent = nullptr);

    /// A path from the repository's root with or without an anchor.
    void showPage(const QString& target);
    /// The path of the shown page with the requested anchor.
    [[nodiscard]] const QString& target() const { return m_target; }
    [[nodiscard]] QString pagePath() const { return m_target.section(u'#', 0, 0); }
    /// Highlights all occurrences of these words.
    void setMarkedWords(const QStringList& words);

Q_SIGNALS:
    void pageShown(const QString& target);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void take(const QUrl& url);
    void restyle();
    void mark();
    void fitToWidth();
    void follow(const QUrl& link);

    QStringList m_words;
    QString m_target; ///< QTextBrowser's source() lags behind its signal
};

} // namespace plimsoll::ui
