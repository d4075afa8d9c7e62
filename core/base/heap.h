// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace plimsoll::base {

/// Returns memory that was freed to the system, after work that needed much more than it leaves
/// behind. glibc keeps it otherwise: planning a large step leaves twice what its plans take. Takes
/// some tens of milliseconds; not on the GUI thread.
inline void releaseFreeMemory()
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

} // namespace plimsoll::base
