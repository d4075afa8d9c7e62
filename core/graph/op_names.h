// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace plimsoll::graph {

/// "aten.convolution" for "aten.convolution.default": what PyTorch calls the overload packet.
[[nodiscard]] constexpr std::string_view withoutOverload(std::string_view target)
{
    const std::size_t overload = target.rfind('.');
    return overload != std::string_view::npos && overload > target.find('.')
               ? target.substr(0, overload)
               : target;
}

} // namespace plimsoll::graph
