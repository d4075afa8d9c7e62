// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/actions.h"

#include "ui/base/icons.h"

#include <QAction>
#include <QWidget>

namespace plimsoll::ui {

Actions::Actions(QWidget* window) : QObject{window}, m_window{window} {}

QAction* Actions::add(const QString& id, const QString& text, const QKeySequence& key,
                      const std::function<void()>& run, const QString& iconName)
{
    auto* action = new QAction{text, m_window};
    connect(action, &QAction::triggered, this, [run] { run(); });
    adopt(id, action, key, iconName);
    return action;
}

void Actions::adopt(const QString& id, QAction* action, const QKeySequence& key,
                    const QString& iconName)
{
    if (!key.isEmpty())
        action->setShortcut(key);
    if (!iconName.isEmpty())
        action->setIcon(icon(iconName));
    action->setObjectName(id);
    action->setIconVisibleInMenu(false);
    // The window owns the keys, whether or not a menu shows the action.
    m_window->addAction(action);
    m_actions.insert(id, action);
    m_order << action;
}

} // namespace plimsoll::ui
