// SPDX-License-Identifier: Apache-2.0
#include "ui/menus/mnemonics.h"

#include <QAction>
#include <QHash>
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

/// Gives each action a letter of its own. Where all of an action's letters are taken, others change
/// theirs (augmenting paths of a bipartite matching), so that nobody goes without if that can be.
class Letters
{
public:
    Letters(const QList<QAction*>& actions, const QSet<QChar>& taken)
        : m_actions{actions}, m_taken{taken}, m_places(actions.size(), -1)
    {
    }
    void give(qsizetype action)
    {
        m_seen.clear();
        static_cast<void>(find(action));
    }
    /// In the action's text; -1: none.
    [[nodiscard]] qsizetype placeOf(qsizetype action) const { return m_places[action]; }

private:
    [[nodiscard]] bool find(qsizetype action)
    {
        const QString text = m_actions[action]->text();
        const QList<qsizetype> letters = lettersOf(text);
        for (const bool mayMove : {false, true})
            for (const qsizetype at : letters) {
                const QChar letter = text[at].toLower();
                const auto owner = m_owners.constFind(letter);
                const bool isFree = owner == m_owners.constEnd();
                if (m_taken.contains(letter) || isFree == mayMove)
                    continue;
                if (mayMove && (m_seen.contains(letter) || !moves(*owner, letter)))
                    continue;
                m_owners[letter] = action;
                m_places[action] = at;
                return true;
            }
        return false;
    }
    [[nodiscard]] bool moves(qsizetype owner, QChar letter)
    {
        m_seen << letter;
        return find(owner);
    }

    const QList<QAction*>& m_actions;
    const QSet<QChar>& m_taken;
    QList<qsizetype> m_places;
    QHash<QChar, qsizetype> m_owners;
    QSet<QChar> m_seen; ///< letters whose owners were asked for this action
};

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
    Letters letters{without, used};
    for (qsizetype i = 0; i < without.size(); ++i)
        letters.give(i);
    for (qsizetype i = 0; i < without.size(); ++i)
        if (const qsizetype at = letters.placeOf(i); at >= 0)
            without[i]->setText(without[i]->text().insert(at, u'&'));
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
