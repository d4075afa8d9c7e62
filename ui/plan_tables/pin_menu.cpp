// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/pin_menu.h"

#include "ui/base/icons.h"
#include "ui/base/texts.h"

#include <QMenu>

namespace plimsoll::ui {

void addPinActions(QMenu& menu, const QStringList& globs,
                   const std::function<void(const QString& pin)>& wanted)
{
    const auto add = [&](const QString& kind, const QString& name, const QString& title) {
        QMenu* place = &menu;
        if (globs.size() > 1) {
            place = menu.addMenu(title);
            place->setIcon(icon(name));
        }
        for (const QString& glob : globs) {
            // A module name may contain an ampersand, which menus would take for a mnemonic.
            QString shown = fileText(glob.toStdString());
            shown.replace(QChar{u'&'}, QStringLiteral("&&"));
            const QString text = globs.size() > 1 ? shown : title + QStringLiteral(": ") + shown;
            place->addAction(icon(name), text,
                             [wanted, pin = QString{kind + glob}] { wanted(pin); });
        }
    };
    add(QStringLiteral("keep:"), QStringLiteral("keep"), QObject::tr("Always keep"));
    add(QStringLiteral("recompute:"), QStringLiteral("recompute"), QObject::tr("Always recompute"));
}

} // namespace plimsoll::ui
