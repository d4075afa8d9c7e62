// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_picture.h"

#include <QWidget>

#include <optional>
#include <utility>
#include <vector>

class QFormLayout;
class QLabel;
class QStackedWidget;
class QTreeWidget;

namespace plimsoll::ui {

class TextLabel;

/// Everything that is known of one allocation: size, place, life, and the stacks of who allocated
/// and who freed it, the project's frames first.
class Inspector : public QWidget
{
    Q_OBJECT

public:
    explicit Inspector(QWidget* parent = nullptr);

    /// None: a sentence says how to select one.
    void show(const workspace::ProfilePicturePtr& picture, std::optional<std::uint32_t> allocation);
    /// Why the allocation has its class.
    [[nodiscard]] QString rule() const;
    /// Why it is alive, as a graph of the model tells; empty: it doesn't.
    [[nodiscard]] QString why() const;
    /// The value beside a title; empty: it isn't shown.
    [[nodiscard]] QString value(const QString& title) const;

Q_SIGNALS:
    /// A frame was activated: "train/model.py:12".
    void sourceWanted(const QString& source);

private:
    void add(const QString& title, const QString& value);
    /// What a graph of the model tells.
    void addTold(const workspace::ProfilePicture& picture, std::uint32_t allocation);
    void addStack(const QString& title, const memtrace::StackTable& stacks,
                  memtrace::StackId stack);

    QStackedWidget* m_pages = nullptr;
    TextLabel* m_name = nullptr;
    QLabel* m_rule = nullptr; ///< why it has its class
    QLabel* m_why = nullptr;  ///< it is alive, from a graph
    QFormLayout* m_facts = nullptr;
    QTreeWidget* m_stack = nullptr;
    std::vector<std::pair<QString, QString>> m_shown; ///< titles and values
};

} // namespace plimsoll::ui
