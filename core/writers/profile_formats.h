// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/io/atomic_file.h"
#include "core/memtrace/memory_trace.h"

#include <filesystem>
#include <string>
#include <vector>

namespace plimsoll::writers {

/// A file format for memory profiles.
struct ProfileWriter
{
    std::string id;        ///< "csv"
    std::string name;      ///< "Table of allocations": for people
    std::string extension; ///< ".csv": selects the format
    base::Result<void> (*write)(const memtrace::MemoryTrace& trace, const io::Put& put,
                                const base::JobContext& context) = nullptr;
};

/// The formats of this build, in the order in which menus show them.
[[nodiscard]] const std::vector<ProfileWriter>& profileWriters();

/// A row for each allocation, with a header line, as in RFC 4180, by device and in the order of the
/// recording: device (ordinal, -1 for pinned host memory), address, bytes (requested), block_bytes
/// (of blocks that are there at the end), alloc_event and free_event (of the recording's device,
/// from 0), alloc_ns and free_ns (from its begin), stream (as recorded), pool ("0.0": the default
/// one), class (memtrace::className()), frame ("file:line:name"), stack_id (equal for equal
/// stacks). Fields are empty where the recording doesn't tell them: there was no such event, it has
/// no times or no stack.
[[nodiscard]] base::Result<void> writeAllocations(const memtrace::MemoryTrace& trace,
                                                  const io::Put& put,
                                                  const base::JobContext& context = {});

/// A picture (SVG) of the device with the highest peak: what was live by class over time, below the
/// outline of what was reserved, if that was recorded.
[[nodiscard]] base::Result<void> writeProfilePicture(const memtrace::MemoryTrace& trace,
                                                     const io::Put& put,
                                                     const base::JobContext& context = {});

/// Writes a profile in the format that the extension selects, as a whole or not at all. Refuses to
/// replace `source`, the file that was read. Usage error that lists the extensions for others.
[[nodiscard]] base::Result<void> writeProfileFile(const memtrace::MemoryTrace& trace,
                                                  const std::filesystem::path& path,
                                                  const std::filesystem::path& source,
                                                  const base::JobContext& context = {});

} // namespace plimsoll::writers
