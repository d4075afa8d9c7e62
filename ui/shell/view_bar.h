// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointer>
#include <QWidget>

#include <vector>

class QAction;
class QPushButton;
class QToolButton;

namespace plimsoll::ui {

class FindField;

/// The bar above a document: the kinds of pages, undo, redo, fit; find and export at the right;
/// between them room for the document's messages. In a narrow window the kinds are icons, and the
/// find field collapses to its icon while unused.
class ViewBar : public QWidget
{
    Q_OBJECT

public:
    explicit ViewBar(QWidget* parent = nullptr);
    /// The window's actions, by name.
    void setActions(const QWidget& window);
    /// A kind of page, to which the action switches.
    void addSwitch(QAction& action);
    /// Of the shown kind of page, or one that is more urgent; null: it has none.
    void setExport(QAction* exporting);
    [[nodiscard]] FindField& find() { return *m_find; }
    [[nodiscard]] QWidget& messageRoom() { return *m_room; }
    /// Expands the field and focuses it.
    void beginFind();

    bool eventFilter(QObject* watched, QEvent* event) override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void relabel();
    void fold();
    void followExport();

    std::vector<QToolButton*> m_switches;
    QToolButton* m_undo = nullptr;
    QToolButton* m_redo = nullptr;
    QToolButton* m_fit = nullptr;
    QWidget* m_room = nullptr;
    QToolButton* m_findButton = nullptr;
    FindField* m_find = nullptr;
    QPushButton* m_export = nullptr;
    QPointer<QAction> m_exporting;
};

} // namespace plimsoll::ui
