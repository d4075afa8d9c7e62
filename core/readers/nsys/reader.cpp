// SPDX-License-Identifier: Apache-2.0
#include "core/readers/nsys/reader.h"

#include "core/base/try.h"
#include "core/io/content_hash.h"
#include "core/readers/nsys/convert.h"
#include "core/readers/nsys/database.h"
#include "core/readers/nsys/operators.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace plimsoll::readers::nsys {

namespace {

using base::Result;

/// Tables of every export, of which one is enough.
constexpr std::array<const char*, 3> kUsualTables = {"META_DATA_EXPORT", "META_DATA_CAPTURE",
                                                     "StringIds"};

/// A file of another program, or a damaged one, is recognised by its name.
bool sniffPath(const std::filesystem::path& path)
{
    if (!isUnmarkedDatabase(databaseHead(path)))
        return false;
    if (path.extension() == ".sqlite")
        return true;
    const Result<io::MappedFile> mapped = io::MappedFile::open(path);
    if (!mapped)
        return false;
    const Result<Database> database = Database::open(mapped->bytes(), {});
    return database
           && std::any_of(kUsualTables.begin(), kUsualTables.end(),
                          [&](const char* table) { return database->hasTable(table); });
}

tl::unexpected<base::Error> about(std::string_view name, base::Error error)
{
    if (error.kind == base::ErrorKind::File)
        error.message = fmt::format("{} {}.", name, error.message);
    return tl::unexpected{std::move(error)};
}

/// Calls `take` with the database's bytes and its part of the job.
template <typename Take>
auto withBytes(io::Source& source, const base::JobContext& context, Take take)
    -> decltype(take(std::string_view{}, context))
{
    if (!source.isInMemory()) {
        ASSIGN_OR_RETURN(const io::MappedFile mapped, source.map());
        if (isUnmarkedDatabase(mapped.bytes()))
            return take(mapped.bytes(), context);
    }
    ASSIGN_OR_RETURN(const auto content, source.whole(context));
    return take(content->bytes, context.piece(1, 2));
}

Result<FileValue> read(io::Source& source, const base::JobContext& context)
{
    return withBytes(source, context, [&](std::string_view bytes, const base::JobContext& job) {
        return readDatabase(bytes, source.name(), job).map([](ReadProfile profile) {
            return FileValue{std::move(profile)};
        });
    });
}

Result<memtrace::OpRecordingPtr> readOps(io::Source& source, const base::JobContext& context)
{
    return withBytes(source, context, [&](std::string_view bytes, const base::JobContext& job) {
        return readDatabaseOps(bytes, source.name(), job);
    });
}

} // namespace

Result<ReadProfile> readDatabase(std::string_view bytes, std::string_view name,
                                 const base::JobContext& context)
{
    auto database = Database::open(bytes, context);
    if (!database)
        return about(name, std::move(database).error());
    memtrace::Builder builder{context.curve};
    if (auto converted = convert(*database, builder, context.piece(0, 2)); !converted)
        return about(name, std::move(converted).error());
    auto trace = std::move(builder).build(context.piece(1, 2));
    if (!trace)
        return about(name, std::move(trace).error());
    ReadProfile result;
    result.formatId = kFormatId;
    result.formatVersion = 1;
    io::PartsHash hash;
    hash.add(bytes);
    result.contentHash = hash.text();
    result.trace = *std::move(trace);
    return result;
}

Result<memtrace::OpRecordingPtr> readDatabaseOps(std::string_view bytes, std::string_view name,
                                                 const base::JobContext& context)
{
    auto database = Database::open(bytes, context);
    if (!database)
        return about(name, std::move(database).error());
    auto recording = readOperators(*database, context);
    if (!recording)
        return about(name, std::move(recording).error());
    return recording;
}

ReaderDescriptor descriptor()
{
    return {.id = kFormatId,
            .name = "Nsight Systems export",
            .kind = FileKind::Profile,
            .extensions = {},
            .instead = "\"plimsoll-cli inspect\" shows what it holds",
            .sniff = isUnmarkedDatabase,
            .read = read,
            .readOps = readOps,
            .sniffPath = sniffPath};
}

} // namespace plimsoll::readers::nsys
