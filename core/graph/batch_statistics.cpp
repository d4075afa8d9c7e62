// SPDX-License-Identifier: Apache-2.0
#include "core/graph/batch_statistics.h"

#include <algorithm>
#include <string_view>

namespace plimsoll::graph {

bool countsBatches(const Program& program, const Op& op)
{
    constexpr std::string_view kCounter = "num_batches_tracked";
    if (op.writes.empty())
        return false;
    const Storage& written = program.storageOf(op.writes.front());
    return written.storageClass == StorageClass::Buffer
           && std::any_of(written.names.begin(), written.names.end(), [&](std::string_view name) {
                  return name == kCounter
                         || (name.ends_with(kCounter)
                             && name[name.size() - kCounter.size() - 1] == '.');
              });
}

bool updatesStatistics(const Program& program, const Op& op)
{
    const std::string& target = program.targetOf(op);
    return !op.writes.empty()
           && (target == "aten.native_batch_norm.default"
               || target == "aten.cudnn_batch_norm.default"
               || target == "aten.miopen_batch_norm.default");
}

} // namespace plimsoll::graph
