// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QStackedWidget>

class QToolButton;

namespace plimsoll::ui {

class TextLabel;
class TabRow;

/// A dock with the design's title bar (section 2): a title for one page, tabs for several; on the
/// right a line of counts and the menu. The pages share one place, so Qt draws no tabs of its own.
/// Tabs for which there is no room are in a menu.
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
    [[nodiscard]] int currentPage() const;
    /// Null: it has no page.
    [[nodiscard]] QWidget* currentWidget() const;
    void setCurrentPage(int index);
    /// Beside the title: "75 recompute".
    void setCounts(const QString& counts);

Q_SIGNALS:
    void pageChanged();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void updateTitle();
    /// Shows as many tabs as there is room for, always the current one.
    void arrangeTabs();
    void fillOthers();

    TabRow* m_tabs = nullptr;
    QToolButton* m_others = nullptr; ///< the pages without a tab
    TextLabel* m_title = nullptr;
    TextLabel* m_counts = nullptr;
    bool m_hasCounts = false; ///< room is kept for them from then on
    QStackedWidget* m_pages = nullptr;
};

} // namespace plimsoll::ui
