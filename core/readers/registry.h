// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/descriptor.h"

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

namespace plimsoll::readers {

/// Decompressed bytes that a sniffer sees.
inline constexpr std::size_t kSniffBytes = 4096;

/// The formats that a program reads. The only place where the kind of a file is found out.
class Registry
{
public:
    explicit Registry(std::vector<ReaderDescriptor> readers) : m_readers{std::move(readers)} {}
    void add(ReaderDescriptor reader) { m_readers.push_back(std::move(reader)); }

    /// The reader for a file: by its path where one must, then by its first bytes, then by its
    /// extension; null when none knows it. Fails where the file can't be read.
    [[nodiscard]] base::Result<const ReaderDescriptor*> find(const io::Source& source) const;
    /// The kind of a file; nothing where it isn't known or the file can't be read.
    [[nodiscard]] std::optional<FileKind> kindOf(const std::filesystem::path& path) const;
    /// The reader for content that begins so; null when none knows it.
    [[nodiscard]] const ReaderDescriptor* sniff(const std::filesystem::path& path,
                                                std::string_view head) const;

    /// Recognises and reads a file of one kind. Another kind is an error of one sentence that says
    /// which it is. Reports progress from 0 to 1000.
    [[nodiscard]] base::Result<FileValue> read(io::Source& source, FileKind wanted,
                                               const base::JobContext& context = {}) const;

private:
    std::vector<ReaderDescriptor> m_readers;
};

/// Reads with a reader that was found; content gets its hash.
[[nodiscard]] base::Result<FileValue> readWith(const ReaderDescriptor& reader, io::Source& source,
                                               const base::JobContext& context);

/// Of the formats of graphs.
[[nodiscard]] std::vector<ReaderDescriptor> graphReaders();

/// Opens, recognises and reads a graph.
[[nodiscard]] base::Result<ReadProgram> readProgram(const std::filesystem::path& path,
                                                    const base::JobContext& context = {});
[[nodiscard]] base::Result<ReadProgram> readProgram(io::Source source,
                                                    const base::JobContext& context = {});

} // namespace plimsoll::readers
