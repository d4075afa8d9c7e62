// SPDX-License-Identifier: Apache-2.0
#include "core/readers/capture/reader.h"

#include "core/base/try.h"
#include "core/capture/decode.h"
#include "core/capture/launch.h"
#include "core/io/content_hash.h"
#include "core/readers/capture/convert.h"
#include "core/readers/capture/join_snapshot.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace plimsoll::readers::capture {

namespace {

using base::Result;
using plimsoll::capture::Capture;
using plimsoll::capture::Status;

/// A recording without memory mostly says why itself.
base::Error withReason(base::Error error, const Capture& capture, std::string_view name)
{
    if (error.kind != base::ErrorKind::File)
        return error;
    const auto failure = std::ranges::find_if(capture.statuses, [](const Status& status) {
        return status.severity == plimsoll::capture::wire::Severity::Failure
               && !status.text.empty();
    });
    error.message =
        failure != capture.statuses.end() ? fmt::format("{}: {}", name, failure->text)
        : capture.damage.chunks > 0
            ? fmt::format("{} is damaged at byte {} ({} bytes can't be read), and {} in "
                          "what is left of it.",
                          name, capture.damage.firstAt, capture.damage.bytes, error.message)
            : fmt::format("{} is a recording, but {}.", name, error.message);
    return error;
}

Result<ReadProfile> readBytes(std::string_view bytes, std::string_view name,
                              const base::JobContext& context)
{
    ASSIGN_OR_RETURN(const Capture capture,
                     plimsoll::capture::decode(bytes, name, context.piece(0, 2)));
    memtrace::Builder builder{context.curve};
    RETURN_IF_ERROR(convert(capture, builder));
    auto trace = std::move(builder).build(context.piece(1, 2));
    if (!trace)
        return tl::unexpected{withReason(std::move(trace).error(), capture, name)};
    ReadProfile result;
    result.formatId = kFormatId;
    result.formatVersion = static_cast<int>(plimsoll::capture::wire::kVersion);
    result.contentHash = io::contentHash(bytes);
    result.trace = *std::move(trace);
    return result;
}

Result<FileValue> read(io::Source& source, const base::JobContext& context)
{
    const auto asValue = [](ReadProfile profile) { return FileValue{std::move(profile)}; };
    if (!source.isInMemory()) {
        ASSIGN_OR_RETURN(const io::MappedFile mapped, source.map());
        if (plimsoll::capture::isCapture(mapped.bytes()))
            return readBytes(mapped.bytes(), source.name(), context).map(asValue);
    }
    ASSIGN_OR_RETURN(const auto content, source.whole(context));
    return readBytes(content->bytes, source.name(), context).map(asValue);
}

ReadProfile withSnapshot(ReadProfile recording, const Result<ReadProfile>& snapshot,
                         std::string_view name)
{
    Result<memtrace::MemoryTracePtr> joined = snapshot.and_then(
        [&](const ReadProfile& other) { return joinSnapshot(*recording.trace, *other.trace); });
    if (joined) {
        recording.trace = *std::move(joined);
        recording.contentHash = io::contentHash(recording.contentHash + snapshot->contentHash);
        return recording;
    }
    memtrace::TraceParts parts = recording.trace->parts();
    std::string_view why = joined.error().message;
    if (why.ends_with('.'))
        why.remove_suffix(1);
    parts.gaps.push_back(fmt::format("{} beside the recording is not used: {}.", name, why));
    recording.trace = std::make_shared<const memtrace::MemoryTrace>(std::move(parts));
    return recording;
}

} // namespace

ReaderDescriptor descriptor()
{
    return {.id = kFormatId,
            .name = "Plimsoll recording",
            .kind = FileKind::Profile,
            .extensions = {".plmcap"},
            .instead = "\"plimsoll-cli inspect\" shows what it holds",
            .sniff = plimsoll::capture::isCapture,
            .read = read,
            .whyNoOps = "has no times at which kernels were launched, so that it does not tell "
                        "which operator launched them",
            .besideOf = plimsoll::capture::snapshotOf,
            .join = withSnapshot};
}

} // namespace plimsoll::readers::capture
