// SPDX-License-Identifier: Apache-2.0
#include "core/device/op_times.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace plimsoll::plan {

namespace {

/// The index of the dtype in which an op computes: that of its first output, else of its first
/// input.
std::optional<std::size_t> dtypeOf(const graph::Program& program, const graph::Op& op)
{
    for (const std::vector<graph::TensorId>* tensors : {&op.outputs, &op.reads, &op.writes})
        if (!tensors->empty())
            return program.tensor(tensors->front()).dtype;
    return std::nullopt;
}

/// By dtype of the program, then that of ops without tensors.
std::vector<double> peakFlops(const graph::Program& program, const Device& device)
{
    const auto single = device.flops.find("float32");
    const double usual = single == device.flops.end() ? 0 : single->second;
    std::vector<double> flops;
    flops.reserve(program.dtypes.size() + 1);
    for (const std::string& dtype : program.dtypes) {
        const auto found = device.flops.find(dtype);
        flops.push_back(found == device.flops.end() ? usual : found->second);
    }
    flops.push_back(usual);
    return flops;
}

} // namespace

std::vector<base::Nanoseconds> opTimes(const graph::Program& program, const Device& device)
{
    // A hostile file may claim 2^62 flops per op; a century per op keeps all sums inside 64 bits.
    constexpr double kLongest = 3e12;
    // Evaluations of plans ask for the times, so no op looks a name up.
    const std::vector<double> flopsOf = peakFlops(program, device);
    std::vector<base::Nanoseconds> times;
    times.reserve(program.ops.size());
    for (const graph::Op& op : program.ops) {
        if (op.measured) {
            times.push_back(*op.measured);
            continue;
        }
        if (op.isView || (op.flops == 0 && op.bytesMoved.count() == 0)) {
            times.emplace_back();
            continue;
        }
        const double flops = flopsOf[dtypeOf(program, op).value_or(program.dtypes.size())];
        const double compute = flops > 0 ? static_cast<double>(op.flops) / flops * 1e9 : 0;
        const double memory = device.bandwidth > 0 ? static_cast<double>(op.bytesMoved.count())
                                                         / device.bandwidth * 1e9
                                                   : 0;
        const double busy = std::min(std::max(compute, memory), kLongest);
        times.push_back(base::Nanoseconds{std::llround(busy)} + device.launchLatency);
    }
    return times;
}

} // namespace plimsoll::plan
