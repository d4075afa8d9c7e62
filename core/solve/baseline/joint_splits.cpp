// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/joint_builder.h"

#include <algorithm>
#include <array>

namespace plimsoll::solve {

namespace {

using Nodes = JointBuilder::Nodes;

bool has(const JointBuilder& builder, std::size_t arguments, std::size_t results)
{
    return builder.op().reads.size() >= arguments && builder.op().outputs.size() >= results;
}

graph::TensorId result(const JointBuilder& builder, std::size_t index)
{
    return builder.op().outputs[index];
}

std::size_t normalized(JointBuilder& b, std::size_t x, std::size_t mean, std::size_t rstd)
{
    return b.pointwise("aten.mul", {b.pointwise("aten.sub", {x, mean}), rstd});
}

bool layerNorm(JointBuilder& b)
{
    if (!has(b, 1, 3))
        return false;
    const std::size_t x = b.widened(b.argument(0));
    const std::int64_t rows = b.elementsOf(result(b, 1));
    const std::size_t both = b.varianceAndMean(x, rows);
    const std::size_t variance = b.element(both, 0, rows);
    const std::size_t mean = b.element(both, 1, rows);
    const std::size_t rstd = b.pointwise("aten.rsqrt", {b.pointwise("aten.add eps", {variance})});
    std::size_t y = normalized(b, x, mean, rstd);
    if (b.op().reads.size() > 1)
        y = b.pointwise("aten.mul", {y, b.argument(1)});
    if (b.op().reads.size() > 2)
        y = b.pointwise("aten.add", {y, b.argument(2)});
    b.define(result(b, 0), y);
    b.define(result(b, 1), mean);
    b.define(result(b, 2), rstd);
    return true;
}

bool layerNormBackward(JointBuilder& b)
{
    if (!has(b, 4, 1))
        return false;
    const std::size_t rstd = b.argument(3);
    Nodes inputs{b.argument(0), normalized(b, b.widened(b.argument(1)), b.argument(2), rstd)};
    const bool toInput = b.elementsOf(result(b, 0)) == b.elementsOf(b.op().reads[1]);
    if (toInput) {
        inputs.push_back(b.pointwise("aten.div", {rstd}));
        if (b.op().reads.size() > 4)
            inputs.push_back(b.argument(4));
    }
    b.define(inputs, kPointwise);
    return true;
}

/// x, weight, bias, running mean, running variance. Elsewhere, as in evaluation, it isn't split.
bool batchNorm(JointBuilder& b)
{
    if (!has(b, 5, 3) || b.elementsOf(result(b, 1)) == 0)
        return false;
    const std::size_t x = b.widened(b.argument(0));
    const std::int64_t channels = b.elementsOf(result(b, 1));
    const std::size_t both = b.varianceAndMean(x, channels);
    const std::size_t variance = b.element(both, 0, channels);
    const std::size_t mean = b.element(both, 1, channels);
    const std::size_t rstd = b.pointwise("aten.rsqrt", {b.pointwise("aten.add eps", {variance})});
    const std::size_t centred = normalized(b, x, mean, rstd);
    const std::size_t savedMean = b.view("aten.squeeze", mean);
    const std::size_t savedRstd = b.view("aten.squeeze", rstd);
    const std::size_t newMean =
        b.pointwise("aten.add", {b.pointwise("aten.mul m", {savedMean}),
                                 b.pointwise("aten.mul 1-m", {b.argument(3)})});
    std::size_t spread = b.pointwise("aten.mul n", {b.view("aten.squeeze", variance)});
    spread = b.pointwise("aten.mul m", {spread});
    const std::size_t newVariance =
        b.pointwise("aten.add", {spread, b.pointwise("aten.mul 1-m", {b.argument(4)})});
    const auto broadcast = [&](std::size_t index) {
        return b.view("aten.unsqueeze 2", b.view("aten.unsqueeze 1", b.argument(index)));
    };
    const std::size_t scaled = b.pointwise("aten.mul", {centred, broadcast(1)});
    const std::size_t y = b.pointwise("aten.add", {scaled, broadcast(2)});
    b.define(result(b, 0), y);
    b.define(result(b, 1), savedMean);
    b.define(result(b, 2), savedRstd);
    b.define(b.op().reads[3], newMean);
    b.define(b.op().reads[4], newVariance);
    return true;
}

/// The arguments that its nodes read: gradient, x, weight, mean, rstd.
bool batchNormBackward(JointBuilder& b, const std::array<std::size_t, 5>& at)
{
    if (!has(b, 7, 1))
        return false;
    std::size_t mean = b.argument(at[3]);
    for (const char* view : {"aten.unsqueeze a", "aten.unsqueeze b", "aten.unsqueeze c"})
        mean = b.view(view, mean);
    const std::size_t rstd = b.argument(at[4]);
    const std::size_t centred = b.pointwise("aten.sub", {b.widened(b.argument(at[1])), mean});
    Nodes inputs{b.argument(at[0]), centred, rstd, b.pointwise("aten.mul", {rstd, rstd})};
    if (b.elementsOf(result(b, 0)) == b.elementsOf(b.op().reads[at[1]]))
        inputs.push_back(b.pointwise("aten.mul", {rstd, b.argument(at[2])}));
    b.define(inputs, kPointwise);
    return true;
}

bool gelu(JointBuilder& b)
{
    if (!has(b, 1, 1))
        return false;
    const std::size_t x = b.widened(b.argument(0));
    const std::size_t half = b.pointwise("aten.mul half", {x});
    const std::size_t error = b.pointwise("aten.erf", {b.pointwise("aten.mul root", {x})});
    b.define(result(b, 0), b.pointwise("aten.mul", {half, b.pointwise("aten.add 1", {error})}));
    return true;
}

bool geluBackward(JointBuilder& b)
{
    if (!has(b, 2, 1))
        return false;
    const std::size_t x = b.widened(b.argument(1));
    const std::size_t error = b.pointwise("aten.erf", {b.pointwise("aten.mul root", {x})});
    const std::size_t share = b.pointwise("aten.mul half", {b.pointwise("aten.add 1", {error})});
    std::size_t density = b.pointwise("aten.mul -half", {b.pointwise("aten.mul", {x, x})});
    density = b.pointwise("aten.mul density", {b.pointwise("aten.exp", {density})});
    const std::size_t slope =
        b.pointwise("aten.add", {share, b.pointwise("aten.mul", {x, density})});
    b.define({b.argument(0), slope}, kPointwise);
    return true;
}

bool silu(JointBuilder& b)
{
    if (!has(b, 1, 1))
        return false;
    const std::size_t x = b.widened(b.argument(0));
    b.define(result(b, 0), b.pointwise("aten.mul", {x, b.pointwise("aten.sigmoid", {x})}));
    return true;
}

bool siluBackward(JointBuilder& b)
{
    if (!has(b, 2, 1))
        return false;
    const std::size_t x = b.widened(b.argument(1));
    const std::size_t sigmoid = b.pointwise("aten.sigmoid", {x});
    const std::size_t rest = b.pointwise("aten.sub 1", {sigmoid});
    const std::size_t slope = b.pointwise("aten.add 1", {b.pointwise("aten.mul", {x, rest})});
    b.define({b.argument(0), sigmoid, slope}, kPointwise);
    return true;
}

/// x without its largest value, the exponentials of that, and their sums, by row.
struct Exponentials
{
    std::size_t shifted = 0;
    std::size_t powers = 0;
    std::size_t sums = 0;
};

/// Rows aren't told by the recording but their length is that of the last dimension for nearly
/// all models.
Exponentials exponentials(JointBuilder& b)
{
    const std::size_t x = b.widened(b.argument(0));
    const std::int64_t rows = b.rowsOf(b.op().reads[0]);
    Exponentials made;
    made.shifted = b.pointwise("aten.sub", {x, b.reduced("aten.amax", {x}, rows)});
    made.powers = b.pointwise("aten.exp", {made.shifted});
    made.sums = b.reduced("aten.sum", {made.powers}, rows);
    return made;
}

bool softmax(JointBuilder& b)
{
    if (!has(b, 1, 1))
        return false;
    const Exponentials parts = exponentials(b);
    b.define(result(b, 0), b.pointwise("aten.div", {parts.powers, parts.sums}));
    return true;
}

bool softmaxBackward(JointBuilder& b)
{
    if (!has(b, 2, 1))
        return false;
    b.define({b.argument(0), b.argument(1), b.pointwise("aten.neg", {b.argument(1)})}, kPointwise);
    return true;
}

bool logSoftmax(JointBuilder& b)
{
    if (!has(b, 1, 1))
        return false;
    const Exponentials parts = exponentials(b);
    const std::size_t logarithm = b.pointwise("aten.log", {parts.sums});
    b.define(result(b, 0), b.pointwise("aten.sub", {parts.shifted, logarithm}));
    return true;
}

bool logSoftmaxBackward(JointBuilder& b)
{
    if (!has(b, 2, 1))
        return false;
    b.define({b.argument(0), b.pointwise("aten.exp", {b.argument(1)})}, kPointwise);
    return true;
}

bool dropout(JointBuilder& b)
{
    if (!has(b, 1, 2))
        return false;
    const std::size_t x = b.argument(0);
    const std::size_t mask = b.pointwise("aten.gt p", {b.random(x)}, 1);
    b.define(result(b, 0), b.pointwise("aten.mul scale", {b.pointwise("aten.mul", {mask, x})}));
    b.define(result(b, 1), mask);
    return true;
}

bool dropoutBackward(JointBuilder& b)
{
    if (!has(b, 2, 1))
        return false;
    const std::int64_t item = b.itemBytesOf(b.op().reads[0]);
    const std::size_t mask = b.pointwise("prims.convert_element_type", {b.argument(1)}, item);
    b.define({b.argument(0), b.pointwise("aten.mul scale", {mask})}, kPointwise);
    return true;
}

bool thresholdBackward(JointBuilder& b)
{
    if (!has(b, 2, 1))
        return false;
    b.define({b.argument(0), b.pointwise("aten.le 0", {b.argument(1)}, 1)}, kPointwise);
    return true;
}

/// Logarithms of probabilities, classes.
bool logLikelihood(JointBuilder& b)
{
    if (!has(b, 2, 2))
        return false;
    constexpr std::int64_t kInt64 = 8;
    const std::int64_t item = b.itemBytesOf(b.op().reads[0]);
    const std::int64_t rows = b.elementsOf(b.op().reads[1]);
    const std::size_t counts = b.pointwise("aten.ne ignored", {b.argument(1)}, 1);
    const std::size_t index = b.pointwise("aten.where 0", {b.argument(1), counts});
    std::size_t taken = b.reduced("aten.gather", {b.argument(0), index}, rows);
    taken = b.pointwise("aten.where 0", {b.pointwise("aten.neg", {taken}), counts}, item);
    std::size_t total = b.reduced("aten.sum", {counts}, 1, kInt64);
    total = b.pointwise("prims.convert_element_type", {total}, item);
    b.define(result(b, 0), b.pointwise("aten.div", {b.reduced("aten.sum", {taken}, 1), total}));
    b.define(result(b, 1), total);
    return true;
}

/// Gradient, logarithms, classes, total weight. Of the logarithms it takes but the shape.
bool logLikelihoodBackward(JointBuilder& b)
{
    if (!has(b, 4, 1))
        return false;
    const std::size_t classes = b.view("aten.unsqueeze", b.argument(2));
    const std::size_t counts = b.pointwise("aten.ne ignored", {classes}, 1);
    const std::size_t index = b.pointwise("aten.where 0", {classes, counts});
    b.define({b.argument(0), index, counts, b.argument(3)}, kPointwise);
    return true;
}

bool nativeBatchNormBackward(JointBuilder& b)
{
    return batchNormBackward(b, {0, 1, 2, 5, 6});
}

bool cudnnBatchNormBackward(JointBuilder& b)
{
    return batchNormBackward(b, {1, 0, 2, 5, 6});
}

struct Split
{
    std::string_view packet;
    bool (*add)(JointBuilder&);
};

constexpr std::array kSplits{
    Split{"aten.native_layer_norm", layerNorm},
    Split{"aten.native_layer_norm_backward", layerNormBackward},
    Split{"aten.native_batch_norm", batchNorm},
    Split{"aten.native_batch_norm_backward", nativeBatchNormBackward},
    Split{"aten.cudnn_batch_norm", batchNorm},
    Split{"aten.cudnn_batch_norm_backward", cudnnBatchNormBackward},
    Split{"aten.gelu", gelu},
    Split{"aten.gelu_backward", geluBackward},
    Split{"aten.silu", silu},
    Split{"aten.silu_backward", siluBackward},
    Split{"aten._softmax", softmax},
    Split{"aten._softmax_backward_data", softmaxBackward},
    Split{"aten._log_softmax", logSoftmax},
    Split{"aten._log_softmax_backward_data", logSoftmaxBackward},
    Split{"aten.native_dropout", dropout},
    Split{"aten.native_dropout_backward", dropoutBackward},
    Split{"aten.threshold_backward", thresholdBackward},
    Split{"aten.nll_loss_forward", logLikelihood},
    Split{"aten.nll_loss_backward", logLikelihoodBackward},
};

} // namespace

bool splitOp(JointBuilder& builder, std::string_view packet)
{
    const auto* split = std::ranges::find(kSplits, packet, &Split::packet);
    return split != kSplits.end() && split->add(builder);
}

} // namespace plimsoll::solve
