// SPDX-License-Identifier: Apache-2.0
// The graphs that we ship are read without a fault, and what we count is what the tracer counted.
#include "core/readers/registry.h"

#include "tests/support/golden.h"
#include "tests/support/messages.h"
#include "tests/support/test_main.h"

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
    for (const std::string& name : plimsoll::tests::sampleNames())
        QTest::newRow(name.c_str()) << name;
}

void SamplesTest::readsTheSamples()
{
    QFETCH(std::string, name);
    const auto read = plimsoll::readers::readProgram(plimsoll::tests::samplePath(name));
    QVERIFY2(read, plimsoll::tests::messageOf(read));
    const plimsoll::graph::Program& program = *read->program;
    const Checks counted = plimsoll::graph::recount(program);
    QVERIFY(program.checks == counted);
    for (const auto& [oddity, count] : read->statistics)
        QVERIFY2(false, (oddity + ": " + std::to_string(count)).c_str());

    QVERIFY(counted.peakBytes.count() > 0);
    const bool trains = program.header.mode == "train";
    QCOMPARE(counted.savedBytes.count() > 0, trains);
    QVERIFY(counted.opsByPhase.at(static_cast<std::size_t>(Phase::Forward)) > 0);
    for (const Phase phase : {Phase::Backward, Phase::Optimizer}) // the loss may be the model's own
        QCOMPARE(counted.opsByPhase.at(static_cast<std::size_t>(phase)) > 0, trains);
    QCOMPARE(program.header.target, std::string{"cuda"});
    QVERIFY(!program.header.kernels.empty());
    for (const plimsoll::graph::KernelChoice& choice : program.header.kernels)
        QVERIFY(choice.times > 0);
    QVERIFY(!program.parameters.empty());
    QVERIFY(!program.calls.empty());
}

} // namespace

PLIMSOLL_TEST(SamplesTest, QCoreApplication)
#include "samples_test.moc"
