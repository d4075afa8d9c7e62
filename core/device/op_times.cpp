// SPDX-License-Identifier: Apache-2.0
#include "core/device/op_times.h"

#include <algorithm>
#include <cmath>

namespace plimsoll::plan {

namespace {

/// The dtype in which an op computes: that of its first output, else of its first input.
const std::string* dtypeOf(const graph::Program& program, const graph::Op& op)
{
    for (const std::vector<graph::TensorId>* tensors : {&op.outputs, &op.reads, &op.writes})
        if (!tensors->empty())
            return &program.dtypes[program.tensor(tensors->front()).dtype];
    return nullptr;
}

double peakFlops(const Device& device, const std::string* dtype)
{
    if (dtype != nullptr)
        if (const auto found = device.flops.find(*dtype); found != device.flops.end())
            return found->second;
    const auto single = device.flops.find("float32");
    return single == device.flops.end() ? 0 : single->second;
}

} // namespace

std::vector<base::Nanoseconds> opTimes(const graph::Program& program, const Device& device)
{
    // A hostile file may claim 2^62 flops per op; a century per op keeps all sums inside 64 bits.
    constexpr double kLongest = 3e12;
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
        const double flops = peakFlops(device, dtypeOf(program, op));
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
