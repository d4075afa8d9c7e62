// SPDX-License-Identifier: Apache-2.0
#include "core/plan/region_names.h"

namespace plimsoll::plan {

std::pair<std::string, std::string> endsOf(const graph::Program& program, const Region& region)
{
    if (region.members.empty())
        return {program.label(program.op(graph::opAt(region.first))),
                program.label(program.op(graph::opAt(region.last)))};
    const auto path = [&](graph::CallId call) {
        return program.module(program.call(call).module).path;
    };
    return {path(region.members.front()), path(region.members.back())};
}

std::int32_t sourceOf(const graph::Program& program, const Region& region)
{
    return region.members.empty() ? program.op(graph::opAt(region.first)).source
                                  : program.call(region.members.front()).source;
}

} // namespace plimsoll::plan
