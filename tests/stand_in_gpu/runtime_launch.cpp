// SPDX-License-Identifier: Apache-2.0
// CUDA runtime: kernels. None runs.
#include "tests/stand_in_gpu/listener.h"
#include "tests/stand_in_gpu/settings.h"
#include "tests/stand_in_gpu/thread_state.h"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace {

constexpr int kThreadsPerProcessor = 2048;
constexpr int kMostBlocks = 32;

cudaError_t blocksPerProcessor(int* blocks, int threads)
{
    *blocks = std::clamp(kThreadsPerProcessor / std::max(threads, 1), 1, kMostBlocks);
    return cudaSuccess;
}

cudaError_t launch(const void* kernel, dim3 grid, dim3 block, cudaStream_t stream)
{
    using namespace plimsoll::stand_in;
    if (const std::uint64_t begin = eventBegin(); begin > 0)
        tell({.kind = StandInLaunched,
              .device = threadState().device,
              .stream = stream,
              .begin = begin,
              .name = kernelName(kernel),
              .grid = {grid.x, grid.y, grid.z},
              .block = {block.x, block.y, block.z}});
    return cudaSuccess;
}

} // namespace

extern "C" {

cudaError_t cudaLaunchKernel(const void* kernel, dim3 grid, dim3 block, void** /*arguments*/,
                             std::size_t /*shared*/, cudaStream_t stream)
{
    return launch(kernel, grid, block, stream);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel,
                                void** /*arguments*/)
{
    return launch(kernel, config->gridDim, config->blockDim, config->stream);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function)
{
    *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
    return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** /*arguments*/,
                               std::size_t /*shared*/, cudaStream_t stream)
{
    return launch(kernel, grid, block, stream);
}

cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* /*function*/)
{
    *attributes = {};
    attributes->maxThreadsPerBlock = 1024;
    attributes->numRegs = 32;
    attributes->binaryVersion =
        10 * plimsoll::stand_in::settings().major + plimsoll::stand_in::settings().minor;
    attributes->ptxVersion = attributes->binaryVersion;
    attributes->maxDynamicSharedSizeBytes = 48 << 10;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void* /*function*/, cudaFuncAttribute /*attribute*/,
                                 int /*value*/)
{
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void* /*function*/,
                                                          int threads, std::size_t /*shared*/)
{
    return blocksPerProcessor(blocks, threads);
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks,
                                                                   const void* /*function*/,
                                                                   int threads,
                                                                   std::size_t /*shared*/,
                                                                   unsigned int /*flags*/)
{
    return blocksPerProcessor(blocks, threads);
}

cudaError_t cudaProfilerStart()
{
    return cudaSuccess;
}

cudaError_t cudaProfilerStop()
{
    return cudaSuccess;
}

} // extern "C"
