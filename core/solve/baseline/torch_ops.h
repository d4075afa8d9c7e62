// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace plimsoll::solve {

/// What PyTorch's min-cut partitioner knows about an op (get_default_op_list() of
/// torch/_functorch/partitioners.py).
struct OpTraits
{
    bool isRecomputable = false; ///< on the list of those that are cheap to repeat
    bool isRandom = false;
    bool isView = false;
    bool isCompute = false; ///< worth its time: matrix products, convolutions, attention
    bool isCat = false;     ///< fuses with what it reads, whatever that is
    bool isElement = false; ///< takes one of several results; never banned by itself

    [[nodiscard]] bool isFusible() const { return isRecomputable || isRandom; }
};

inline constexpr OpTraits kPointwise{.isRecomputable = true};

/// "aten.add" of "aten.add_.Tensor": the op without its overload, as if it wrote nothing in place.
[[nodiscard]] std::string packetOf(std::string_view target);

/// Of a packet; `isView`: its results share memory with what it reads.
[[nodiscard]] OpTraits traitsOf(std::string_view packet, bool isView);

} // namespace plimsoll::solve
