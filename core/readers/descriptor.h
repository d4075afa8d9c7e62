// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/readers/source.h"

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::readers {

/// One file format: how it is recognised and read.
struct ReaderDescriptor
{
    std::string id;                      ///< "plimsoll-graph": for machines
    std::string name;                    ///< "Plimsoll graph": for people
    std::vector<std::string> extensions; ///< with their dots, ".gz" left out
    /// Whether content that begins with these bytes (kSniffBytes of them, or all) is this format.
    bool (*sniff)(std::string_view head) = nullptr;
    base::Result<ReadProgram> (*read)(const Source& source,
                                      const base::JobContext& context) = nullptr;
};

} // namespace plimsoll::readers
