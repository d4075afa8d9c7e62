// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTimer>
#include <QWidget>

#include <functional>

namespace plimsoll::ui {

/// Work for a page that is only done while the page is shown, a moment after the last change of
/// what it depends on.
class LateWork : public QObject
{
    Q_OBJECT

public:
    /// `page` owns it.
    LateWork(QWidget& page, std::function<void()> work);

    /// Something that the work depends on has changed.
    void want();
    /// Whether the work was begun since the last change.
    [[nodiscard]] bool isBegun() const { return m_isBegun; }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void begin();

    QWidget& m_page;
    std::function<void()> m_work;
    bool m_isBegun = false;
    QTimer m_timer;
};

} // namespace plimsoll::ui
