// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// The model's call, which a plan at op granularity replaces by generated code. Null: there is
/// none, or more than one.
[[nodiscard]] const graph::Call* modelCall(const graph::Program& program);

/// python_free as LIFETIMES.md takes it: the recording's free where that is later than everything
/// known to hold the storage.
[[nodiscard]] std::vector<graph::OpIndex> pythonHolds(const graph::Program& program);

/// What the variables of that code hold, by storage: until the last line that names one of its
/// tensors, what the model returns as recorded. Storages that are not made in the code: `recorded`.
[[nodiscard]] std::vector<graph::OpIndex> codeHolds(const graph::Program& program,
                                                    std::vector<graph::OpIndex> recorded);

/// Whether a call in place runs both lines: this one, a copy of what the next one overwrites, and
/// the next.
[[nodiscard]] bool sharesCallWithNext(const graph::Program& program, graph::OpIndex line);

/// Batch norm that can run without the running statistics, which it then neither reads nor writes.
[[nodiscard]] bool leavesStatistics(const graph::Program& program, const graph::Op& op);

/// The op with which a batch norm counts the batches that it has seen.
[[nodiscard]] bool isBatchCounter(const graph::Program& program, const graph::Op& op);

/// Finds the parameters of the functions that generated code calls.
class CodeReader
{
public:
    explicit CodeReader(const graph::Program& program);

    /// Variables named in the lines of these ops but assigned before them, in order of first use.
    [[nodiscard]] std::vector<graph::TensorId> parameters(graph::OpIndex first,
                                                          graph::OpIndex last) const;

private:
    const graph::Program& m_program;
    std::vector<bool> m_isVariable; ///< by tensor: the code assigns it, or is given it
};

} // namespace plimsoll::plan::verifying
