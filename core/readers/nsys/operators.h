// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/ops/op_recording.h"
#include "core/readers/nsys/database.h"

#include <string>
#include <string_view>

namespace plimsoll::readers::nsys {

/// A range of NVTX as an operator: torch.autograd.profiler.emit_nvtx() adds to its name what it
/// knows of the call.
struct NvtxOperator
{
    std::string_view name; ///< "aten::mm" of "aten::mm, seq = 3, op_id = 7, sizes = [[8, 64], …]"
    std::string shapes;    ///< "8x64,64x8": without scalars and lists of tensors

    [[nodiscard]] static NvtxOperator of(std::string_view text);
    /// Named by the user: operators have a namespace.
    [[nodiscard]] bool isRange() const { return name.find("::") == std::string_view::npos; }
};

/// Operators are ranges of NVTX, and what they launched is tied to them by the call of CUDA that
/// has its correlation. Of several processes that with the most work of a GPU. Fails with the end
/// of a sentence.
[[nodiscard]] base::Result<memtrace::OpRecordingPtr> readOperators(Database& database,
                                                                   const base::JobContext& context);

} // namespace plimsoll::readers::nsys
