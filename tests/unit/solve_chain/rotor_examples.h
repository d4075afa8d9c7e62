// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

/// Worked schedules of the two homogeneous example chains: where two schedules are equally fast,
/// the one of the leaf-first tie rule.
namespace plimsoll::tests {

enum class Example { E1, E7 };

struct WorkedExample
{
    Example chain;
    int slots;    ///< the budget, model input included, with slots of size 1
    int makespan; ///< negative: infeasible
    int peak;
    const char* operations;
    const char* labels; ///< stages by blanks, levels by dots, * = none at that level, - = no region
};

inline const std::vector<WorkedExample> kWorkedExamples{
    {Example::E1, 5, -1, 0, "", ""},
    {Example::E1, 6, -1, 0, "", ""},
    {Example::E1, 7, 33, 7,
     "CF_0 Fn_1 Fn_2 Fn_3 Fn_4 Fe_5 L B_5 CF_0 Fn_1 Fn_2 Fn_3 Fe_4 B_4 CF_0 "
     "Fn_1 Fn_2 Fe_3 B_3 CF_0 Fn_1 Fe_2 B_2 CF_0 Fe_1 B_1 Fe_0 B_0",
     "0.0.0.0.0 0.0.0.0.* 0.0.0.*.* 0.0.*.*.* 0.*.*.*.* -"},
    {Example::E1, 8, 26, 8,
     "CF_0 Fn_1 Fn_2 CF_3 Fn_4 Fe_5 L B_5 CF_3 Fe_4 B_4 Fe_3 B_3 CF_0 CF_1 "
     "Fe_2 B_2 Fe_1 B_1 Fe_0 B_0",
     "0.0 0.1 0.* 1.0 1.* -"},
    {Example::E1, 9, 24, 9,
     "CF_0 Fn_1 CF_2 CF_3 Fn_4 Fe_5 L B_5 CF_3 Fe_4 B_4 Fe_3 B_3 Fe_2 B_2 "
     "Fe_0 Fe_1 B_1 B_0",
     "0 0 1 2.0 2.* -"},
    {Example::E1, 10, 23, 10,
     "CF_0 CF_1 Fn_2 CF_3 CF_4 Fe_5 L B_5 Fe_4 B_4 Fe_3 B_3 Fe_1 Fe_2 B_2 "
     "B_1 Fe_0 B_0",
     "0 1 1 2 3 -"},
    {Example::E1, 11, 22, 11,
     "CF_0 Fn_1 CF_2 Fn_3 Fe_4 Fe_5 L B_5 B_4 Fe_2 Fe_3 B_3 B_2 Fe_0 Fe_1 "
     "B_1 B_0",
     "0 0 1 1 - -"},
    {Example::E1, 12, 22, 12,
     "CF_0 CF_1 CF_2 Fn_3 Fe_4 Fe_5 L B_5 B_4 Fe_2 Fe_3 B_3 B_2 Fe_1 B_1 "
     "Fe_0 B_0",
     "0 1 2 2 - -"},
    {Example::E1, 13, 21, 13,
     "CF_0 Fn_1 Fn_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 Fe_0 Fe_1 Fe_2 B_2 B_1 B_0", "0 0 0 - - -"},
    {Example::E1, 14, 21, 14,
     "CF_0 CF_1 Fn_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 Fe_1 Fe_2 B_2 B_1 Fe_0 B_0", "0 1 1 - - -"},
    {Example::E1, 15, 21, 15,
     "CF_0 CF_1 CF_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 Fe_2 B_2 Fe_1 B_1 Fe_0 B_0", "0 1 2 - - -"},
    {Example::E1, 16, 20, 16, "CF_0 Fn_1 Fe_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 B_2 Fe_0 Fe_1 B_1 B_0",
     "0 0 - - - -"},
    {Example::E1, 17, 20, 17, "CF_0 CF_1 Fe_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 B_2 Fe_1 B_1 Fe_0 B_0",
     "0 1 - - - -"},
    {Example::E1, 18, 20, 17, "CF_0 CF_1 Fe_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 B_2 Fe_1 B_1 Fe_0 B_0",
     "0 1 - - - -"},
    {Example::E1, 19, 19, 19, "CF_0 Fe_1 Fe_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 B_2 B_1 Fe_0 B_0",
     "0 - - - - -"},
    {Example::E1, 20, 19, 19, "CF_0 Fe_1 Fe_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 B_2 B_1 Fe_0 B_0",
     "0 - - - - -"},
    {Example::E1, 21, 18, 21, "Fe_0 Fe_1 Fe_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 B_2 B_1 B_0",
     "- - - - - -"},
    {Example::E1, 22, 18, 21, "Fe_0 Fe_1 Fe_2 Fe_3 Fe_4 Fe_5 L B_5 B_4 B_3 B_2 B_1 B_0",
     "- - - - - -"},
    {Example::E7, 8, 52, 8,
     "CF_0 Fn_1 Fn_2 Fn_3 Fn_4 Fn_5 Fn_6 Fe_7 L B_7 CF_0 Fn_1 Fn_2 Fn_3 "
     "Fn_4 Fn_5 Fe_6 B_6 CF_0 Fn_1 Fn_2 Fn_3 Fn_4 Fe_5 B_5 CF_0 Fn_1 Fn_2 "
     "Fn_3 Fe_4 B_4 CF_0 Fn_1 Fn_2 Fe_3 B_3 CF_0 Fn_1 Fe_2 B_2 CF_0 Fe_1 "
     "B_1 Fe_0 B_0",
     "0.0.0.0.0.0.0 0.0.0.0.0.0.* 0.0.0.0.0.*.* 0.0.0.0.*.*.* 0.0.0.*.*.*.* "
     "0.0.*.*.*.*.* 0.*.*.*.*.*.* -"},
    {Example::E7, 9, 38, 9,
     "CF_0 Fn_1 Fn_2 Fn_3 CF_4 Fn_5 Fn_6 Fe_7 L B_7 CF_4 Fn_5 Fe_6 B_6 CF_4 "
     "Fe_5 B_5 Fe_4 B_4 CF_0 CF_1 Fn_2 Fe_3 B_3 CF_1 Fe_2 B_2 Fe_1 B_1 Fe_0 "
     "B_0",
     "0.0.* 0.1.0 0.1.* 0.*.* 1.0.0 1.0.* 1.*.* -"},
    {Example::E7, 10, 35, 10,
     "CF_0 Fn_1 CF_2 Fn_3 Fn_4 CF_5 Fn_6 Fe_7 L B_7 CF_5 Fe_6 B_6 Fe_5 B_5 "
     "CF_2 CF_3 Fe_4 B_4 Fe_3 B_3 Fe_2 B_2 CF_0 Fe_1 B_1 Fe_0 B_0",
     "0.0 0.* 1.0 1.1 1.* 2.0 2.* -"},
    {Example::E7, 11, 33, 11,
     "CF_0 Fn_1 CF_2 CF_3 Fn_4 CF_5 Fn_6 Fe_7 L B_7 CF_5 Fe_6 B_6 Fe_5 B_5 "
     "CF_3 Fe_4 B_4 Fe_3 B_3 Fe_2 B_2 Fe_0 Fe_1 B_1 B_0",
     "0 0 1 2.0 2.* 3.0 3.* -"},
    {Example::E7, 12, 31, 12,
     "CF_0 Fn_1 CF_2 Fn_3 CF_4 CF_5 CF_6 Fe_7 L B_7 Fe_6 B_6 Fe_5 B_5 Fe_4 "
     "B_4 Fe_2 Fe_3 B_3 B_2 Fe_0 Fe_1 B_1 B_0",
     "0 0 1 1 2 3 4 -"},
    {Example::E7, 16, 30, 16,
     "CF_0 CF_1 CF_2 CF_3 CF_4 Fn_5 Fe_6 Fe_7 L B_7 B_6 Fe_4 Fe_5 B_5 B_4 "
     "Fe_3 B_3 Fe_2 B_2 Fe_1 B_1 Fe_0 B_0",
     "0 1 2 3 4 4 - -"},
    {Example::E7, 35, 24, 35,
     "Fe_0 Fe_1 Fe_2 Fe_3 Fe_4 Fe_5 Fe_6 Fe_7 L B_7 B_6 B_5 B_4 B_3 B_2 B_1 "
     "B_0",
     "- - - - - - - -"},
};

} // namespace plimsoll::tests
