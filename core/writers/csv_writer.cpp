// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/writers/formats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::writers {

namespace {

constexpr std::size_t kMostBytes = 32000; ///< what spreadsheets take in one cell

/// Leading characters that spreadsheets take for a formula, including full-width ones.
bool looksLikeFormula(std::string_view text)
{
    static constexpr std::array<std::string_view, 8> kSigns{"=",  "+",  "-",  "@",
                                                            "＝", "＋", "－", "＠"};
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    return std::ranges::any_of(kSigns,
                               [text](std::string_view sign) { return text.starts_with(sign); });
}

/// One line without invisible characters: formulas are prefixed by an apostrophe, and text is
/// quoted if it contains a comma or a quote.
std::string field(const std::string& text)
{
    std::string safe = base::printable(text, kMostBytes);
    if (looksLikeFormula(safe))
        safe.insert(0, "'");
    if (safe.find_first_of(",\"") == std::string::npos)
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

std::string recomputedTable(const plan::FrontierPoint& plan)
{
    const graph::Program& program = *plan->problem().step();
    std::string table = "op,target,module,storage,bytes,spared_bytes,time_ns,region,source\r\n";
    for (const plan::Recomputed& value : plan->evaluation().recomputed) {
        const graph::Op& op = program.op(value.op);
        const std::string source =
            op.source < 0 ? std::string{} : program.sources[static_cast<std::size_t>(op.source)];
        table += fmt::format("{},{},{},{},{},{},{},{},{}\r\n", value.op.index(),
                             field(program.targetOf(op)), field(program.modulePath(op)),
                             value.storage.index(), value.bytes.count(), value.spared.count(),
                             value.time.count(), value.region, field(source));
    }
    return table;
}

} // namespace plimsoll::writers
