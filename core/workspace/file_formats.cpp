// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/file_formats.h"

#include "core/compare/measurement.h"
#include "core/plan_file/plan_json.h"
#include "core/session/database.h"
#include "core/solve/chain/rotor/chain_file.h"
#include "core/solve/pack/pack_csv.h"
#include "core/solve/remat/search/remat_file.h"

#include <utility>

namespace plimsoll::workspace {

namespace {

using base::Result;
using readers::FileKind;
using readers::FileValue;

Result<FileValue> readText(io::Source& source, const base::JobContext& job)
{
    return source.whole(job, kTextLimits).map([](readers::FileText text) {
        return FileValue{std::move(text)};
    });
}

Result<FileValue> takePath(io::Source& source, const base::JobContext& /*job*/)
{
    return FileValue{source.path()};
}

readers::ReaderDescriptor textFormat(const char* id, const char* name, FileKind kind,
                                     const char* instead, bool (*sniff)(std::string_view))
{
    return {
        .id = id, .name = name, .kind = kind, .instead = instead, .sniff = sniff, .read = readText};
}

} // namespace

readers::Registry fileFormats()
{
    readers::Registry formats{readers::graphReaders()};
    for (readers::ReaderDescriptor& reader : readers::profileReaders())
        formats.add(std::move(reader));
    formats.add(textFormat("plimsoll-measurement", "Plimsoll measurement", FileKind::Measurement,
                           "use the traced step that was measured", compare::looksLikeMeasurement));
    formats.add(textFormat("plimsoll-plan", "Plimsoll plan", FileKind::Plan,
                           "use the traced step that it is for", plan::looksLikePlan));
    formats.add({.id = "plimsoll-session",
                 .name = "Plimsoll session",
                 .kind = FileKind::Session,
                 .instead = "the app opens it, \"plimsoll-cli session show\" shows what it holds",
                 .read = takePath,
                 .sniffPath = session::looksLikeSession});
    formats.add(textFormat("chain", "Chain of stages", FileKind::Problem,
                           "\"plimsoll-cli solve chain\" takes it", solve::looksLikeChain));
    formats.add(textFormat("remat", "Graph of ops", FileKind::Problem,
                           "\"plimsoll-cli solve remat\" takes it", solve::looksLikeRemat));
    formats.add(textFormat("pack", "Buffers to pack", FileKind::Problem,
                           "\"plimsoll-cli solve pack\" takes it", solve::looksLikePackCsv));
    return formats;
}

} // namespace plimsoll::workspace
