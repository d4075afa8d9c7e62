// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QHash>
#include <QKeySequence>
#include <QObject>

#include <functional>

class QAction;
class QMenu;
class QMenuBar;

namespace plimsoll::ui {

/// The window's commands by name ("file.open"); menus, buttons and the sheet of keys share them.
class Actions : public QObject
{
    Q_OBJECT

public:
    explicit Actions(QWidget* window);

    QAction* add(const QString& id, const QString& text, const QKeySequence& key,
                 const std::function<void()>& run, const QString& iconName = {});
    /// Takes in an action made elsewhere, such as undo.
    void adopt(const QString& id, QAction* action, const QKeySequence& key,
               const QString& iconName);
    /// Requires that it was added.
    [[nodiscard]] QAction* get(const QString& id) const { return m_actions.value(id); }
    /// In the order in which they were added.
    [[nodiscard]] const QList<QAction*>& all() const { return m_order; }

private:
    QWidget* m_window;
    QHash<QString, QAction*> m_actions;
    QList<QAction*> m_order;
};

} // namespace plimsoll::ui
