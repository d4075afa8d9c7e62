// SPDX-License-Identifier: Apache-2.0
#include "core/solve/baseline/joint_builder.h"

#include <algorithm>
#include <array>

namespace plimsoll::solve {

namespace {

using Nodes = JointBuilder::Nodes;

graph::TensorId result(const JointBuilder& builder, std::size_t index)
{
    return builder.op().outputs[index];
}

std::size_t normalized(JointBuilder& b, std::size_t x, std::size_t mean, std::size_t rstd)
{
    return b.pointwise("aten.mul", {b.pointwise("aten.sub", {x, mean}), rstd});
}

void layerNorm(JointBuilder& b)
{
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
}

void layerNormBackward(JointBuilder& b)
{
    const std::size_t rstd = b.argument(3);
    Nodes inputs{b.argument(0), normalized(b, b.widened(b.argument(1)), b.argument(2), rstd)};
    const bool toInput = b.elementsOf(result(b, 0)) == b.elementsOf(b.op().reads[1]);
    if (toInput) {
        inputs.push_back(b.pointwise("aten.div", {rstd}));
        if (b.op().reads.size() > 4)
            inputs.push_back(b.argument(4));
    }
    b.define(inputs, kPointwise);
}

/// Arguments: x, weight, bias, running mean, running variance. In evaluation mode it isn't split.
void batchNorm(JointBuilder& b)
{
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
}

/// `at`: positions of the arguments that its nodes read: gradient, x, weight, mean, rstd.
void batchNormBackward(JointBuilder& b, const std::array<std::size_t, 5>& at)
{
    std::size_t mean = b.argument(at[3]);
    for (const char* view : {"aten.unsqueeze a", "aten.unsqueeze b", "aten.unsqueeze c"})
        mean = b.view(view, mean);
    const std::size_t rstd = b.argument(at[4]);
    const std::size_t centred = b.pointwise("aten.sub", {b.widened(b.argument(at[1])), mean});
    Nodes inputs{b.argument(at[0]), centred, rstd, b.pointwise("aten.mul", {rstd, rstd})};
    if (b.elementsOf(result(b, 0)) == b.elementsOf(b.op().reads[at[1]]))
        inputs.push_back(b.pointwise("aten.mul", {rstd, b.argument(at[2])}));
    b.define(inputs, kPointwise);
}

void gelu(JointBuilder& b)
{
    const std::size_t x = b.widened(b.argument(0));
    const std::size_t half = b.pointwise("aten.mul half", {x});
    const std::size_t error = b.pointwise("aten.erf", {b.pointwise("aten.mul root", {x})});
    b.define(result(b, 0), b.pointwise("aten.mul", {half, b.pointwise("aten.add 1", {error})}));
}

void geluBackward(JointBuilder& b)
{
    const std::size_t x = b.widened(b.argument(1));
    const std::size_t error = b.pointwise("aten.erf", {b.pointwise("aten.mul root", {x})});
    const std::size_t share = b.pointwise("aten.mul half", {b.pointwise("aten.add 1", {error})});
    std::size_t density = b.pointwise("aten.mul -half", {b.pointwise("aten.mul", {x, x})});
    density = b.pointwise("aten.mul density", {b.pointwise("aten.exp", {density})});
    const std::size_t slope =
        b.pointwise("aten.add", {share, b.pointwise("aten.mul", {x, density})});
    b.define({b.argument(0), slope}, kPointwise);
}

void silu(JointBuilder& b)
{
    const std::size_t x = b.widened(b.argument(0));
    b.define(result(b, 0), b.pointwise("aten.mul", {x, b.pointwise("aten.sigmoid", {x})}));
}

void siluBackward(JointBuilder& b)
{
    const std::size_t x = b.widened(b.argument(1));
    const std::size_t sigmoid = b.pointwise("aten.sigmoid", {x});
    const std::size_t rest = b.pointwise("aten.sub 1", {sigmoid});
    const std::size_t slope = b.pointwise("aten.add 1", {b.pointwise("aten.mul", {x, rest})});
    b.define({b.argument(0), sigmoid, slope}, kPointwise);
}

/// x minus its largest value, the exponentials of that, and their sums, by row.
struct Exponentials
{
    std::size_t shifted = 0;
    std::size_t powers = 0;
    std::size_t sums = 0;
};

/// The recording lacks the row length, but for nearly all models it is the last dimension's.
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

void softmax(JointBuilder& b)
{
    const Exponentials parts = exponentials(b);
    b.define(result(b, 0), b.pointwise("aten.div", {parts.powers, parts.sums}));
}

void softmaxBackward(JointBuilder& b)
{
    b.define({b.argument(0), b.argument(1), b.pointwise("aten.neg", {b.argument(1)})}, kPointwise);
}

void logSoftmax(JointBuilder& b)
{
    const Exponentials parts = exponentials(b);
    const std::size_t logarithm = b.pointwise("aten.log", {parts.sums});
    b.define(result(b, 0), b.pointwise("aten.sub", {parts.shifted, logarithm}));
}

void logSoftmaxBackward(JointBuilder& b)
{
    b.define({b.argument(0), b.pointwise("aten.exp", {b.argument(1)})}, kPointwise);
}

void dropout(JointBuilder& b)
{
    const std::size_t x = b.argument(0);
    const std::size_t mask = b.pointwise("aten.gt p", {b.random(x)}, 1);
    b.define(result(b, 0), b.pointwise("aten.mul scale", {b.pointwise("aten.mul", {mask, x})}));
    b.define(result(b, 1), mask);
}

void dropoutBackward(JointBuilder& b)
{
    const std::int64_t item = b.itemBytesOf(b.op().reads[0]);
    const std::size_t mask = b.pointwise("prims.convert_element_type", {b.argument(1)}, item);
    b.define({b.argument(0), b.pointwise("aten.mul scale", {mask})}, kPointwise);
}

void thresholdBackward(JointBuilder& b)
{
    b.define({b.argument(0), b.pointwise("aten.le 0", {b.argument(1)}, 1)}, kPointwise);
}

/// Arguments: log probabilities, classes.
void logLikelihood(JointBuilder& b)
{
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
}

/// Arguments: gradient, log probabilities (only the shape is used), classes, total weight.
void logLikelihoodBackward(JointBuilder& b)
{
    const std::size_t classes = b.view("aten.unsqueeze", b.argument(2));
    const std::size_t counts = b.pointwise("aten.ne ignored", {classes}, 1);
    const std::size_t index = b.pointwise("aten.where 0", {classes, counts});
    b.define({b.argument(0), index, counts, b.argument(3)}, kPointwise);
}

void nativeBatchNormBackward(JointBuilder& b)
{
    batchNormBackward(b, {0, 1, 2, 5, 6});
}

void cudnnBatchNormBackward(JointBuilder& b)
{
    batchNormBackward(b, {1, 0, 2, 5, 6});
}

/// An op that is split, if the recorded op has at least this many arguments and results.
struct Split
{
    std::string_view packet;
    std::size_t arguments;
    std::size_t results;
    void (*add)(JointBuilder&);
};

constexpr std::array kSplits{
    Split{"aten.native_layer_norm", 1, 3, layerNorm},
    Split{"aten.native_layer_norm_backward", 4, 1, layerNormBackward},
    Split{"aten.native_batch_norm", 5, 3, batchNorm},
    Split{"aten.native_batch_norm_backward", 7, 1, nativeBatchNormBackward},
    Split{"aten.cudnn_batch_norm", 5, 3, batchNorm},
    Split{"aten.cudnn_batch_norm_backward", 7, 1, cudnnBatchNormBackward},
    Split{"aten.gelu", 1, 1, gelu},
    Split{"aten.gelu_backward", 2, 1, geluBackward},
    Split{"aten.silu", 1, 1, silu},
    Split{"aten.silu_backward", 2, 1, siluBackward},
    Split{"aten._softmax", 1, 1, softmax},
    Split{"aten._softmax_backward_data", 2, 1, softmaxBackward},
    Split{"aten._log_softmax", 1, 1, logSoftmax},
    Split{"aten._log_softmax_backward_data", 2, 1, logSoftmaxBackward},
    Split{"aten.native_dropout", 1, 2, dropout},
    Split{"aten.native_dropout_backward", 2, 1, dropoutBackward},
    Split{"aten.threshold_backward", 2, 1, thresholdBackward},
    Split{"aten.nll_loss_forward", 2, 2, logLikelihood},
    Split{"aten.nll_loss_backward", 4, 1, logLikelihoodBackward},
};

} // namespace

bool splitOp(JointBuilder& builder, std::string_view packet)
{
    const auto* split = std::ranges::find(kSplits, packet, &Split::packet);
    if (split == kSplits.end() || builder.op().reads.size() < split->arguments
        || builder.op().outputs.size() < split->results
        || (split->add == batchNorm && builder.elementsOf(result(builder, 1)) == 0))
        return false; // batch norm in evaluation computes no statistics
    split->add(builder);
    return true;
}

} // namespace plimsoll::solve
