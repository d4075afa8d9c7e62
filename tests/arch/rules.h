// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::arch {

/// A file of the repository: its path from the root and its content.
struct SourceFile
{
    std::string path;
    std::string text;
};

/// What a file does that the architecture forbids, one sentence each; empty for a good file.
[[nodiscard]] std::vector<std::string> faultsOfFile(const SourceFile& file);

/// Faults of the tree as a whole: unexpected entries at the top, a missing FORMAT.md.
[[nodiscard]] std::vector<std::string> faultsOfTree(const std::vector<std::string>& paths);

/// Words in `text` that name a developer's computer. Also applied to the content of packed samples.
[[nodiscard]] std::vector<std::string> machineWords(std::string_view text);

/// The module of a path as in the table of rules.cpp ("core/solve/chain"); empty if it has no rule.
[[nodiscard]] std::string moduleOf(std::string_view path);

} // namespace plimsoll::arch
