// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::arch {

/// A file of the repository: its path from the root and what is in it.
struct SourceFile
{
    std::string path;
    std::string text;
};

/// What one file does that the architecture forbids, a sentence each; empty for a good file.
[[nodiscard]] std::vector<std::string> faultsOfFile(const SourceFile& file);

/// What is wrong with the tree as a whole: entries at the top that nobody agreed on, a missing
/// FORMAT.md.
[[nodiscard]] std::vector<std::string> faultsOfTree(const std::vector<std::string>& paths);

/// Words in `text` that name a computer somebody worked on. Also for what is inside of packed
/// samples.
[[nodiscard]] std::vector<std::string> machineWords(std::string_view text);

/// The module a path belongs to as in the table of rules.cpp ("core/solve/chain"), or empty when it
/// has no rule.
[[nodiscard]] std::string moduleOf(std::string_view path);

} // namespace plimsoll::arch
