// SPDX-License-Identifier: Apache-2.0
#include "core/readers/registry.h"

#include "core/base/curve_so_far.h"
#include "core/base/format.h"
#include "core/base/try.h"
#include "core/base/unicode.h"
#include "core/io/content_hash.h"
#include "core/readers/capture/reader.h"
#include "core/readers/csv/reader.h"
#include "core/readers/kineto/reader.h"
#include "core/readers/nsys/reader.h"
#include "core/readers/plimsoll_graph/reader.h"
#include "core/readers/torch_snapshot/reader.h"

#include <fmt/format.h>

#include <array>
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

/// What writes files of a kind.
const char* whoWrites(FileKind kind)
{
    constexpr std::array kSources{
        "make one with plimsoll.trace()", "record one",         "\"plimsoll-cli plan\" writes them",
        "plimsoll.measure() writes them", "the app saves them", "the manual describes them"};
    return kSources.at(static_cast<std::size_t>(kind));
}

tl::unexpected<base::Error> tooLarge(const io::Source& source)
{
    return base::failure(
        ErrorKind::File,
        fmt::format("{} needs more memory than this computer has.", source.name()));
}

tl::unexpected<base::Error> unknown(const io::Source& source, FileKind wanted)
{
    return base::failure(
        ErrorKind::File,
        fmt::format("{} is not a {} (it begins with \"{}\"); {}.", source.name(), kindName(wanted),
                    base::printable(source.head(kShownBytes).value_or(std::string{})),
                    whoWrites(wanted)));
}

} // namespace

const char* kindName(FileKind kind)
{
    constexpr std::array kNames{"graph",       "profile", "plan",
                                "measurement", "session", "solver's problem"};
    return kNames.at(static_cast<std::size_t>(kind));
}

const ReaderDescriptor* Registry::sniff(const std::filesystem::path& path,
                                        std::string_view head) const
{
    head = base::fromFirstCharacter(head);
    for (const ReaderDescriptor& reader : m_readers)
        if (reader.sniff != nullptr && reader.sniff(head))
            return &reader;
    for (const ReaderDescriptor& reader : m_readers)
        for (const std::string& extension : reader.extensions)
            if (reader.sniffPath == nullptr && hasExtension(path, extension))
                return &reader;
    return nullptr;
}

Result<const ReaderDescriptor*> Registry::find(const io::Source& source) const
{
    for (const ReaderDescriptor& reader : m_readers)
        if (reader.sniffPath != nullptr && !source.isInMemory() && reader.sniffPath(source.path()))
            return &reader;
    return source.head(kSniffBytes).map([&](const std::string& head) {
        return sniff(source.path(), head);
    });
}

std::optional<FileKind> Registry::kindOf(const std::filesystem::path& path) const
{
    const Result<const ReaderDescriptor*> reader = find(io::Source{path});
    return reader && *reader != nullptr ? std::optional{(*reader)->kind} : std::nullopt;
}

Result<const ReaderDescriptor*> Registry::readerFor(const io::Source& source, FileKind wanted) const
{
    ASSIGN_OR_RETURN(const ReaderDescriptor* reader, find(source));
    if (reader == nullptr)
        return unknown(source, wanted);
    if (reader->kind != wanted)
        return base::failure(
            ErrorKind::File,
            fmt::format("{} is a {}, not a {}: {}.", source.name(), kindName(reader->kind),
                        kindName(wanted),
                        wanted == FileKind::Graph ? reader->instead : whoWrites(wanted)));
    return reader;
}

Result<FileValue> Registry::read(io::Source& source, FileKind wanted,
                                 const base::JobContext& context) const
{
    ASSIGN_OR_RETURN(const ReaderDescriptor* reader, readerFor(source, wanted));
    return readWith(*reader, source, context);
}

Result<memtrace::OpRecordingPtr> Registry::readOps(io::Source& source,
                                                   const base::JobContext& context) const
try {
    ASSIGN_OR_RETURN(const ReaderDescriptor* reader, readerFor(source, FileKind::Profile));
    if (reader->readOps == nullptr)
        return base::failure(
            ErrorKind::File,
            fmt::format("{} ({}) {}; record a trace of torch.profiler with "
                        "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].",
                        source.name(), reader->name, reader->whyNoOps));
    return reader->readOps(source, context);
} catch (const std::bad_alloc&) {
    return tooLarge(source);
}

Result<FileValue> readWith(const ReaderDescriptor& reader, io::Source& source,
                           const base::JobContext& context)
try {
    std::filesystem::path beside;
    std::error_code error;
    if (reader.besideOf != nullptr)
        beside = reader.besideOf(source.path());
    const bool isJoined = std::filesystem::is_regular_file(beside, error);
    ASSIGN_OR_RETURN(FileValue value,
                     reader.read(source, isJoined ? context.piece(0, 2) : context));
    if (isJoined) {
        const io::Source other{beside};
        if (context.curve != nullptr)
            context.curve->clear(); // what is shown of both is the snapshot's memory
        const Result<ReadProfile> read = readProfile(other, context.piece(1, 2));
        if (!read && read.error().kind == ErrorKind::Cancelled)
            return tl::unexpected{read.error()};
        value = reader.join(std::get<ReadProfile>(std::move(value)), read, other.name());
    }
    if (auto* program = std::get_if<ReadProgram>(&value)) {
        ASSIGN_OR_RETURN(const auto content, source.whole(context));
        program->contentHash = io::contentHash(content->bytes);
    }
    context.report(1, 1);
    return value;
} catch (const std::bad_alloc&) {
    return tooLarge(source);
}

std::vector<ReaderDescriptor> graphReaders()
{
    return {plimsoll_graph::descriptor()};
}

std::vector<ReaderDescriptor> profileReaders()
{
    return {torch_snapshot::descriptor(), capture::descriptor(), kineto::descriptor(),
            nsys::descriptor(), csv::descriptor()};
}

Result<ReadProgram> readProgram(const std::filesystem::path& path, const base::JobContext& context)
{
    return readProgram(io::Source{path}, context);
}

Result<ReadProgram> readProgram(io::Source source, const base::JobContext& context)
{
    static const Registry kGraphs{graphReaders()};
    return kGraphs.read(source, FileKind::Graph, context).map([](FileValue value) {
        return std::get<ReadProgram>(std::move(value));
    });
}

Result<ReadProfile> readProfile(io::Source source, const base::JobContext& context)
{
    static const Registry kProfiles{profileReaders()};
    return kProfiles.read(source, FileKind::Profile, context).map([](FileValue value) {
        return std::get<ReadProfile>(std::move(value));
    });
}

} // namespace plimsoll::readers
