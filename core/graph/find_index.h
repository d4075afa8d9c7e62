// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/graph/program.h"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::graph {

/// What can be found in a program, as text: of each op its name, its module and that module's
/// class, its source line, and the tensors that come to be in it. A tensor that was there before
/// the step belongs to the first op that touches it. Immutable; one search of 10,000 ops takes
/// about a millisecond.
class FindIndex
{
public:
    explicit FindIndex(const Program& program);

    /// The ops, in trace order, whose text has every word of the query, upper and lower case being
    /// the same. None for a query without words. A stopped search returns what it has.
    [[nodiscard]] std::vector<OpId> find(std::string_view query,
                                         const base::JobContext& job = {}) const;

private:
    std::vector<std::string> m_texts; ///< by op, lower case; parts end with line breaks
};

} // namespace plimsoll::graph
