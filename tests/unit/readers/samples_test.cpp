// SPDX-License-Identifier: Apache-2.0
// The graphs that we ship are read without a fault, and what we count is what the tracer counted.
#include "core/readers/registry.h"

#include "tests/support/golden.h"
#include "tests/support/messages.h"

#include <QTest>

#include <string>

namespace {

using plimsoll::graph::Checks;
using plimsoll::graph::Phase;

class SamplesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void readsTheSamples_data();
    void readsTheSamples();
};

void SamplesTest::readsTheSamples_data()
{
    QTest::addColumn<std::string>("name");
    for (const char* name : {"resnet18", "densenet121", "gpt2"})
        QTest::newRow(name) << std::string{name};
}

void SamplesTest::readsTheSamples()
{
    QFETCH(std::string, name);
    const auto read = plimsoll::readers::readProgram(plimsoll::support::samplePath(name));
    QVERIFY2(read, plimsoll::support::messageOf(read));
    const plimsoll::graph::Program& program = *read->program;
    const Checks counted = plimsoll::graph::recount(program);
    QVERIFY(program.checks == counted);
    for (const auto& [oddity, count] : read->statistics)
        QVERIFY2(false, (oddity + ": " + std::to_string(count)).c_str());

    QVERIFY(counted.peakBytes.count() > 0);
    QVERIFY(counted.savedBytes.count() > 0);
    for (const Phase phase : {Phase::Forward, Phase::Loss, Phase::Backward, Phase::Optimizer})
        QVERIFY(counted.opsByPhase.at(static_cast<std::size_t>(phase)) > 0);
    QVERIFY(!program.parameters.empty());
    QVERIFY(!program.calls.empty());
}

} // namespace

QTEST_GUILESS_MAIN(SamplesTest)
#include "samples_test.moc"
