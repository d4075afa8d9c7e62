// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <vector>

namespace plimsoll::plan {

/// p(S) of LIFETIMES.md by storage: the recorded `python_free`, or `free` if neither that nor any
/// row explains its lifetime.
[[nodiscard]] std::vector<graph::OpIndex> recordedPythonHolds(const graph::Program& program);

/// The code that runs in place of the model's forward under a plan at op granularity: one line per
/// op, each variable deleted after its last use. "Op granularity" in LIFETIMES.md.
class ModelCode
{
public:
    explicit ModelCode(const graph::Program& program);

    /// Ops of the model's only call; `last() < first()`: there is no such call.
    [[nodiscard]] graph::OpIndex first() const { return m_first; }
    [[nodiscard]] graph::OpIndex last() const { return m_last; }
    /// Whether the op copies what the next op overwrites in place: one call runs both, so no region
    /// ends between them.
    [[nodiscard]] bool isCopyForNext(graph::OpIndex op) const
    {
        return m_isCopy[static_cast<std::size_t>(op)];
    }
    /// p(S) at op granularity, by storage.
    [[nodiscard]] const std::vector<graph::OpIndex>& holds() const { return m_holds; }
    /// The variables passed to a function made of these ops. O(ops between).
    [[nodiscard]] std::vector<graph::TensorId> parameters(graph::OpIndex first,
                                                          graph::OpIndex last) const;

private:
    void findCall();
    void findCopies();
    void findHolds();
    void findVariables();

    const graph::Program& m_program;
    graph::OpIndex m_first = 0;
    graph::OpIndex m_last = -1;
    std::vector<bool> m_isCopy; ///< by op
    std::vector<graph::OpIndex> m_holds;
    std::vector<graph::OpIndex> m_named; ///< by tensor: op whose line first names it a variable of
                                         ///< the code; kBeforeStep: an input, kNever: none does
};

} // namespace plimsoll::plan
