// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/quantity.h"
#include "core/device/device.h"
#include "core/graph/program.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace plimsoll::plan {

/// The workspaces that PyTorch allocates for cuBLAS: one for each thread that calls it. A thread
/// keeps its own once it has one; under PyTorch 2.15 it has it only while a product runs.
struct Workspaces
{
    std::int64_t threads = 0; ///< forward's, if it has products, and backward's, if it may
    base::Bytes each;

    [[nodiscard]] base::Bytes all() const { return base::Bytes{threads * each.count()}; }
    bool operator==(const Workspaces&) const = default;
};

/// Whether an op is a product for which PyTorch calls cuBLAS: by its target, "aten.addmm_.default".
[[nodiscard]] bool isProduct(std::string_view target);

/// Those of a step on a device; none of a step for the CPU. `each`: as CUBLAS_WORKSPACE_CONFIG
/// says; left out, the device's.
[[nodiscard]] Workspaces workspacesOf(const graph::Program& program, const Device& device,
                                      std::optional<base::Bytes> each = std::nullopt);

/// How a reserve compares with these workspaces: "2 x 8.1 MiB cuBLAS, context 0" if it is theirs,
/// else "cuBLAS takes 2 x 8.1 MiB".
[[nodiscard]] std::string reserveOrigin(base::Bytes reserve, const Workspaces& workspaces);

/// The size that a value of CUBLAS_WORKSPACE_CONFIG gives each workspace: the sum of all
/// ":KiB:count" in it, as PyTorch reads it; none if there is no such part or the sum is over
/// kMostCublasWorkspace.
[[nodiscard]] std::optional<base::Bytes> cublasWorkspaceOf(std::string_view config);

/// The same of this process's environment.
[[nodiscard]] std::optional<base::Bytes> configuredWorkspace();

} // namespace plimsoll::plan
