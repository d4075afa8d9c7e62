// SPDX-License-Identifier: Apache-2.0
#include "ui/menus/mnemonics.h"

#include <QAction>
#include <QMenu>
#include <QSet>

namespace plimsoll::ui {

namespace {

/// Where the letter behind a single "&" is; -1: there is none. "&&" is a written "&".
qsizetype mnemonicIn(const QString& text)
{
    for (qsizetype i = 0; i + 1 < text.size(); ++i) {
        if (text[i] != u'&')
            continue;
        if (text[i + 1] != u'&')
            return i + 1;
        ++i;
    }
    return -1;
}

/// The letters at which words begin, then all others.
QList<qsizetype> lettersOf(const QString& text)
{
    QList<qsizetype> first;
    QList<qsizetype> others;
    for (qsizetype i = 0; i < text.size(); ++i)
        if (text[i].isLetterOrNumber())
            (i == 0 || text[i - 1].isSpace() ? first : others) << i;
    return first + others;
}

} // namespace

void addMnemonics(const QList<QAction*>& actions)
{
    QSet<QChar> used;
    QList<QAction*> without;
    for (QAction* action : actions) {
        QString text = action->text();
        const qsizetype at = mnemonicIn(text);
        if (at >= 0 && !used.contains(text[at].toLower())) {
            used << text[at].toLower();
        } else if (!action->isSeparator()) {
            if (at >= 0) // an entry above has it: menus are put together from several places
                action->setText(text.remove(at - 1, 1));
            without << action;
        }
    }
    for (QAction* action : without) {
        QString text = action->text();
        for (const qsizetype at : lettersOf(text)) {
            if (used.contains(text[at].toLower()))
                continue;
            used << text[at].toLower();
            action->setText(text.insert(at, u'&'));
            break;
        }
    }
}

void addMnemonics(QMenu& menu)
{
    addMnemonics(menu.actions());
    QObject::connect(&menu, &QMenu::aboutToShow, &menu, [&menu] { addMnemonics(menu.actions()); });
    for (QAction* action : menu.actions())
        if (QMenu* below = action->menu())
            addMnemonics(*below);
}

} // namespace plimsoll::ui
