// SPDX-License-Identifier: Apache-2.0
#include "core/base/csv_field.h"
#include "core/writers/formats.h"

#include <fmt/format.h>

namespace plimsoll::writers {

std::string recomputedTable(const plan::FrontierPoint& plan)
{
    const graph::Program& program = *plan->problem().step();
    std::string table = "op,target,module,storage,bytes,spared_bytes,time_ns,region,source\r\n";
    for (const plan::Recomputed& value : plan->evaluation().recomputed) {
        const graph::Op& op = program.op(value.op);
        const std::string source =
            op.source < 0 ? std::string{} : program.sources[static_cast<std::size_t>(op.source)];
        table += fmt::format("{},{},{},{},{},{},{},{},{}\r\n", value.op.index(),
                             base::csvField(program.targetOf(op)),
                             base::csvField(program.modulePath(op)), value.storage.index(),
                             value.bytes.count(), value.spared.count(), value.time.count(),
                             value.region, base::csvField(source));
    }
    return table;
}

} // namespace plimsoll::writers
