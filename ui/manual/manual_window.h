// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLineEdit;
class QListView;
class QModelIndex;
class QToolButton;

namespace plimsoll::ui {

class ManualBrowser;
class ManualModel;

/// The manual: its contents or what a search found on the left, a page on the right.
class ManualWindow : public QWidget
{
    Q_OBJECT

public:
    explicit ManualWindow(QWidget* parent = nullptr);

    /// A page by its name in the manual's folder ("planners.md#rotor"); empty: the first one.
    void showPage(const QString& page);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void buildBar();
    void search(const QString& text);
    void open(const QModelIndex& row);
    void pageShown();
    void rescale();

    ManualModel* m_model;
    QLineEdit* m_search = nullptr;
    QToolButton* m_back = nullptr;
    QToolButton* m_forward = nullptr;
    QListView* m_list;
    ManualBrowser* m_page;
};

/// Shows the manual of this window, at what its focus is in if `isForFocus`, else at its beginning.
void showManual(QWidget& window, bool isForFocus);

} // namespace plimsoll::ui
