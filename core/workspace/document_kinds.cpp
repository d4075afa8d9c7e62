// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/document_kinds.h"

#include "core/base/format.h"
#include "core/base/try.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace plimsoll::workspace {

namespace {

using base::ErrorKind;
using base::Result;
using Documents = std::vector<DocumentPtr>;

constexpr std::size_t kShownBytes = 24;

const DocumentKind* kindFor(const readers::ReaderDescriptor& format, const DocumentKinds& kinds)
{
    const auto found = std::ranges::find_if(kinds.kinds, [&](const DocumentKind& kind) {
        return kind.takes != nullptr && kind.takes(format);
    });
    return found == kinds.kinds.end() ? nullptr : &*found;
}

Result<DocumentPtr> restored(const session::SessionStore& store,
                             const session::SavedDocument& saved, const DocumentKinds& kinds,
                             const base::JobContext& job)
{
    const auto kind = std::ranges::find(kinds.kinds, saved.kind, &DocumentKind::id);
    if (kind != kinds.kinds.end())
        return kind->restore(store, saved, job);
    return base::failure(ErrorKind::File,
                         fmt::format("{}: it is of the kind \"{}\", which this version of Plimsoll "
                                     "doesn't know.",
                                     io::pathText(store.path()), base::printable(saved.kind, 40)));
}

Result<Documents> openSession(const std::filesystem::path& path, const DocumentKinds& kinds,
                              const base::JobContext& job)
{
    ASSIGN_OR_RETURN(const session::SessionStore store, session::SessionStore::open(path));
    ASSIGN_OR_RETURN(const std::vector<session::SavedDocument> saved, store.documents());
    if (saved.empty())
        return base::failure(ErrorKind::File,
                             fmt::format("{}: the session holds no document; open the file that "
                                         "it was made of instead.",
                                         io::pathText(path)));
    const auto file = std::make_shared<session::SessionFile>(path);
    Documents documents;
    std::vector<base::Error> faults;
    for (const session::SavedDocument& each : saved) {
        Result<DocumentPtr> document = restored(store, each, kinds, job);
        if (!document && document.error().kind == ErrorKind::Cancelled)
            return tl::unexpected{document.error()};
        if (!document) {
            faults.push_back(document.error());
            continue;
        }
        (*document)->session = {file, each.id, saved.size() == 1};
        (*document)->view = each.view;
        documents.push_back(*std::move(document));
    }
    if (documents.empty())
        return tl::unexpected{faults.front()};
    for (const base::Error& fault : faults)
        documents.front()->notes.push_back(
            fmt::format("A document of {} can't be opened, but is kept: {}", io::pathText(path),
                        fault.message));
    return documents;
}

} // namespace

Result<Documents> openFile(const std::filesystem::path& path, const DocumentKinds& kinds,
                           const base::JobContext& job)
try {
    io::Source source{path};
    ASSIGN_OR_RETURN(const readers::ReaderDescriptor* format, kinds.formats.find(source));
    if (format == nullptr)
        return base::failure(
            ErrorKind::File,
            fmt::format("{} is not in a format that Plimsoll reads; it begins with \"{}\".",
                        source.name(),
                        base::printable(source.head(kShownBytes).value_or(std::string{}))));
    if (format->kind == readers::FileKind::Session)
        return openSession(path, kinds, job);
    const DocumentKind* kind = kindFor(*format, kinds);
    if (kind == nullptr)
        return base::failure(ErrorKind::File,
                             fmt::format("{} is a {}, not a graph: {}.", source.name(),
                                         readers::kindName(format->kind), format->instead));
    ASSIGN_OR_RETURN(readers::FileValue value, readers::readWith(*format, source, job));
    ASSIGN_OR_RETURN(DocumentPtr document, kind->make(std::move(value), source, job));
    Documents documents;
    documents.push_back(std::move(document));
    return documents;
} catch (const std::bad_alloc&) {
    return base::failure(
        ErrorKind::File,
        fmt::format("{} needs more memory than this computer has.", io::pathText(path)));
}

} // namespace plimsoll::workspace
