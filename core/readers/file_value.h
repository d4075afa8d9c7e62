// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/graph/program.h"
#include "core/io/source.h"
#include "core/memtrace/memory_trace.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

namespace plimsoll::readers {

/// What a file is about.
enum class FileKind : std::uint8_t {
    Graph,       ///< a traced step
    Profile,     ///< what a program did with memory
    Plan,        ///< of a graph
    Measurement, ///< of a step that ran
    Session,     ///< a Plimsoll session
    Problem,     ///< of a solver, without a graph
};

/// "graph", "profile", …
[[nodiscard]] const char* kindName(FileKind kind);

/// Text to parse: content followed by io::kPadding readable bytes, and its file's name.
struct Text
{
    std::string name; ///< as shown in messages
    std::string_view bytes;
    bool compressed = false; ///< offsets then count decompressed bytes, as messages say
};

/// What a graph reader returns.
struct ReadProgram
{
    graph::ProgramPtr program;
    std::string formatId;
    int formatVersion = 0;
    /// Tolerated oddities, each with its number of occurrences: worth showing if not empty.
    std::map<std::string, std::size_t> statistics;
    std::string contentHash; ///< io::contentHash of the decompressed content
};

/// What a profile reader returns; its oddities are the trace's.
struct ReadProfile
{
    memtrace::MemoryTracePtr trace;
    std::string formatId;
    int formatVersion = 0;
    std::string contentHash; ///< io::PartsHash of the decompressed content
};

/// The text of a file that is parsed together with what it belongs to: a plan or a measurement with
/// its graph, a problem by its solver.
using FileText = std::shared_ptr<const io::FileContent>;

/// What a file holds. A session is opened by its path.
using FileValue = std::variant<ReadProgram, ReadProfile, FileText, std::filesystem::path>;

} // namespace plimsoll::readers
