// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"

#include <QWidget>

#include <optional>

class QModelIndex;
class QPoint;
class QTreeView;

namespace plimsoll::ui {

class ModuleModel;

/// The Modules dock: the shown plan by module. Costs nothing while hidden.
class ModulePage : public QWidget
{
    Q_OBJECT

public:
    explicit ModulePage(QWidget* parent = nullptr);

    /// During a drag the rows keep their order.
    void setPlan(const plan::VerifiedPlanPtr& plan, bool isDragging);
    /// Makes a module's row the current one, opening what is around it; empty: none is. Emits
    /// nothing.
    void selectModule(std::optional<std::size_t> module);
    [[nodiscard]] ModuleModel* model() const { return m_model; }

Q_SIGNALS:
    /// The user chose a row: the module, and the step that first runs it. Index into
    /// Program::modules.
    void moduleChosen(std::size_t module);
    void stepChosen(int step);
    /// "keep:h.0.mlp", from a row's menu.
    void pinWanted(const QString& pin);
    /// Where a module is called, from a row's menu.
    void sourceWanted(const QString& source);

protected:
    void showEvent(QShowEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void buildTree();
    void fitColumns();
    void addKeys();
    void choose(const QModelIndex& index);
    void pinCurrent(const QString& kind);
    void openRowMenu(const QPoint& pos);
    void refresh();
    void showSelected();

    plan::VerifiedPlanPtr m_plan;
    bool m_isDragging = false;
    std::optional<std::size_t> m_module;
    ModuleModel* m_model = nullptr;
    QTreeView* m_tree = nullptr;
    bool m_isSelecting = false; ///< the current row changes without the user choosing it
};

} // namespace plimsoll::ui
