// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/ops/op_recording.h"
#include "core/readers/file_value.h"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers {

/// One file format: how it is recognised and read.
struct ReaderDescriptor
{
    std::string id;   ///< "plimsoll-graph": for machines
    std::string name; ///< "Plimsoll graph": for people
    FileKind kind = FileKind::Graph;
    /// With their dots, without ".gz": used if the content is not conclusive.
    std::vector<std::string> extensions = {};
    /// What to do with such a file if a graph is needed: the end of an error message.
    std::string instead = {};
    /// Whether content that begins with these bytes (kSniffBytes of them, or all; leading white
    /// space removed) has this format. Null: recognised by its path.
    bool (*sniff)(std::string_view head) = nullptr;
    base::Result<FileValue> (*read)(io::Source& source, const base::JobContext& context) = nullptr;
    /// How long the GPU worked for each operator. Null: such files don't tell, and `whyNoOps` says
    /// why: "records no kernels".
    base::Result<memtrace::OpRecordingPtr> (*readOps)(io::Source& source,
                                                      const base::JobContext& context) = nullptr;
    std::string whyNoOps = {};
    /// For files that must not be opened just to recognise them.
    bool (*sniffPath)(const std::filesystem::path& path) = nullptr;
    /// The profile that makes one document with a file, if it lies there; null: none does.
    std::filesystem::path (*besideOf)(const std::filesystem::path& path) = nullptr;
    /// Both as one; if they don't belong together, or the other can't be read, the gaps say so.
    ReadProfile (*join)(ReadProfile own, const base::Result<ReadProfile>& beside,
                        std::string_view nameBeside) = nullptr;
};

} // namespace plimsoll::readers
