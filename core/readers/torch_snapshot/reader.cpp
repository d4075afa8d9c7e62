// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/reader.h"

#include "core/base/try.h"
#include "core/readers/memory_bound.h"
#include "core/readers/torch_snapshot/keys.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

namespace plimsoll::readers::torch_snapshot {

namespace {

using base::Result;

/// What is done between two looks at the memory and at a request to stop; stays in the cache.
constexpr std::size_t kSlice = std::size_t{256} << 10U;
/// Only the memory limits the size of a snapshot, but those of repetitive steps shrink a lot.
constexpr io::ReadLimits kLimits{.bytes = std::uint64_t{1} << 40U};
constexpr MemoryBound kBound{3, Reading::kFreeBytes};

} // namespace

Reading::Reading(std::string name, base::CurveSoFar* curve)
    : m_name{std::move(name)}
    , m_builder{curve}
    , m_texts{keyTexts()}
    , m_content{m_builder, m_memo, m_texts}
    , m_machine{m_content, m_memo, m_texts}
{
}

tl::unexpected<base::Error> Reading::refused(std::string_view fault) const
{
    return base::failure(base::ErrorKind::File,
                         fmt::format("{} at byte {}{} {}.", m_name, m_machine.offset(),
                                     m_file.compressed ? " of the decompressed content" : "",
                                     fault));
}

std::size_t Reading::memoryBytes() const
{
    return m_content.memoryBytes() + m_memo.memoryBytes() + m_texts.memoryBytes()
           + m_machine.memoryBytes();
}

Result<void> Reading::feed(std::string_view part, const io::FileFacts& file)
{
    m_file = file;
    while (!part.empty() && !m_machine.isDone()) {
        const std::string_view slice = part.substr(0, kSlice);
        part.remove_prefix(slice.size());
        m_hash.add(slice);
        m_fed += slice.size();
        if (!m_machine.feed(slice))
            return refused(m_machine.fault());
        if (memoryBytes() > kBound.most(m_fed, file))
            return refused(MemoryBound::refusal("a snapshot", file));
    }
    m_hash.add(part);
    return {};
}

Result<ReadProfile> Reading::finish(const base::JobContext& context)
{
    if (!m_machine.finish())
        return refused(m_machine.fault());
    ReadProfile result;
    result.formatId = kFormatId;
    result.formatVersion = m_machine.protocol();
    result.contentHash = m_hash.text();
    m_memo = {};
    Result<memtrace::MemoryTracePtr> trace = std::move(m_builder).build(context);
    if (!trace) {
        base::Error error = std::move(trace).error();
        if (error.kind == base::ErrorKind::File)
            error.message = fmt::format("{} is a memory snapshot, but {}.", m_name, error.message);
        return tl::unexpected{std::move(error)};
    }
    result.trace = *std::move(trace);
    return result;
}

bool sniff(std::string_view head)
{
    constexpr std::size_t kProto = 2;
    constexpr std::size_t kFrame = 9;
    if (head.size() <= kProto || head[0] != '\x80' || head[1] < 2 || head[1] > 5)
        return false;
    head.remove_prefix(kProto);
    if (head.front() == '\x95')
        head.remove_prefix(std::min(kFrame, head.size()));
    return head.starts_with('}') || head.starts_with(']');
}

namespace {

Result<void> feedMapped(Reading& reading, std::string_view bytes, const base::JobContext& context)
{
    const std::size_t size = bytes.size();
    while (!bytes.empty()) {
        if (context.stopRequested())
            return base::cancelled();
        const std::string_view part = bytes.substr(0, kSlice);
        RETURN_IF_ERROR(reading.feed(part));
        bytes.remove_prefix(part.size());
        context.report(size - bytes.size(), size);
    }
    return {};
}

Result<ReadProfile> readProfile(io::Source& source, const base::JobContext& context)
{
    const base::JobContext walk = context.piece(0, 2);
    Reading reading{source.name(), context.curve};
    const io::Sink sink = [&](std::string_view part, const io::FileFacts& file) {
        if (walk.stopRequested())
            return Result<void>{base::cancelled()};
        return reading.feed(part, file);
    };
    if (source.isInMemory()) {
        RETURN_IF_ERROR(source.stream(sink, walk, kLimits));
        return reading.finish(context.piece(1, 2));
    }
    ASSIGN_OR_RETURN(const io::MappedFile mapped, source.map());
    if (mapped.bytes().starts_with("\x1f\x8b"))
        RETURN_IF_ERROR(source.stream(sink, context, kLimits)); // reports up to one half
    else
        RETURN_IF_ERROR(feedMapped(reading, mapped.bytes(), walk));
    return reading.finish(context.piece(1, 2));
}

Result<FileValue> read(io::Source& source, const base::JobContext& context)
{
    return readProfile(source, context).map([](ReadProfile profile) {
        return FileValue{std::move(profile)};
    });
}

} // namespace

ReaderDescriptor descriptor()
{
    return {.id = kFormatId,
            .name = "PyTorch memory snapshot",
            .kind = FileKind::Profile,
            .extensions = {".pickle", ".pkl"},
            .instead = "\"plimsoll-cli inspect\" shows what it holds",
            .sniff = sniff,
            .read = read,
            .whyNoOps = "has no kernels"};
}

} // namespace plimsoll::readers::torch_snapshot
