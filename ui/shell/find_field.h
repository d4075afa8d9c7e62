// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLineEdit>

namespace plimsoll::ui {

/// The field to find things in, with the count of hits at its right end.
class FindField : public QLineEdit
{
    Q_OBJECT

public:
    explicit FindField(QWidget* parent = nullptr);

    /// "3 of 17", "0 hits" in danger, or nothing while there is no query. `position` begins at 1.
    void showHits(std::size_t position, std::size_t total);
    void showNoCount() { setCount({}, false); }
    [[nodiscard]] QString shownCount() const { return m_count; }

Q_SIGNALS:
    /// 1: the next hit, -1: the one before.
    void hitRequested(int by);
    /// Esc.
    void cancelled();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void setCount(const QString& text, bool isFault);
    void relabel();

    QString m_count;
    bool m_isFault = false;
};

} // namespace plimsoll::ui
