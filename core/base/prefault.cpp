// SPDX-License-Identifier: Apache-2.0
#include "core/base/prefault.h"

#include <cstdint>
#include <sys/mman.h>

namespace plimsoll::base {

void prefault(void* begin, std::size_t bytes)
{
    constexpr std::uintptr_t kPage = 4096;
    const auto address = reinterpret_cast<std::uintptr_t>(begin);
    const std::uintptr_t first = address / kPage * kPage;
    const std::uintptr_t last = (address + bytes + kPage - 1) / kPage * kPage;
    // Kernels before 5.14 refuse it: the pages then come as they are touched.
    ::madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
}

} // namespace plimsoll::base
