// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/message_strip.h"
#include "ui/base/theme.h"

#include <QMainWindow>

#include <string>
#include <utility>
#include <vector>

class QJsonObject;

namespace plimsoll::ui {

class PagesDock;

/// A dock of a page, and where it is at first. Several views share a dock as tabs.
struct DockKind
{
    QString id;
    QString title;
    Qt::DockWidgetArea area = Qt::BottomDockWidgetArea;
};

/// A plot in the centre with messages above it, and docks around it that fit any window. Where the
/// layout is kept is the derived page's.
class DockedPage : public QMainWindow
{
    Q_OBJECT

public:
    explicit DockedPage(QWidget* parent = nullptr);
    ~DockedPage() override;

    [[nodiscard]] MessageStrip& strip() { return *m_strip; }
    void focusCentre() { m_centre->setFocus(Qt::OtherFocusReason); }
    /// Requires that it was added.
    [[nodiscard]] PagesDock& dock(const QString& id) const;
    /// Null: the view is in none.
    [[nodiscard]] PagesDock* dockOf(const QWidget* view) const;
    /// Show and hide actions.
    [[nodiscard]] QList<QAction*> dockActions() const;
    /// What F6 goes through: the centre, then the visible docks by place.
    [[nodiscard]] QList<QWidget*> panels() const;
    /// The layout as drawn in the design.
    void resetLayout();
    /// Only the centre, or the docks as they were.
    void setFocused(bool focused);
    [[nodiscard]] bool isFocused() const { return m_isFocused; }
    /// Keeps zoom and layout.
    void storeView();

protected:
    void setCentre(QWidget* plot);
    void addDock(const DockKind& kind);
    /// `narrowTitle`: of a view at the right where it becomes a tab below, in a narrow window.
    void addView(const QString& dock, QWidget* view, const QString& title,
                 const QString& narrowTitle = {});
    // What is kept: a JSON object, to which the page adds its values.
    [[nodiscard]] virtual std::string savedView() const = 0;
    virtual void saveView(const std::string& view) = 0;
    virtual void addToView(QJsonObject& /*view*/) const {}
    virtual void restoreFrom(const QJsonObject& /*view*/) {}

    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct SideView
    {
        PagesDock* dock = nullptr;
        QWidget* view = nullptr;
        QString title;
        QString narrowTitle;
    };
    [[nodiscard]] QList<QDockWidget*> docksAt(Qt::DockWidgetArea area) const;
    [[nodiscard]] PagesDock* lastBelow() const;
    void placeDocks();
    void adaptToWidth();
    void sizeDocks(int right, int below, int left);
    void sizeDocks();
    [[nodiscard]] int roomBelow() const;
    void followScale();
    void restoreView();

    MessageStrip* m_strip = nullptr;
    QWidget* m_centre = nullptr;
    std::vector<std::pair<PagesDock*, Qt::DockWidgetArea>> m_docks; ///< and where they are at first
    std::vector<SideView> m_sideViews;                              ///< of the docks at the right
    QByteArray m_unfocusedLayout;
    bool m_isFocused = false;
    bool m_isNarrow = false;
    bool m_wasShown = false;
    bool m_isLaidByHand = false;               ///< the docks keep the sizes that a person gave them
    double m_scale = Theme::current().scale(); ///< that the docks' sizes are of
};

} // namespace plimsoll::ui
