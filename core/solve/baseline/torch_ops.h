// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace plimsoll::solve {

/// What PyTorch's min-cut partitioner knows about an op (get_default_op_list() of
/// torch/_functorch/partitioners.py).
struct OpTraits
{
    bool isRecomputable = false; ///< on the list of ops that are cheap to recompute
    bool isRandom = false;
    bool isView = false;
    bool isCompute = false; ///< compute-intensive: matrix products, convolutions, attention
    bool isCat = false;     ///< fuses with everything that it reads
    bool isElement = false; ///< selects one of several results; never banned by itself

    [[nodiscard]] bool isFusible() const { return isRecomputable || isRandom; }
};

inline constexpr OpTraits kPointwise{.isRecomputable = true};

/// "aten.add" for "aten.add_.Tensor": the packet of the op, without the in-place suffix.
[[nodiscard]] std::string packetOf(std::string_view target);

/// For a packet; `isView`: its results share memory with what it reads.
[[nodiscard]] OpTraits traitsOf(std::string_view packet, bool isView);

} // namespace plimsoll::solve
