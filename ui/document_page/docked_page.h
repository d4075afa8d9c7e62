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

/// A dock of a page, and its initial place. Several views share a dock as tabs.
struct DockKind
{
    QString id;
    QString title;
    Qt::DockWidgetArea area = Qt::BottomDockWidgetArea;
};

/// A plot in the centre with messages above it, and docks around it that fit any window. The
/// derived page decides where the layout is stored.
class DockedPage : public QMainWindow
{
    Q_OBJECT

public:
    explicit DockedPage(QWidget* parent = nullptr);
    ~DockedPage() override;

    [[nodiscard]] MessageStrip& strip() { return *m_strip; }
    /// Moves the strip into a widget of the window that keeps room for it; null: back over the top
    /// of the centre.
    void placeStrip(QWidget* room) { m_strip->setRoom(room != nullptr ? *room : *m_body); }
    void focusCentre() { m_centre->setFocus(Qt::OtherFocusReason); }
    /// Requires that the view was added.
    [[nodiscard]] PagesDock& dock(const QString& id) const;
    /// Null: no dock contains the view.
    [[nodiscard]] PagesDock* dockOf(const QWidget* view) const;
    /// Show and hide actions.
    [[nodiscard]] QList<QAction*> dockActions() const;
    /// The targets of F6: the centre, then the visible docks by place.
    [[nodiscard]] QList<QWidget*> panels() const;
    /// The layout of the design.
    void resetLayout();
    /// Shows only the centre, or restores the docks.
    void setFocused(bool focused);
    [[nodiscard]] bool isFocused() const { return m_isFocused; }
    /// See narrowChanged().
    [[nodiscard]] bool isNarrow() const { return m_isNarrow; }
    /// Saves zoom and layout.
    void storeView();
    /// Puts a widget above the plot and its messages, across their width.
    void placeAbove(QWidget* widget);

Q_SIGNALS:
    /// The pages of the right dock became tabs below, or went back.
    void narrowChanged(bool isNarrow);

protected:
    void setCentre(QWidget* plot);
    /// How wide docks at the right are at first, before scaling; on large screens they get more.
    void setRightWidth(int width) { m_rightWidth = width; }
    void addDock(const DockKind& kind);
    /// `narrowTitle`: of a view at the right when it becomes a tab below, in a narrow window.
    void addView(const QString& dock, QWidget* view, const QString& title,
                 const QString& narrowTitle = {});
    // The saved layout: a JSON object, to which the page adds its values.
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

    QWidget* m_body = nullptr; ///< the plot, and the messages over its title
    MessageStrip* m_strip = nullptr;
    QWidget* m_centre = nullptr;
    std::vector<std::pair<PagesDock*, Qt::DockWidgetArea>> m_docks; ///< and their initial areas
    std::vector<SideView> m_sideViews;                              ///< of the docks at the right
    QByteArray m_unfocusedLayout;
    bool m_isFocused = false;
    bool m_isNarrow = false;
    int m_rightWidth = 318;
    bool m_wasShown = false;
    bool m_isLaidByHand = false;               ///< the docks keep the sizes set by the user
    double m_scale = Theme::current().scale(); ///< for which the docks are sized
};

} // namespace plimsoll::ui
