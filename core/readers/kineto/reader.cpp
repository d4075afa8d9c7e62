// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/reader.h"

#include "core/base/try.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::readers::kineto {

namespace {

using base::Result;

/// What is done between two looks at the memory; stays in the cache.
constexpr std::size_t kSlice = std::size_t{256} << 10U;
/// Only the memory limits the size of a trace.
constexpr io::ReadLimits kLimits{.bytes = std::uint64_t{1} << 40U};

bool sniff(std::string_view head)
{
    const auto has = [head](std::string_view key) {
        return head.find(key) != std::string_view::npos;
    };
    if (head.starts_with('['))
        return has("\"ph\"") && (has("\"ts\"") || has("\"pid\""));
    // The properties of many devices may fill the head: they come before the events.
    return head.starts_with('{')
           && (has("\"traceEvents\"") || (has("\"schemaVersion\"") && has("\"deviceProperties\"")));
}

Result<FileValue> read(io::Source& source, const base::JobContext& context)
{
    // Streaming reports up to one half.
    const base::JobContext walk = source.isInMemory() ? context.piece(0, 2) : context;
    Reading reading{source.name()};
    const io::Sink sink = [&](std::string_view part, const io::FileFacts& file) -> Result<void> {
        const std::size_t size = part.size();
        while (!part.empty()) {
            if (walk.stopRequested())
                return base::cancelled();
            const std::string_view slice = part.substr(0, kSlice);
            RETURN_IF_ERROR(reading.feed(slice, file.compressed));
            part.remove_prefix(slice.size());
            if (source.isInMemory())
                walk.report(size - part.size(), size);
        }
        return {};
    };
    RETURN_IF_ERROR(source.stream(sink, walk, kLimits));
    return reading.finish(context.piece(1, 2)).map([](ReadProfile profile) {
        return FileValue{std::move(profile)};
    });
}

} // namespace

tl::unexpected<base::Error> Reading::refused(std::string_view fault) const
{
    return base::failure(base::ErrorKind::File,
                         fmt::format("{} at byte {}{} {}.", m_name, m_splitter.offset(),
                                     m_compressed ? " of the decompressed text" : "", fault));
}

Result<void> Reading::feed(std::string_view part, bool compressed)
{
    m_compressed = compressed;
    m_hash.add(part);
    m_fed += part.size();
    if (!m_splitter.feed(part))
        return refused(m_splitter.fault());
    if (memoryBytes() > 2 * m_fed + kFreeBytes)
        return refused("takes more memory than a trace of its size can need; it is damaged, or "
                       "made to exhaust the memory");
    return {};
}

Result<ReadProfile> Reading::finish(const base::JobContext& context)
{
    if (!m_splitter.finish())
        return refused(m_splitter.fault());
    ReadProfile result;
    result.formatId = kFormatId;
    result.formatVersion = 1;
    result.contentHash = m_hash.text();
    auto trace = traceOf(std::move(m_recording).take(), context);
    if (!trace) {
        base::Error error = std::move(trace).error();
        if (error.kind == base::ErrorKind::File)
            error.message =
                fmt::format("{}, a trace of PyTorch's profiler, {}.", m_name, error.message);
        return tl::unexpected{std::move(error)};
    }
    result.trace = *std::move(trace);
    return result;
}

ReaderDescriptor descriptor()
{
    return {.id = kFormatId,
            .name = "PyTorch profiler trace",
            .kind = FileKind::Profile,
            .extensions = {".pt.trace.json"},
            .instead = "\"plimsoll-cli inspect\" shows what it holds",
            .sniff = sniff,
            .read = read};
}

} // namespace plimsoll::readers::kineto
