// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/settings.h"

#include <QDialog>

#include <functional>
#include <vector>

class QFormLayout;
class QLineEdit;
class QListWidget;
class QPushButton;
class QStackedWidget;

namespace plimsoll::ui {

/// The user's settings, a page per subject; every change takes effect at once. The search at the
/// top filters rows and pages by the typed text.
class SettingsDialog : public QDialog
{
    Q_OBJECT

public:
    explicit SettingsDialog(Settings& settings, QWidget* parent = nullptr);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    /// One setting: its name, its control, a sentence below.
    struct Row
    {
        int page = 0;
        QString words; ///< lower case, for the search
        QWidget* label = nullptr;
        QWidget* box = nullptr;
    };
    struct Page
    {
        QString title;
        QFormLayout* form = nullptr;
        QWidget* nothing = nullptr; ///< "No setting here …"
        std::function<void()> restore;
    };

    void buildFrame();
    void addPage(const QString& title, std::function<void()> restore);
    void addRow(const QString& title, const QString& sentence, QWidget* control);
    void buildGeneral();
    void buildEditor();
    void buildAppearance();
    void find(const QString& text);
    void showPage(int page);

    Settings& m_settings;
    QLineEdit* m_search = nullptr;
    QListWidget* m_list = nullptr;
    QStackedWidget* m_stack = nullptr;
    QPushButton* m_restore = nullptr;
    std::vector<Page> m_pages;
    std::vector<Row> m_rows;
};

} // namespace plimsoll::ui
