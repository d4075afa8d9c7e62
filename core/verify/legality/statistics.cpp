// SPDX-License-Identifier: Apache-2.0
#include "core/verify/legality/statistics.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace plimsoll::plan::verifying {

namespace {

constexpr std::array<std::string_view, 3> kUpdateStatistics{"aten.native_batch_norm.default",
                                                            "aten.cudnn_batch_norm.default",
                                                            "aten.miopen_batch_norm.default"};

} // namespace

bool leavesStatistics(const graph::Program& program, const graph::Op& op)
{
    return std::ranges::find(kUpdateStatistics, program.targetOf(op)) != kUpdateStatistics.end();
}

bool isBatchCounter(const graph::Program& program, const graph::Op& op)
{
    const auto isCounter = [](const std::string& name) {
        return name.substr(name.rfind('.') + 1) == "num_batches_tracked"; // npos + 1 is 0
    };
    if (op.writes.empty())
        return false;
    const graph::Storage& target = program.storage(program.tensor(op.writes[0]).storage);
    return target.storageClass == graph::StorageClass::Buffer
           && std::ranges::any_of(target.names, isCounter);
}

} // namespace plimsoll::plan::verifying
