// SPDX-License-Identifier: Apache-2.0
#include "core/readers/registry.h"

#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/io/content_hash.h"
#include "core/readers/plimsoll_graph/reader.h"

#include <fmt/format.h>

#include <new>

namespace plimsoll::readers {

namespace {

using base::ErrorKind;
using base::Result;

/// A graph of a million ops is below it. Parsing takes a multiple of it in memory.
constexpr std::uint64_t kLargestGraph = std::uint64_t{512} << 20U;
constexpr std::size_t kShownBytes = 24;

bool hasExtension(const std::filesystem::path& path, std::string_view extension)
{
    std::string name = path.filename().native();
    constexpr std::string_view kGzip = ".gz";
    if (std::string_view{name}.ends_with(kGzip))
        name.resize(name.size() - kGzip.size());
    return std::string_view{name}.ends_with(extension);
}

} // namespace

Registry::Registry()
{
    m_readers.push_back(plimsoll_graph::descriptor());
}

const ReaderDescriptor* Registry::sniff(const std::filesystem::path& path,
                                        std::string_view head) const
{
    for (const ReaderDescriptor& reader : m_readers)
        if (reader.sniff(head.substr(0, kSniffBytes)))
            return &reader;
    for (const ReaderDescriptor& reader : m_readers)
        for (const std::string& extension : reader.extensions)
            if (hasExtension(path, extension))
                return &reader;
    return nullptr;
}

Result<ReadProgram> readProgram(const std::filesystem::path& path, const base::JobContext& context)
try {
    const io::ReadLimits limits{.bytes = kLargestGraph};
    const Result<io::FileContent> content = io::readFile(path, context, limits);
    if (!content)
        return tl::unexpected(content.error());
    const Source source{io::pathText(path), content->bytes, content->compressed};
    const Registry registry;
    const ReaderDescriptor* reader = registry.sniff(path, source.bytes);
    if (reader == nullptr)
        return base::failure(ErrorKind::File,
                             fmt::format("{} is not a graph (it begins with \"{}\"); make one with "
                                         "plimsoll.trace().",
                                         source.name,
                                         base::printable(source.bytes.substr(0, kShownBytes))));
    Result<ReadProgram> read = reader->read(source, context);
    if (!read)
        return read;
    read->contentHash = io::contentHash(source.bytes);
    context.report(1, 1);
    return read;
} catch (const std::bad_alloc&) {
    return base::failure(
        ErrorKind::File,
        fmt::format("{} needs more memory than this computer has.", io::pathText(path)));
}

} // namespace plimsoll::readers
