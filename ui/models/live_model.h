// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/live_tree.h"

#include <QAbstractItemModel>

namespace plimsoll::ui {

/// Presents a LiveTree to views.
class LiveModel : public QAbstractItemModel
{
    Q_OBJECT

public:
    enum Column { NameColumn, ClassColumn, BytesColumn, ShareColumn, MadeColumn, SinceColumn };
    enum DataRole {
        CategoryRole = Qt::UserRole + 100, ///< of timeline::Category; invalid: several
        KeyRole,                           ///< for a group, the same at every step
        GlobRole,                          ///< the glob that pins it; may be empty
        ModuleRole, ///< of a group or a block's group, index into Program::modules; may be invalid
        SinceRole,  ///< step; invalid: a group, or live before the step
    };

    using QAbstractItemModel::QAbstractItemModel;

    /// Null: no rows.
    void setTree(LiveTreePtr tree);
    [[nodiscard]] const LiveTreePtr& tree() const { return m_tree; }
    /// Of a node of the tree, in the first column.
    [[nodiscard]] QModelIndex indexOfNode(int node) const;

    /// The group of a module; invalid: nothing of it is live, or groups aren't modules.
    [[nodiscard]] QModelIndex indexOfModule(graph::ModuleId module) const;

    [[nodiscard]] QModelIndex index(int row, int column,
                                    const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    using QObject::parent;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index,
                                int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    [[nodiscard]] const LiveNode& nodeAt(const QModelIndex& index) const
    {
        return m_tree->nodes[static_cast<std::size_t>(index.internalId())];
    }
    [[nodiscard]] QString text(const LiveNode& node, int column) const;

    LiveTreePtr m_tree;
};

} // namespace plimsoll::ui
