// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QPushButton;
class QToolButton;

namespace plimsoll::ui {

class Actions;

/// The bar above a document: undo, redo, fit; export at the right.
class ViewBar : public QWidget
{
    Q_OBJECT

public:
    explicit ViewBar(QWidget* parent = nullptr);
    void setActions(const Actions& actions);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void relabel();

    QToolButton* m_undo = nullptr;
    QToolButton* m_redo = nullptr;
    QToolButton* m_fit = nullptr;
    QPushButton* m_export = nullptr;
};

} // namespace plimsoll::ui
