// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QStackedWidget>
#include <QTabBar>

namespace plimsoll::ui {

class TextLabel;

/// A dock with the design's title bar (section 2): a title for one page, tabs for several; on the
/// right a line of counts and the menu. The pages share one place, so Qt draws no tabs of its own.
class PagesDock : public QDockWidget
{
    Q_OBJECT

public:
    PagesDock(const QString& name, const QString& title, QWidget* parent = nullptr);

    /// Adds a widget at a place among the tabs.
    void insertPage(int index, QWidget* page, const QString& title);
    void addPage(QWidget* page, const QString& title) { insertPage(m_pages->count(), page, title); }
    /// Removes the widget, hides it and gives it to `owner`; null: no parent.
    void takePage(QWidget* page, QWidget* owner = nullptr);
    [[nodiscard]] bool holds(const QWidget* page) const { return m_pages->indexOf(page) >= 0; }
    void showPage(QWidget* page);
    void setPageTitle(QWidget* page, const QString& title);
    [[nodiscard]] int currentPage() const { return m_tabs->currentIndex(); }
    void setCurrentPage(int index);
    /// Beside the title: "75 recompute".
    void setCounts(const QString& counts);

Q_SIGNALS:
    void pageChanged();

private:
    void updateTitle();

    QTabBar* m_tabs = nullptr;
    TextLabel* m_title = nullptr;
    TextLabel* m_counts = nullptr;
    QStackedWidget* m_pages = nullptr;
};

} // namespace plimsoll::ui
