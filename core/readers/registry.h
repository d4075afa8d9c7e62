// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/descriptor.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace plimsoll::readers {

/// Number of decompressed bytes passed to a sniffer.
inline constexpr std::size_t kSniffBytes = 4096;

/// The formats that a program reads. The only place that determines the kind of a file.
class Registry
{
public:
    explicit Registry(std::vector<ReaderDescriptor> readers) : m_readers{std::move(readers)} {}
    void add(ReaderDescriptor reader) { m_readers.push_back(std::move(reader)); }

    /// The reader for a file: by its path if a reader requires that, then by its first bytes, then
    /// by its extension; null if none matches. Fails if the file can't be read.
    [[nodiscard]] base::Result<const ReaderDescriptor*> find(const io::Source& source) const;
    /// The kind of a file; nothing if it isn't known or the file can't be read.
    [[nodiscard]] std::optional<FileKind> kindOf(const std::filesystem::path& path) const;
    /// The reader for content with this beginning; null if none matches.
    [[nodiscard]] const ReaderDescriptor* sniff(const std::filesystem::path& path,
                                                std::string_view head) const;

    /// Recognises and reads a file of one kind. Another kind is an error, a sentence that names it.
    /// Reports progress from 0 to 1000.
    [[nodiscard]] base::Result<FileValue> read(io::Source& source, FileKind wanted,
                                               const base::JobContext& context = {}) const;

    /// Recognises a profile and reads how long the GPU worked for each operator.
    [[nodiscard]] base::Result<memtrace::OpRecordingPtr>
    readOps(io::Source& source, const base::JobContext& context = {}) const;

private:
    /// Fails, with a sentence, if the file is of another kind.
    [[nodiscard]] base::Result<const ReaderDescriptor*> readerFor(const io::Source& source,
                                                                  FileKind wanted) const;

    std::vector<ReaderDescriptor> m_readers;
};

/// Reads with the given reader and adds the content's hash.
[[nodiscard]] base::Result<FileValue> readWith(const ReaderDescriptor& reader, io::Source& source,
                                               const base::JobContext& context);

/// Of the formats of graphs.
[[nodiscard]] std::vector<ReaderDescriptor> graphReaders();
/// Of the formats of memory profiles.
[[nodiscard]] std::vector<ReaderDescriptor> profileReaders();

/// Opens, recognises and reads a graph.
[[nodiscard]] base::Result<ReadProgram> readProgram(const std::filesystem::path& path,
                                                    const base::JobContext& context = {});
[[nodiscard]] base::Result<ReadProgram> readProgram(io::Source source,
                                                    const base::JobContext& context = {});

/// Opens, recognises and reads a memory profile.
[[nodiscard]] base::Result<ReadProfile> readProfile(io::Source source,
                                                    const base::JobContext& context = {});

} // namespace plimsoll::readers
