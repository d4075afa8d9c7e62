// SPDX-License-Identifier: Apache-2.0
#include "core/readers/registry.h"

#include "core/base/format.h"
#include "core/base/unicode.h"
#include "core/io/content_hash.h"
#include "core/readers/plimsoll_graph/reader.h"

#include <fmt/format.h>

#include <new>

namespace plimsoll::readers {

namespace {

using base::ErrorKind;
using base::Result;

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
    head = base::fromFirstCharacter(head);
    for (const ReaderDescriptor& reader : m_readers)
        if (reader.sniff(head.substr(0, kSniffBytes)))
            return &reader;
    for (const ReaderDescriptor& reader : m_readers)
        for (const std::string& extension : reader.extensions)
            if (hasExtension(path, extension))
                return &reader;
    return nullptr;
}

Result<ReadProgram> readContent(const std::filesystem::path& path, const Source& source,
                                const base::JobContext& context)
{
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
    return read;
}

Result<ReadProgram> readProgram(const std::filesystem::path& path, const base::JobContext& context)
try {
    const Result<io::FileContent> content = io::readFile(path, context, kGraphLimits);
    if (!content)
        return tl::unexpected(content.error());
    Result<ReadProgram> read =
        readContent(path, {io::pathText(path), content->bytes, content->compressed}, context);
    if (read)
        context.report(1, 1);
    return read;
} catch (const std::bad_alloc&) {
    return base::failure(
        ErrorKind::File,
        fmt::format("{} needs more memory than this computer has.", io::pathText(path)));
}

} // namespace plimsoll::readers
