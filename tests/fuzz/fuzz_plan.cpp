// SPDX-License-Identifier: Apache-2.0
// Any bytes are a plan of a small graph or an error of one sentence; an accepted plan is checked
// without a crash, and if it is legal, the replay agrees with the evaluation.
#include "core/io/byte_source.h"
#include "core/plan_file/plan_json.h"
#include "core/readers/registry.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

using plimsoll::base::ErrorKind;

const plimsoll::graph::ProgramPtr& program()
{
    static const plimsoll::graph::ProgramPtr kProgram = [] {
        const auto read = plimsoll::readers::readProgram(PLIMSOLL_FUZZ_GRAPH, {});
        return read ? read->program : (std::abort(), nullptr);
    }();
    return kProgram;
}

bool isOneSentence(const plimsoll::base::Error& error)
{
    return error.message.ends_with('.') && error.kind != ErrorKind::Internal;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text{reinterpret_cast<const char*>(data), // NOLINT(*-reinterpret-cast)
                                size};
    const auto outline = plimsoll::plan::readPlanOutline(text);
    if (!outline && !isOneSentence(outline.error()))
        std::abort();
    const auto file = plimsoll::plan::readPlan(text, *program());
    if (file && (!outline || outline->file.info != file->info))
        std::abort(); // what its graph takes says the same without it
    if (!file)
        return isOneSentence(file.error()) ? 0 : (std::abort(), 0);
    const auto problem = plimsoll::plan::problemOf(*file, program());
    if (!problem)
        return isOneSentence(problem.error()) ? 0 : (std::abort(), 0);
    const auto verified = plimsoll::plan::certify(*problem, file->plan);
    if (!verified)
        return isOneSentence(verified.error()) ? 0 : (std::abort(), 0);
    // What is written is read again.
    return plimsoll::plan::readPlan(plimsoll::plan::writePlan(*verified), *program())
               ? 0
               : (std::abort(), 0);
}
