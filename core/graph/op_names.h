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

/// "transformer.h" of "transformer.h.0"; empty for a path without dots.
[[nodiscard]] constexpr std::string_view parentPath(std::string_view path)
{
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : path.substr(0, dot);
}

} // namespace plimsoll::graph
