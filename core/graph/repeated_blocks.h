// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstddef>
#include <vector>

namespace plimsoll::graph {

/// Calls of forward that have the same parent call, in order.
using Siblings = std::vector<CallId>;

/// Whether a call runs ops, all of them in forward or loss.
[[nodiscard]] bool isInForward(const Program& program, const Call& call);

/// Ops that the calls run.
[[nodiscard]] std::size_t opsOf(const Program& program, const Siblings& calls);

/// Whether it only holds other modules: a list or sequence of them.
[[nodiscard]] bool isContainer(const Module& module);

/// Whether its path ends in a number.
[[nodiscard]] bool isNumbered(const Module& module);

/// All families of repeated blocks, those inside others and at any depth too, by their first call.
[[nodiscard]] std::vector<Siblings> allRepeatedBlocks(const Program& program);

/// The repeated blocks of a model: sibling calls of one class that are numbered (`h.0`, `h.1`, …)
/// and consist of other modules; lists and sequences of modules don't count themselves. Of nested
/// families the outermost one; the largest by ops, and with it all others at the same depth of
/// module paths (encoder and decoder). In order of their first op; calls without ops don't count.
[[nodiscard]] std::vector<Siblings> repeatedBlocks(const Program& program);

} // namespace plimsoll::graph
