// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QTest>

namespace plimsoll::tests {

/// Stands for an application object where a test needs none.
struct NoApplication
{
    NoApplication(int& /*argc*/, char** /*argv*/) {}
};

/// Runs all functions of a test, or those named by the arguments behind the program's name, in such
/// an application.
template <typename Test, typename Application>
int runTest(int argc, char** argv)
{
    QTest::Internal::callInitMain<Test>();
    QCoreApplication::setAttribute(Qt::AA_Use96Dpi);
    const Application application{argc, argv};
    Test test;
    return QTest::qExec(&test, argc, argv);
}

using RunTest = int (*)(int argc, char** argv);

/// Makes a test known to the main() of its program, which holds the tests of a folder. `name`: of
/// its file, which CTest shows and the program takes as its first argument.
struct TestEntry
{
    TestEntry(const char* name, RunTest run);
};

} // namespace plimsoll::tests

/// At the end of each test's file. `Application`: QCoreApplication, QApplication or
/// plimsoll::tests::NoApplication.
#define PLIMSOLL_TEST(Test, Application)                                                           \
    const ::plimsoll::tests::TestEntry testEntry{PLIMSOLL_TEST_NAME,                               \
                                                 ::plimsoll::tests::runTest<Test, Application>};
