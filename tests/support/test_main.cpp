// SPDX-License-Identifier: Apache-2.0
#include "tests/support/test_main.h"

#include <cstdio>
#include <map>
#include <string_view>

namespace plimsoll::tests {
namespace {

std::map<std::string_view, RunTest>& testsHere()
{
    static std::map<std::string_view, RunTest> tests;
    return tests;
}

} // namespace

TestEntry::TestEntry(const char* name, RunTest run)
{
    testsHere().emplace(name, run);
}

} // namespace plimsoll::tests

/// `PROGRAM TEST [ARGUMENT...]` runs one test; the arguments are those of QtTest.
int main(int argc, char** argv)
{
    const auto& tests = plimsoll::tests::testsHere();
    const auto found = argc < 2 ? tests.end() : tests.find(argv[1]);
    if (found == tests.end()) {
        std::fprintf(stderr, "usage: %s TEST [ARGUMENT...]; the tests of this program are:\n",
                     argv[0]);
        for (const auto& [name, run] : tests)
            std::fprintf(stderr, "  %s\n", name.data());
        return 2;
    }
    argv[1] = argv[0];
    return found->second(argc - 1, argv + 1);
}
