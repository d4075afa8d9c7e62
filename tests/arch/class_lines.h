// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/arch/rules.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace plimsoll::arch {

/// A class with its definition and its member functions, in any file of its folder.
struct ClassLines
{
    std::string name; ///< "core/verify/Replay", "ui/timeline/TimelineView::Private"
    std::size_t lines = 0;
    std::set<std::string> sources; ///< .cpp files with member functions of it
};

/// The classes at namespace level in .h and .cpp files formatted by clang-format. A class defined
/// in a .cpp belongs to that file alone.
[[nodiscard]] std::vector<ClassLines> classesOf(const std::vector<SourceFile>& files);

/// A sentence for each class in core, ui and app that is too long or spread over several .cpp
/// files, except for those that were so when this check was introduced.
[[nodiscard]] std::vector<std::string> faultsOfClasses(const std::vector<SourceFile>& files);

} // namespace plimsoll::arch
