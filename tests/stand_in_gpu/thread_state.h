// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace plimsoll::stand_in {

/// What the runtime keeps for each thread.
struct ThreadState
{
    int device = 0;
    cudaError_t error = cudaSuccess; ///< until cudaGetLastError()
};

[[nodiscard]] ThreadState& threadState();

/// Keeps an error for cudaGetLastError() and returns it.
cudaError_t noted(cudaError_t error);

[[nodiscard]] bool isDevice(int device);

/// A device has a context from its first use on.
void makeContext(int device);
[[nodiscard]] bool hasContext(int device);

} // namespace plimsoll::stand_in
