// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLineEdit;
class QToolButton;

namespace plimsoll::ui {

class ManualBrowser;
class ManualList;

/// The manual: its contents or search results on the left, a page on the right.
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
    void rescale();

    QLineEdit* m_search = nullptr;
    QToolButton* m_back = nullptr;
    QToolButton* m_forward = nullptr;
    ManualList* m_list;
    ManualBrowser* m_page;
};

/// Opens the window's manual at a page by its name; empty: the first one.
void showManual(QWidget& window, const QString& page = {});
/// The same at the page of the focused widget.
void showManualForFocus(QWidget& window);

} // namespace plimsoll::ui
