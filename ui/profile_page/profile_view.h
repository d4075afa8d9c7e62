// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_document.h"
#include "ui/document_page/document_page.h"

#include <QFlags>

#include <functional>
#include <vector>

class QJsonObject;
class QWidget;

namespace plimsoll::ui {

class JobRunnerBase;
class ProfilePage;

/// What a profile page shows, for the duration of an update.
struct ProfileState
{
    const workspace::ProfileDocument& document;
    const workspace::ProfilePicturePtr& picture; ///< never null
    bool isDrawing;                              ///< a picture for other settings is being made
};

enum class ProfileChange : std::uint8_t {
    Picture = 1U << 0U, ///< device, axis or layers
    Notes = 1U << 1U,
    Settings = 1U << 2U, ///< of the document; their picture follows
    Live = 1U << 3U,     ///< alarm, or whether the file is followed
};
Q_DECLARE_FLAGS(ProfileChanges, ProfileChange)
Q_DECLARE_OPERATORS_FOR_FLAGS(ProfileChanges)

/// A view of a profile page: takes changes from the page's state, and passes on the user's actions.
/// Knows the document and the selection, but no other view. Only `update` is required.
struct ProfileView
{
    QWidget* widget = nullptr; ///< in the centre or a dock from the start
    QWidget* plots = nullptr;  ///< of the centre: what is exported as the page's picture
    std::function<void(const ProfileState&, ProfileChanges)> update;
    /// Whether its tab is shown at first, unless a session knows better.
    std::function<bool(const ProfileState&)> isFirst = {};
    /// Its tab is shown when the user selects an allocation, unless it is among the tables.
    bool tellsAllocation = false;
    std::function<bool()> cancelDrag = {}; ///< Esc, before all else; false: there was none
    std::function<bool()> goBack = {};     ///< Esc, one level; false: there was nothing
    // What a session keeps of it.
    std::function<void(QJsonObject&)> store = {};
    std::function<void(const QJsonObject&)> restore = {};
    std::vector<JobRunnerBase*> jobs = {}; ///< that are stopped before the page closes
};

using MakeProfileView = std::function<ProfileView(ProfilePage&)>;

/// A view as a tab of a dock.
struct ProfileViewKind
{
    QString id;
    QString title;
    MakeProfileView make;
};

struct ProfileDock
{
    DockKind dock;
    std::vector<ProfileViewKind> views; ///< in the order of their tabs
};

/// All views of a profile page.
struct ProfileLayout
{
    MakeProfileView centre;
    std::vector<ProfileDock> docks;
};

} // namespace plimsoll::ui
