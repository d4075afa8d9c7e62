// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/base/result.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::plan {

/// The dtypes for which a device has a rate.
inline constexpr std::array kRatedDtypes{"float32", "bfloat16", "float16", "float64"};

/// Bytes of a workspace of cuBLAS on most GPUs (CUBLAS_WORKSPACE_CONFIG=:4096:2:16:8).
inline constexpr base::Bytes kUsualCublasWorkspace{8519680};

/// More is refused: no GPU has that much.
inline constexpr base::Bytes kMostCublasWorkspace{std::int64_t{1} << 40};

/// An accelerator of resources/devices.json, which names the source of each value.
struct Device
{
    std::string id;              ///< "a100-80gb": what --device takes; of a device by hand its line
    std::string name;            ///< "A100 80GB SXM"
    std::string driverName = {}; ///< "NVIDIA A100-SXM4-80GB"; "": not known
    base::Bytes memory;
    double bandwidth = 0; ///< bytes per second of device memory
    std::map<std::string, double>
        flops;             ///< peak FLOP/s by dtype: "float32", "bfloat16", "float16", "float64"
    double hostLink = 0;   ///< bytes per second, one direction
    double deviceLink = 0; ///< bytes per second to another GPU, one direction; 0 = through the host
    base::Nanoseconds launchLatency;
    base::Bytes cublasWorkspace; ///< of one thread that calls cuBLAS, as PyTorch chooses it

    bool operator==(const Device&) const = default;
};

} // namespace plimsoll::plan
