// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/torch_ops.h"

#include <algorithm>
#include <array>

namespace plimsoll::solve {

namespace {

/// Sorted. Contains all pointwise ops of PyTorch 2.15 except rare special functions.
constexpr std::array<std::string_view, 192> kRecomputable{
    // clang-format off
    "__and__", "__ilshift__", "__ixor__", "__lshift__", "__or__", "__rshift__", "__xor__",
    "_grad_sum_to_size", "_to_copy", "_unsafe_view", "abs", "acos", "acosh", "add", "addcdiv",
    "addcmul", "alias", "amax", "angle", "any", "arange", "argmax", "as_strided", "asin", "asinh",
    "atan", "atan2", "atanh", "bitwise_and", "bitwise_left_shift", "bitwise_not", "bitwise_or",
    "bitwise_right_shift", "bitwise_xor", "broadcast_tensors", "ceil", "celu", "clamp", "clamp_max",
    "clamp_min", "clip", "clone", "conj_physical", "copysign", "cos", "cosh", "deg2rad", "digamma",
    "div", "elu", "empty", "empty_like", "eq", "equal", "erf", "erfc", "erfinv", "exp", "exp2",
    "expand", "expm1", "float_power", "floor", "fmax", "fmin", "fmod", "frac", "frexp", "full",
    "full_like", "gather", "gcd", "ge", "gelu", "gelu_backward", "gt", "hardshrink", "hardsigmoid",
    "hardtanh", "heaviside", "hypot", "i0", "igamma", "igammac", "index", "isfinite", "isinf",
    "isnan", "isneginf", "isposinf", "lcm", "ldexp", "le", "leaky_relu", "lerp", "lgamma",
    "lift_fresh_copy", "log", "log10", "log1p", "log2", "logaddexp", "logaddexp2", "logical_and",
    "logical_not", "logical_or", "logical_xor", "logit", "logit_backward", "lt", "masked_fill",
    "max", "maximum", "mean", "min", "minimum", "mish", "mul", "mvlgamma", "nan_to_num",
    "native_dropout_backward", "ne", "neg", "new_zeros", "nextafter", "ones", "permute",
    "polygamma", "positive", "pow", "rad2deg", "reciprocal", "relu", "relu6", "remainder",
    "reshape", "round", "rrelu", "rsqrt", "rsub", "scalar_tensor", "select", "selu", "sgn",
    "sigmoid", "sigmoid_backward", "sign", "signbit", "silu", "silu_backward", "sin", "sinc",
    "sinh", "slice", "softplus", "softshrink", "special_entr", "special_erfcx", "special_i0e",
    "special_i1", "special_i1e", "special_log_ndtr", "special_ndtri", "special_xlog1py",
    "special_zeta", "split", "sqrt", "square", "squeeze", "std", "sub", "sum", "sum_to_size", "t",
    "tan", "tanh", "tanh_backward", "threshold", "threshold_backward", "to", "triu", "true_divide",
    "trunc", "type_as", "unsqueeze", "var", "var_mean", "view", "where", "xlogy", "zeros",
    "zeros_like",
    // clang-format on
};

constexpr std::array<std::string_view, 11> kCompute{
    "_efficient_attention_forward",
    "_flash_attention_forward",
    "_scaled_dot_product_efficient_attention",
    "_scaled_dot_product_flash_attention",
    "_scaled_mm",
    "addmm",
    "bmm",
    "convolution",
    "convolution_backward",
    "mm",
    "upsample_bilinear2d",
};

constexpr std::array<std::string_view, 3> kRandom{"native_dropout", "rand_like", "randn_like"};

constexpr std::string_view kAten = "aten.";

} // namespace

std::string packetOf(std::string_view target)
{
    const std::size_t space = target.find('.');
    const std::size_t overload =
        space == std::string_view::npos ? space : target.find('.', space + 1);
    std::string packet{target.substr(0, overload)};
    if (packet.size() > 2 && packet.back() == '_' && packet[packet.size() - 2] != '_')
        packet.pop_back();
    return packet;
}

OpTraits traitsOf(std::string_view packet, bool isView)
{
    if (!packet.starts_with(kAten))
        return {.isRecomputable = isView, .isView = isView};
    const std::string_view name = packet.substr(kAten.size());
    // The compiler expresses all views by those in its list.
    return {.isRecomputable = isView || std::ranges::binary_search(kRecomputable, name),
            .isRandom = std::ranges::find(kRandom, name) != kRandom.end(),
            .isView = isView,
            .isCompute = std::ranges::find(kCompute, name) != kCompute.end(),
            .isCat = name == "cat"};
}

} // namespace plimsoll::solve
