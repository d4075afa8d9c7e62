// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/file_kind.h"

#include "core/compare/measurement.h"
#include "core/io/byte_source.h"
#include "core/plan_file/plan_json.h"
#include "core/session/database.h"

#include <fmt/format.h>

namespace plimsoll::workspace {

namespace {

constexpr std::size_t kHead = 4096;

} // namespace

FileKind kindOf(const std::filesystem::path& path)
{
    // First, and by its own means: a session that is open must not be opened and closed once more.
    if (session::looksLikeSession(path))
        return FileKind::Session;
    const base::Result<std::string> head = io::readHead(path, kHead);
    if (head && compare::looksLikeMeasurement(*head))
        return FileKind::Measurement;
    return head && plan::looksLikePlan(*head) ? FileKind::Plan : FileKind::Graph;
}

base::Error notAGraph(const std::filesystem::path& path, const base::Error& error)
{
    if (error.kind != base::ErrorKind::File)
        return error;
    const auto is = [&](const char* what) {
        return base::Error{error.kind, io::pathText(path) + " is a " + what};
    };
    switch (kindOf(path)) {
    case FileKind::Graph: break;
    case FileKind::Plan: return is("plan, not a graph: take the traced step that it is for.");
    case FileKind::Measurement:
        return is("measurement, not a graph: take the traced step that was measured.");
    case FileKind::Session:
        return is("session, not a graph: the app opens it, \"plimsoll-cli session show\" tells "
                  "what it holds.");
    }
    return error;
}

} // namespace plimsoll::workspace
