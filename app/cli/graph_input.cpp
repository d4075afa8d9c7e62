// SPDX-License-Identifier: Apache-2.0
#include "app/cli/graph_input.h"

#include "app/cli/watch.h"
#include "core/io/byte_source.h"
#include "core/readers/registry.h"

namespace plimsoll::cli {

namespace {

/// Far more than any plan takes; a plan of 100,000 ops has about 1 MB.
constexpr io::ReadLimits kPlanLimits{.bytes = std::uint64_t{64} << 20U,
                                     .freeBytes = std::uint64_t{4} << 20U,
                                     .ratio = 250};

} // namespace

base::Result<readers::ReadProgram> readGraph(const std::filesystem::path& path,
                                             const Common& common)
{
    Watch watch{common.quiet ? std::string{} : "Reading " + io::pathText(path)};
    return readers::readProgram(path, watch.context());
}

base::Result<plan::PlanFile> readPlanFile(const std::filesystem::path& path,
                                          const graph::Program& program)
{
    const base::Result<io::FileContent> content = io::readFile(path, {}, kPlanLimits);
    if (!content)
        return tl::unexpected{content.error()};
    return plan::readPlan(content->bytes, program).map_error([&](const base::Error& error) {
        return inFile(path, error);
    });
}

} // namespace plimsoll::cli
