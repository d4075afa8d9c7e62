// SPDX-License-Identifier: Apache-2.0
#include "core/writers/csv_writer.h"

#include <fmt/format.h>

namespace plimsoll::writers {

namespace {

/// Quoted where a comma, a quote or a line break asks for it. A leading sign that spreadsheets take
/// for a formula is quoted too, behind an apostrophe.
std::string field(const std::string& text)
{
    std::string safe = text;
    if (!safe.empty() && std::string_view{"=+-@"}.find(safe.front()) != std::string_view::npos)
        safe.insert(0, "'");
    if (safe.find_first_of(",\"\r\n") == std::string::npos)
        return safe;
    std::string quoted = "\"";
    for (const char c : safe) {
        if (c == '"')
            quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

} // namespace

std::string recomputedTable(const plan::VerifiedPlan& plan)
{
    const graph::Program& program = *plan.problem().program;
    std::string table = "op,target,module,storage,bytes,time_ns,region,source\r\n";
    for (const plan::Recomputed& value : plan.evaluation().recomputed) {
        const graph::Op& op = program.op(value.op);
        const std::string source =
            op.source < 0 ? std::string{} : program.sources[static_cast<std::size_t>(op.source)];
        table += fmt::format("{},{},{},{},{},{},{},{}\r\n", value.op.index(),
                             field(program.targetOf(op)), field(program.modulePath(op)),
                             value.storage.index(), value.bytes.count(), value.time.count(),
                             value.region, field(source));
    }
    return table;
}

} // namespace plimsoll::writers
