// SPDX-License-Identifier: Apache-2.0
// Prints rows as benchmarks do; a word as argument adds one that misses.
#include "tests/bench/rows.h"

int main(int argc, char** /*argv*/)
{
    using plimsoll::bench::Rows;
    plimsoll::bench::printFigure("not a row", 1);
    Rows{"10", "later goal"}.atMost("at the target", 2, 2);
    Rows{"2", "earlier goal"}.atLeast("above it", 3, 2);
    if (argc > 1)
        Rows{"-", "own goal"}.atMost("no figure", plimsoll::bench::kNotMeasured, 1);
    return 0;
}
