// SPDX-License-Identifier: Apache-2.0
#include "core/plan/region_names.h"

namespace plimsoll::plan {

namespace {

const graph::Op& opAt(const graph::Program& program, graph::OpIndex opIndex)
{
    return program.ops[static_cast<std::size_t>(opIndex)];
}

} // namespace

std::pair<std::string, std::string> endsOf(const graph::Program& program, const Region& region)
{
    if (region.members.empty())
        return {program.label(opAt(program, region.first)),
                program.label(opAt(program, region.last))};
    const auto path = [&](graph::CallId call) {
        return program.module(program.call(call).module).path;
    };
    return {path(region.members.front()), path(region.members.back())};
}

std::int32_t sourceOf(const graph::Program& program, const Region& region)
{
    return region.members.empty() ? opAt(program, region.first).source
                                  : program.call(region.members.front()).source;
}

} // namespace plimsoll::plan
