// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"

#include <QDialog>

#include <vector>

class QListWidget;
class QPushButton;

namespace plimsoll::ui {

class ProfilePage;

/// Lets the user choose the graph of a recording's model among those that are open, or a file.
class GraphChooser : public QDialog
{
    Q_OBJECT

public:
    /// `graphs`: at least one.
    GraphChooser(std::vector<const workspace::PlanDocument*> graphs, QWidget* parent);

    /// Null: a file is wanted.
    [[nodiscard]] const workspace::PlanDocument* chosen() const;
    [[nodiscard]] QListWidget& list() const { return *m_list; }

private:
    std::vector<const workspace::PlanDocument*> m_graphs;
    QListWidget* m_list = nullptr;
    bool m_isFileWanted = false;
};

/// Asks for the graph of the page's model and uses it: for a file at once if none is open.
void useGraphOfModel(ProfilePage& page);

} // namespace plimsoll::ui
