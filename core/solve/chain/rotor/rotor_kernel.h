// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace plimsoll::solve {

/// out[m] = min(out[m], time + first[m] + second[m]) for m < count. The rows don't overlap `out`.
void minPlusRow(double* out, const double* first, const double* second, double time,
                std::size_t count);

/// out[m] = min(out[m], time + first[m]) for m < count.
void minAddRow(double* out, const double* first, double time, std::size_t count);

} // namespace plimsoll::solve
