// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/profile/profile_picture.h"

#include "core/memtrace/builder.h"

#include "tests/support/messages.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <utility>

namespace {

using namespace plimsoll; // NOLINT(google-build-using-namespace)
using memtrace::Grouping;

class ProfilePictureTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aDeviceMayHoldNothing_data();
    void aDeviceMayHoldNothing();
};

void ProfilePictureTest::aDeviceMayHoldNothing_data()
{
    QTest::addColumn<int>("grouping");
    for (std::size_t i = 0; i < memtrace::kGroupingCount; ++i)
        QTest::newRow(memtrace::groupingName(static_cast<Grouping>(i))) << static_cast<int>(i);
}

/// The second GPU has a segment that nothing was ever allocated in.
void ProfilePictureTest::aDeviceMayHoldNothing()
{
    QFETCH(int, grouping);
    memtrace::Builder builder;
    memtrace::RecordedEvent event;
    event.action = memtrace::Action::Alloc;
    event.address = 0x7f0000000000;
    event.bytes = 512;
    event.timeNs = 1000;
    QVERIFY(builder.device(0).add(event));
    QVERIFY(builder.device(1).addSegment(
        {0x7f1000000000, std::int64_t{2} << 20, 0, {}, false, false, {}}));
    const auto trace = std::move(builder).build();
    QVERIFY2(trace, tests::messageOf(trace));
    QCOMPARE((*trace)->devices().size(), std::size_t{2});
    workspace::ProfileSettings settings;
    settings.device = 1;
    settings.grouping = static_cast<Grouping>(grouping);
    const auto picture = workspace::profilePicture(*trace, settings, {});
    QVERIFY2(picture, tests::messageOf(picture));
    QCOMPARE((*picture)->device().ordinal(), 1);
    QCOMPARE((*picture)->timeline->peak(), base::Bytes{});
    QCOMPARE((*picture)->matchingAtPeak, base::Bytes{});
}

} // namespace

PLIMSOLL_TEST(ProfilePictureTest, QCoreApplication)
#include "profile_picture_test.moc"
