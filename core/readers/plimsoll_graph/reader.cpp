// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/reader.h"

#include "core/base/try.h"
#include "core/base/unicode.h"
#include "core/io/byte_source.h"
#include "core/readers/plimsoll_graph/header.h"
#include "core/readers/plimsoll_graph/rows.h"
#include "core/readers/plimsoll_graph/structures.h"
#include "core/readers/plimsoll_graph/validate.h"
#include "core/readers/plimsoll_graph/vary.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <new>
#include <utility>

namespace plimsoll::readers::plimsoll_graph {

namespace {

using base::Result;

static_assert(io::kPadding >= simdjson::SIMDJSON_PADDING);

using ReadTable = bool (*)(Scan&, JsonValue&, Draft&);

template <std::vector<std::string> graph::Program::*Field>
bool readStrings(Scan& scan, JsonValue& value, Draft& draft)
{
    return scan.texts(value, draft.program.*Field);
}

struct TableKey
{
    std::string_view key;
    ReadTable read;
    bool isOptional = false;
};

constexpr std::array kTables{
    TableKey{"targets", readStrings<&graph::Program::targets>},
    TableKey{"sources", readStrings<&graph::Program::sources>},
    TableKey{"dtypes", readStrings<&graph::Program::dtypes>},
    TableKey{"nodes", readStrings<&graph::Program::nodes>},
    TableKey{"modules", readModules},
    TableKey{"calls", readCalls},
    TableKey{"structures", readStructures, true},
    TableKey{"storages", readStorages},
    TableKey{"tensors", readTensors},
    TableKey{"ops", readOps},
    TableKey{"saved", readSaved},
    TableKey{"params", readParams},
    TableKey{"checks", readChecks},
    TableKey{"vary", readVary, true},
};

/// The fields of the outermost object.
class Reading
{
public:
    Reading(Scan& scan, Draft& draft) : m_scan{scan}, m_draft{draft} {}

    bool run(simdjson::ondemand::document& document)
    {
        simdjson::ondemand::object object;
        if (const auto code = document.get_object().get(object); code != simdjson::SUCCESS)
            return m_scan.refuseJson(code);
        if (!m_scan.eachFieldOf(object, [this](std::string_view key, JsonValue& value) {
                return readKey(key, value);
            }))
            return false;
        const char* rest = nullptr;
        if (document.current_location().get(rest) == simdjson::SUCCESS)
            return m_scan.refuseJson(simdjson::TRAILING_CONTENT);
        return isComplete();
    }

private:
    bool readKey(std::string_view key, JsonValue& value)
    {
        for (std::size_t i = 0; i < kTables.size(); ++i) {
            const TableKey& table = kTables.at(i);
            if (key != table.key)
                continue;
            m_scan.enter(table.key);
            m_seen.at(i) = true;
            const bool read =
                m_scan.goOn(m_scan.offsetOf(value)) && table.read(m_scan, value, m_draft);
            m_scan.enter(m_scan.ok() ? std::string_view{} : table.key);
            return read;
        }
        switch (readHeaderKey(m_scan, key, value, m_draft.program.header)) {
        case HeaderKey::Read: return true;
        case HeaderKey::Failed: return false;
        case HeaderKey::Unknown: break;
        }
        m_scan.tolerate("unknown keys");
        return m_scan.skip(value);
    }

    bool isComplete()
    {
        for (std::size_t i = 0; i < kTables.size(); ++i)
            if (!m_seen.at(i) && !kTables.at(i).isOptional)
                return m_scan.refuseAt(m_scan.source().bytes.size(),
                                       fmt::format("the key `{}` is missing", kTables.at(i).key));
        return true;
    }

    Scan& m_scan;
    Draft& m_draft;
    std::array<bool, kTables.size()> m_seen{};
};

/// The position of the first byte that isn't UTF-8.
std::uint64_t firstBadByte(std::string_view text)
{
    constexpr std::size_t kLongest = 4;
    std::size_t good = 0;
    while (good < text.size()) {
        std::size_t length = 1;
        while (length <= kLongest && !simdjson::validate_utf8(text.substr(good, length)))
            ++length;
        if (length > kLongest)
            break;
        good += length;
    }
    return good;
}

bool readInto(Scan& scan, Draft& draft)
{
    const Text& source = scan.source();
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    const std::string_view content = source.bytes.substr(base::byteOrderMark(source.bytes));
    const simdjson::padded_string_view text{content, content.size() + io::kPadding};
    if (const auto code = parser.iterate(text).get(document); code != simdjson::SUCCESS) {
        if (code == simdjson::UTF8_ERROR)
            return scan.refuseAt(firstBadByte(source.bytes), "this is not UTF-8 text");
        if (code == simdjson::MEMALLOC)
            return scan.refuseAt(0, "the graph does not fit into memory");
        if (code == simdjson::UNCLOSED_STRING || code == simdjson::EMPTY)
            return scan.refuseEnd();
        return scan.refuseAt(0, "this is not JSON");
    }
    scan.attach(document);
    int version = 0;
    if (!readVersion(scan, document, version))
        return false;
    draft.program.header.version = version;
    document.rewind();
    return Reading{scan, draft}.run(document);
}

} // namespace

bool sniff(std::string_view head)
{
    constexpr std::size_t kFirstKeys = 128; // trace() writes the format here
    return head.starts_with('{')
           && head.substr(0, kFirstKeys).find("\"plimsoll-graph\"") != std::string_view::npos;
}

Result<ReadProgram> parse(const Text& text, const base::JobContext& context)
try {
    Scan scan{text, context};
    Draft draft;
    if (!readInto(scan, draft))
        return tl::unexpected(scan.error());
    std::map<std::string, std::size_t> oddities = scan.oddities();
    RETURN_IF_ERROR(validate(draft, text, oddities));
    ReadProgram result;
    result.formatId = kFormatId;
    result.formatVersion = draft.program.header.version;
    result.statistics = std::move(oddities);
    result.program = std::make_shared<const graph::Program>(std::move(draft.program));
    return result;
} catch (const std::bad_alloc&) {
    return base::failure(base::ErrorKind::File,
                         fmt::format("{} needs more memory than this computer has.", text.name));
}

namespace {

Result<FileValue> read(io::Source& source, const base::JobContext& context)
{
    ASSIGN_OR_RETURN(const auto content, source.whole(context, kLimits));
    return parse({source.name(), content->bytes, content->file.compressed}, context)
        .map([](ReadProgram read) { return FileValue{std::move(read)}; });
}

} // namespace

ReaderDescriptor descriptor()
{
    return {.id = std::string{kFormatId},
            .name = "Plimsoll graph",
            .kind = FileKind::Graph,
            .extensions = {".plimsoll.json"},
            .sniff = sniff,
            .read = read};
}

} // namespace plimsoll::readers::plimsoll_graph
