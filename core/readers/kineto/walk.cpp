// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/walk.h"

#include "core/base/try.h"
#include "core/readers/memory_bound.h"

#include <fmt/format.h>

namespace plimsoll::readers::kineto {

namespace {

using base::Result;

/// What is done between two looks at the memory; stays in the cache.
constexpr std::size_t kSlice = std::size_t{256} << 10U;
/// Only the memory limits the size of a trace.
constexpr io::ReadLimits kLimits{.bytes = std::uint64_t{1} << 40U};
constexpr MemoryBound kBound{2, Walk::kFreeBytes};

} // namespace

tl::unexpected<base::Error> Walk::refused(std::string_view fault) const
{
    return base::failure(base::ErrorKind::File,
                         fmt::format("{} at byte {}{} {}.", m_name, m_splitter.offset(),
                                     m_file.compressed ? " of the decompressed text" : "", fault));
}

Result<void> Walk::feed(std::string_view part, const io::FileFacts& file)
{
    m_file = file;
    m_hash.add(part);
    m_fed += part.size();
    if (!m_splitter.feed(part))
        return refused(m_splitter.fault());
    if (memoryBytes() > kBound.most(m_fed, file))
        return refused(MemoryBound::refusal("a trace", file));
    return {};
}

Result<void> Walk::feedAll(io::Source& source, const base::JobContext& context)
{
    // Streaming reports progress itself.
    const io::Sink sink = [&](std::string_view part, const io::FileFacts& file) -> Result<void> {
        const std::size_t size = part.size();
        while (!part.empty()) {
            if (context.stopRequested())
                return base::cancelled();
            const std::string_view slice = part.substr(0, kSlice);
            RETURN_IF_ERROR(feed(slice, file));
            part.remove_prefix(slice.size());
            if (source.isInMemory())
                context.report(size - part.size(), size);
        }
        return {};
    };
    return source.stream(sink, context, kLimits);
}

Result<void> Walk::finish()
{
    if (!m_splitter.finish())
        return refused(m_splitter.fault());
    return {};
}

base::Error Walk::named(base::Error error) const
{
    if (error.kind == base::ErrorKind::File)
        error.message =
            fmt::format("{}, a trace of PyTorch's profiler, {}.", m_name, error.message);
    return error;
}

} // namespace plimsoll::readers::kineto
