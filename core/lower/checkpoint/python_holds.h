// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/lower/checkpoint/region_table.h"

#include <vector>

namespace plimsoll::plan {

/// Until when Python's variables hold a storage in a planned step: the rules named Python in
/// LIFETIMES.md.
class PythonHolds
{
public:
    PythonHolds(const graph::Program& program, const RegionTable& table);

    /// During the step's own forward.
    [[nodiscard]] graph::OpIndex inForward(graph::StorageId storage) const
    {
        return m_forward[storage.index()];
    }
    /// During a region's recomputation, for a storage allocated in it; may lie past what that
    /// executes.
    [[nodiscard]] graph::OpIndex inRecomputation(graph::StorageId storage, std::size_t region);

private:
    /// A value that one member of a region passes to the next.
    struct Passed
    {
        graph::StorageId storage;
        graph::OpIndex until = 0; ///< op at whose end the region's own variable lets it go
        bool isKept = false;      ///< others go on holding it: a result, or passed on before
    };

    [[nodiscard]] std::vector<Passed> passedIn(const Region& region) const;
    void passOn(std::vector<graph::OpIndex>& holds, std::size_t region,
                bool callersHoldResults) const;
    void callersWait(std::vector<graph::OpIndex>& holds, std::size_t region,
                     graph::OpIndex since) const;
    void holdArguments(std::vector<graph::OpIndex>& holds, std::size_t region) const;

    const graph::Program& m_program;
    const RegionTable& m_table;
    std::vector<std::vector<Passed>> m_passed; ///< by region: asked for once in each scope around
    std::vector<graph::OpIndex> m_recorded;    ///< p(S)
    std::vector<graph::OpIndex> m_forward;
    std::vector<graph::OpIndex> m_scoped; ///< of m_scope's recomputation
    std::ptrdiff_t m_scope = -1;
};

} // namespace plimsoll::plan
