// SPDX-License-Identifier: Apache-2.0
#include "tests/integration/program_run.h"

#include "tests/support/sanitized.h"

#include <QProcess>

namespace plimsoll::tests {

namespace {

/// ms; more than any run takes.
constexpr int kPatience = 110'000 * kShare;

} // namespace

bool ProgramRun::hasOneSentence() const
{
    return error.count('\n') == 1 && error.endsWith(".\n") && !error.endsWith("..\n")
           && error.size() < 700;
}

ProgramRun runProgram(const QString& program, const QStringList& arguments,
                      const QProcessEnvironment& environment)
{
    QProcess process;
    process.setProcessEnvironment(environment);
    process.start(program, arguments);
    ProgramRun run;
    if (!process.waitForFinished(kPatience)) {
        process.kill();
        process.waitForFinished();
        return run;
    }
    run.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    run.out = process.readAllStandardOutput();
    run.error = process.readAllStandardError();
    return run;
}

} // namespace plimsoll::tests
