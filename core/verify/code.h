// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <vector>

namespace plimsoll::plan::verifying {

/// The model's only call, which a plan at op granularity replaces by generated code. Null if there
/// is none, or more than one.
[[nodiscard]] const graph::Call* modelCall(const graph::Program& program);

/// python_free as LIFETIMES.md uses it: the recorded free if that is later than everything known to
/// hold the storage.
[[nodiscard]] std::vector<graph::OpIndex> pythonHolds(const graph::Program& program);

/// Until when the variables of that code hold a storage, by storage: up to the last line that names
/// one of its tensors; what the model returns, and storages from outside the code, as `recorded`.
[[nodiscard]] std::vector<graph::OpIndex> codeHolds(const graph::Program& program,
                                                    std::vector<graph::OpIndex> recorded);

/// Whether one call runs both lines: this one, which copies what the next one overwrites in place,
/// and the next.
[[nodiscard]] bool sharesCallWithNext(const graph::Program& program, graph::OpIndex line);

/// A batch norm that can run without its running statistics, neither reading nor writing them.
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
    std::vector<bool> m_isVariable; ///< by tensor: the code assigns it, or receives it
};

} // namespace plimsoll::plan::verifying
