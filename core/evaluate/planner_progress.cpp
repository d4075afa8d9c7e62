// SPDX-License-Identifier: Apache-2.0
#include "core/evaluate/planner_progress.h"

namespace plimsoll::plan {

std::vector<PlannerProgress> PlannerProgressList::read() const
{
    const std::scoped_lock lock{m_mutex};
    return m_parts;
}

void PlannerProgressList::change(std::size_t part, const std::function<void(PlannerProgress&)>& how)
{
    const std::scoped_lock lock{m_mutex};
    how(m_parts.at(part));
}

} // namespace plimsoll::plan
