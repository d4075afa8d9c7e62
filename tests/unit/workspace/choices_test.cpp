// SPDX-License-Identifier: Apache-2.0
// The user's settings: what follows from choosing another device.
#include "core/workspace/planning.h"

#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace plimsoll;
using tests::defaultChoices;

class ChoicesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void takesDefaultsAlongToAnotherDevice();
};

void ChoicesTest::takesDefaultsAlongToAnotherDevice()
{
    const graph::ProgramPtr program = tests::programOf(tests::samplePath("resnet18"));
    QVERIFY(program);
    workspace::Choices choices = defaultChoices();
    const double before = plan::usualBusBandwidth(choices.device);
    choices.parallel = plan::parseDataParallel("world=4", choices.device).value();
    QCOMPARE(choices.parallel->busBandwidth, before);
    const plan::Device other = plan::findDevice("rtx-4070").value();
    QVERIFY(plan::usualBusBandwidth(other) != before);
    workspace::setDevice(choices, *program, other);
    QCOMPARE(choices.parallel->busBandwidth, plan::usualBusBandwidth(other));
    // What the user wrote stays.
    choices.parallel->busBandwidth = 7e9;
    workspace::setDevice(choices, *program, defaultChoices().device);
    QCOMPARE(choices.parallel->busBandwidth, 7e9);
}

} // namespace

PLIMSOLL_TEST(ChoicesTest, plimsoll::tests::NoApplication)
#include "choices_test.moc"
