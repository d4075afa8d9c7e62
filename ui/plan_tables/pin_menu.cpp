// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/pin_menu.h"

#include "core/plan/pins.h"
#include "ui/base/icons.h"
#include "ui/base/texts.h"

#include <QMenu>

#include <algorithm>
#include <iterator>

namespace plimsoll::ui {

namespace {

/// Such as none of what backward computes.
bool canBePinned(const graph::Program& program, const QString& pin)
{
    return plan::resolvePin(pin.toStdString(), program).has_value();
}

} // namespace

void addPinActions(QMenu& menu, const graph::Program& program, const QStringList& globs,
                   const std::function<void(const QString& pin)>& wanted)
{
    const auto add = [&](const QString& kind, const QString& name, const QString& title) {
        QStringList fitting;
        std::ranges::copy_if(globs, std::back_inserter(fitting), [&](const QString& glob) {
            return canBePinned(program, kind + glob);
        });
        QMenu* place = &menu;
        if (fitting.size() > 1) {
            place = menu.addMenu(title);
            place->setIcon(icon(name));
        }
        for (const QString& glob : fitting) {
            // A module name may contain an ampersand, which menus would take for a mnemonic.
            const QString shown = withoutMnemonic(fileText(glob.toStdString()));
            const QString text = fitting.size() > 1 ? shown : title + QStringLiteral(": ") + shown;
            place->addAction(icon(name), text,
                             [wanted, pin = QString{kind + glob}] { wanted(pin); });
        }
    };
    add(QStringLiteral("keep:"), QStringLiteral("keep"), QObject::tr("Always &keep"));
    add(QStringLiteral("recompute:"), QStringLiteral("recompute"),
        QObject::tr("Always &recompute"));
}

} // namespace plimsoll::ui
