// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/rotor_kernel.h"

namespace plimsoll::solve {

void minPlusRow(double* __restrict out, const double* __restrict first,
                const double* __restrict second, double time, std::size_t count)
{
    for (std::size_t m = 0; m < count; ++m) {
        const double value = (time + first[m]) + second[m];
        out[m] = value < out[m] ? value : out[m];
    }
}

void minAddRow(double* __restrict out, const double* __restrict first, double time,
               std::size_t count)
{
    for (std::size_t m = 0; m < count; ++m) {
        const double value = time + first[m];
        out[m] = value < out[m] ? value : out[m];
    }
}

} // namespace plimsoll::solve
