// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"

#include <QDialog>
#include <QStringList>

class QListWidget;
class QPushButton;

namespace plimsoll::ui {

class DocumentPage;
class Settings;

/// Profiles to add to a comparison.
struct ChosenProfiles
{
    workspace::ComparedProfiles open;
    QStringList files;

    [[nodiscard]] bool isEmpty() const { return open.empty() && files.isEmpty(); }
};

/// The profiles that are open in a window, without those that are compared already.
[[nodiscard]] workspace::ComparedProfiles openProfiles(const QWidget& window,
                                                       const workspace::ComparedProfiles& compared);

/// Lets the user choose among open profiles, and files.
class ProfileChooser : public QDialog
{
    Q_OBJECT

public:
    ProfileChooser(workspace::ComparedProfiles open, Settings& settings, QWidget* parent);

    [[nodiscard]] ChosenProfiles chosen() const;
    [[nodiscard]] QListWidget& list() const { return *m_list; }

private:
    void chooseProfileFiles();
    void followChecks();

    workspace::ComparedProfiles m_open;
    Settings& m_settings;
    QStringList m_files;
    QListWidget* m_list = nullptr;
    QPushButton* m_compare = nullptr;
};

/// Asks for profiles: for files at once if no other profile is open.
[[nodiscard]] ChosenProfiles chooseProfiles(DocumentPage& page, Settings& settings,
                                            const workspace::ComparedProfiles& compared);

} // namespace plimsoll::ui
