// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/document_page.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace plimsoll::ui {

/// Where in the menus a command stands.
enum class MenuPlace : std::uint8_t {
    Add,    ///< File, below opening
    Export, ///< File, below saving
    View,
    Own, ///< the menu PageKind::menu
    Help,
};

struct PageCommand;

/// Several things of which the shown document has one, such as a GPU: a menu.
struct PageChoice
{
    struct Entry
    {
        QString id;
        QString text;
        std::function<void(DocumentPage&)> choose;
    };
    std::vector<Entry> entries;
    std::function<QString(const DocumentPage&)> chosen; ///< its id
    std::vector<PageCommand> below = {};                ///< in the same menu
};

/// A command of a kind of page, enabled while a page of the kind is shown; a menu with a choice; or
/// a line between them, if it has no text.
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
};

/// A kind of document: the files that it is read from, its page, its commands.
struct PageKind
{
    /// Makes the page of what was read, on the GUI thread.
    using Factory = std::function<DocumentPage*(QWidget* parent)>;

    QString id;
    std::vector<workspace::FileKind> files;
    /// Off the GUI thread.
    std::function<base::Result<Factory>(const std::filesystem::path& path,
                                        const base::JobContext& job)>
        read;
    /// Files that are only laid over such a document, and what to do where none is open.
    std::map<workspace::FileKind, QString> additions;
    QString menu; ///< title of the menu of its own
    std::vector<PageCommand> commands;
};

/// The kinds of documents that a window opens; filled by whoever composes the program.
struct PageRegistry
{
    std::vector<PageKind> kinds;

    /// Null: no kind is read from such a file.
    [[nodiscard]] const PageKind* readerOf(workspace::FileKind file) const
    {
        for (const PageKind& kind : kinds)
            if (std::find(kind.files.begin(), kind.files.end(), file) != kind.files.end())
                return &kind;
        return nullptr;
    }
    /// The sentence of `additions`; empty: it is no such file.
    [[nodiscard]] QString additionHint(workspace::FileKind file) const
    {
        for (const PageKind& kind : kinds)
            if (const auto hint = kind.additions.find(file); hint != kind.additions.end())
                return hint->second;
        return {};
    }
};

} // namespace plimsoll::ui
