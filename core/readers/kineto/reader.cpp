// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/reader.h"

#include "core/base/try.h"

#include <utility>

namespace plimsoll::readers::kineto {

namespace {

using base::Result;

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

/// Walking is half of the work.
template <typename Read>
Result<void> walk(Read& reading, io::Source& source, const base::JobContext& context)
{
    return reading.walk().feedAll(source, source.isInMemory() ? context.piece(0, 2) : context);
}

Result<FileValue> read(io::Source& source, const base::JobContext& context)
{
    Reading reading{source.name(), context.curve};
    RETURN_IF_ERROR(walk(reading, source, context));
    return reading.finish(context.piece(1, 2)).map([](ReadProfile profile) {
        return FileValue{std::move(profile)};
    });
}

Result<memtrace::OpRecordingPtr> readOps(io::Source& source, const base::JobContext& context)
{
    OpReading reading{source.name()};
    RETURN_IF_ERROR(walk(reading, source, context));
    return reading.finish(context.piece(1, 2));
}

} // namespace

Result<ReadProfile> Reading::finish(const base::JobContext& context)
{
    RETURN_IF_ERROR(m_walk.finish());
    ReadProfile result;
    result.formatId = kFormatId;
    result.formatVersion = 1;
    result.contentHash = m_walk.hash().text();
    auto trace = traceOf(std::move(m_recording).take(), context);
    if (!trace)
        return tl::unexpected{m_walk.named(std::move(trace).error())};
    result.trace = *std::move(trace);
    return result;
}

Result<memtrace::OpRecordingPtr> OpReading::finish(const base::JobContext& context)
{
    RETURN_IF_ERROR(m_walk.finish());
    auto recording = std::move(m_launches).build(context);
    if (!recording)
        return tl::unexpected{m_walk.named(std::move(recording).error())};
    return recording;
}

ReaderDescriptor descriptor()
{
    return {.id = kFormatId,
            .name = "PyTorch profiler trace",
            .kind = FileKind::Profile,
            .extensions = {".pt.trace.json"},
            .instead = "\"plimsoll-cli inspect\" shows what it holds",
            .sniff = sniff,
            .read = read,
            .readOps = readOps};
}

} // namespace plimsoll::readers::kineto
