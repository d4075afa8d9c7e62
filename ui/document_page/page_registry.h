// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/document_kinds.h"
#include "ui/document_page/document_page.h"

#include <map>
#include <optional>

namespace plimsoll::ui {

/// The menus in which commands are placed.
enum class MenuPlace : std::uint8_t {
    Add,    ///< File, below the commands for opening
    Export, ///< File, below the commands for saving
    View,
    Own, ///< the menu PageKind::menu
    Help,
};

struct PageCommand;

/// Alternatives of which the shown document has one, such as GPUs: a submenu.
struct PageChoice
{
    struct Entry
    {
        QString id;
        QString text;
    };
    std::vector<Entry> entries;
    std::function<QString(const DocumentPage&)> chosen; ///< its id
    std::function<void(DocumentPage&, const QString& id)> choose;
    std::vector<PageCommand> below; ///< in the same menu
};

/// A command of a kind of page, enabled while such a page is shown; a submenu with a choice; or a
/// separator, if it has no text.
struct PageCommand
{
    MenuPlace place = MenuPlace::Own;
    const char* id = ""; ///< "plan.now"
    QString text = {};
    const char* key = "";
    std::function<void(DocumentPage&)> run = {};
    const char* icon = "";
    std::function<bool(const DocumentPage&)> isEnabled = {}; ///< empty: always
    std::function<QString(const DocumentPage&)> tip = {};    ///< empty: the text
    PageChoice choice = {};                                  ///< in place of `run`
    /// Null: it isn't checkable.
    std::function<bool(const DocumentPage&)> isChecked = {};
    /// Text and icon in the view bar, in place of those for exporting.
    QStringList button = {};
};

/// Files that become one document when they are dropped together.
struct JointFiles
{
    readers::FileKind kind{};
    QString offer; ///< "Open %1 files in Compare": what it says while they are dragged
};

/// The pages of a kind of document, and their commands.
struct PageKind
{
    QString id; ///< workspace::DocumentKind::id
    /// Makes the page of a document that was opened, which has the kind's type.
    std::function<DocumentPage*(workspace::DocumentPtr document, QWidget* parent)> make;
    /// Files that are only laid over such a document, and what to do if none is open.
    std::map<readers::FileKind, QString> additions = {};
    QString menu = {}; ///< title of the menu of its own
    std::vector<PageCommand> commands = {};
    QString view = {};      ///< "Planner": what the view bar calls such pages
    QString icon = {};      ///< of their tabs
    QString exporting = {}; ///< the command of the button for exporting; empty: none
    /// A new document, for what the shown page has; null: no page is shown. It is opened by the
    /// view bar while no document of the kind is open. Empty: documents are made of files only.
    std::function<workspace::DocumentPtr(const DocumentPage* shown)> begin = {};
    /// Files that are added to one new document; requires `begin`.
    std::optional<JointFiles> joint = {};
};

/// What a command may do with the window.
struct WindowAccess
{
    QWidget& window;
    std::function<void(const QStringList& files)> open;
};

/// What runs because of a command, whatever the window shows, and ends with the window.
struct WindowActivity
{
    /// For the status bar; empty: nothing runs.
    std::function<QString()> text;
    /// Before the window closes while it runs: asks the user. False: the window stays.
    std::function<bool(QWidget& window)> mayEnd;
    /// Calls `changed` whenever the text changes, as long as the context lives.
    std::function<void(QObject& context, std::function<void()> changed)> watch;
};

/// A command of the window, whatever it shows: in the menu File, and a button of the start page.
struct WindowCommand
{
    const char* id = ""; ///< "file.record"
    QString text;
    const char* key = "";
    const char* icon = "";
    std::function<void(const WindowAccess&)> run;
    std::optional<WindowActivity> activity = {};
};

/// The kinds that a window opens, and their pages; filled by the program's composition.
struct PageRegistry
{
    workspace::DocumentKinds documents;
    std::vector<PageKind> kinds;
    std::vector<PageCommand> shared = {}; ///< commands of every kind
    std::vector<WindowCommand> window = {};

    /// Null: no page shows such documents.
    [[nodiscard]] const PageKind* kindOf(const workspace::Document& document) const
    {
        for (const PageKind& kind : kinds)
            if (kind.id.toStdString() == document.kind())
                return &kind;
        return nullptr;
    }
    /// The sentence of `additions`; empty: it isn't such a file.
    [[nodiscard]] QString additionHint(readers::FileKind file) const
    {
        for (const PageKind& kind : kinds)
            if (const auto hint = kind.additions.find(file); hint != kind.additions.end())
                return hint->second;
        return {};
    }
};

} // namespace plimsoll::ui
