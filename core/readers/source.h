// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/graph/program.h"

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace plimsoll::readers {

/// What a reader is given: content with io::kPadding readable bytes behind it, and its file's name.
struct Source
{
    std::string name; ///< as messages show it
    std::string_view bytes;
    bool compressed = false; ///< offsets then count decompressed bytes, and messages say so
};

/// What a graph reader returns.
struct ReadProgram
{
    graph::ProgramPtr program;
    std::string formatId;
    int formatVersion = 0;
    /// Oddities that were tolerated, each with how often: worth showing when not empty.
    std::map<std::string, std::size_t> statistics;
    std::string contentHash; ///< io::contentHash of the decompressed content
};

} // namespace plimsoll::readers
