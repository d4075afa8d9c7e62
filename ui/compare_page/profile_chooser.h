// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"
#include "core/workspace/plan_document.h"

#include <QDialog>
#include <QStringList>

#include <cstdint>
#include <vector>

class QListWidget;
class QListWidgetItem;
class QPushButton;

namespace plimsoll::ui {

class DocumentPage;
class Settings;

/// Profiles to add to a comparison.
struct ChosenProfiles
{
    workspace::ComparedProfiles open;
    QStringList files;
    /// An open graph whose step is predicted for the profile; null: none was chosen.
    const workspace::PlanDocument* graph = nullptr;

    [[nodiscard]] bool isEmpty() const
    {
        return open.empty() && files.isEmpty() && graph == nullptr;
    }
};

/// The profiles that are open in a window, without those that are compared already.
[[nodiscard]] workspace::ComparedProfiles openProfiles(const QWidget& window,
                                                       const workspace::ComparedProfiles& compared);

enum class ProfileChoice : std::uint8_t {
    Profiles,
    ProfilesOrGraph, ///< some profiles, or one graph
    OneProfile,
};

/// Lets the user choose among open profiles and graphs, and files.
class ProfileChooser : public QDialog
{
    Q_OBJECT

public:
    ProfileChooser(workspace::ComparedProfiles open,
                   std::vector<const workspace::PlanDocument*> graphs, ProfileChoice choice,
                   Settings& settings, QWidget* parent);

    [[nodiscard]] ChosenProfiles chosen() const;
    [[nodiscard]] QListWidget& list() const { return *m_list; }

private:
    void chooseProfileFiles();
    void followCheck(QListWidgetItem* changed);
    void followChecks();

    workspace::ComparedProfiles m_open;
    std::vector<const workspace::PlanDocument*> m_graphs; ///< listed behind the profiles
    ProfileChoice m_choice;
    Settings& m_settings;
    QStringList m_files;
    QListWidget* m_list = nullptr;
    QPushButton* m_compare = nullptr;
};

/// Asks for profiles: for files at once if nothing else is open.
[[nodiscard]] ChosenProfiles chooseProfiles(DocumentPage& page, Settings& settings,
                                            const workspace::ComparedProfiles& compared,
                                            ProfileChoice choice);

} // namespace plimsoll::ui
