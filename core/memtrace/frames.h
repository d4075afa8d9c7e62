// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/stack_table.h"

#include <optional>
#include <string>

namespace plimsoll::memtrace {

/// Whether it is a function of Python, and not of C++.
[[nodiscard]] bool isPython(const StackTable& stacks, const Frame& frame);
/// Whether it is the user's own code: not of Python's library or an installed package.
[[nodiscard]] bool isProject(const StackTable& stacks, const Frame& frame);
/// The frame that a stack is named after: the innermost one of the project, else the innermost one
/// of Python, else that of a graph of the model; none if it has neither.
[[nodiscard]] std::optional<FrameId> topFrame(const StackTable& stacks, StackId stack);
/// "model.py:12:forward"; without a file the name.
[[nodiscard]] std::string frameText(const StackTable& stacks, FrameId frame);
/// The name of the group of a stack: frameText() of its top frame, or "(no Python frame)".
[[nodiscard]] std::string topFrameText(const StackTable& stacks, StackId stack);
/// The module that a graph of the model tells: "layers.0.linear1". Else the innermost function
/// forward() of the project, which is a module's: "model.py:forward"; or "(no module)".
[[nodiscard]] std::string moduleText(const StackTable& stacks, StackId stack);

} // namespace plimsoll::memtrace
