// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/registry.h"
#include "core/workspace/document.h"

#include <functional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

/// A kind of document: the files from which it is made, and how it is restored from a session. Both
/// run off the GUI thread.
struct DocumentKind
{
    std::string id; ///< Document::kind()
    /// Whether files of this format become such a document; null: none do, and `make` is empty.
    bool (*takes)(const readers::ReaderDescriptor& format) = nullptr;
    std::function<base::Result<DocumentPtr>(readers::FileValue value, io::Source& source,
                                            const base::JobContext& job)>
        make;
    std::function<base::Result<DocumentPtr>(const session::SessionStore& store,
                                            const session::SavedDocument& saved,
                                            const base::JobContext& job)>
        restore;
};

/// The kinds that can be opened: filled once, by the program.
struct DocumentKinds
{
    readers::Registry formats;
    std::vector<DocumentKind> kinds;
};

/// Makes a document from a file, or all documents of a session; at least one. Documents of a
/// session that this build doesn't know or can't read stay in the file and are reported in a note.
/// Errors are one sentence. Off the GUI thread.
[[nodiscard]] base::Result<std::vector<DocumentPtr>> openFile(const std::filesystem::path& path,
                                                              const DocumentKinds& kinds,
                                                              const base::JobContext& job);

} // namespace plimsoll::workspace
