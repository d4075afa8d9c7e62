// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/arch/rules.h"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace plimsoll::arch {

/// A class with all that is written of it: its definition and its member functions, in any file of
/// its folder.
struct ClassLines
{
    std::string name; ///< "core/verify/Replay", "ui/timeline/TimelineView::Private"
    std::size_t lines = 0;
    std::set<std::string> sources; ///< .cpp files with member functions of it
};

/// The classes at namespace level of .h and .cpp files that are laid out as .clang-format says. One
/// that is defined in a .cpp belongs to that file alone.
[[nodiscard]] std::vector<ClassLines> classesOf(const std::vector<SourceFile>& files);

/// A sentence for each class that is too long, or spread over several .cpp files, of core, ui and
/// app; except for those that were when this came to be checked.
[[nodiscard]] std::vector<std::string> faultsOfClasses(const std::vector<SourceFile>& files);

} // namespace plimsoll::arch
