// SPDX-License-Identifier: Apache-2.0
#include "core/timeline/change.h"

#include "core/timeline/builder.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <random>

namespace {

using plimsoll::base::Bytes;
using plimsoll::base::Nanoseconds;
using namespace plimsoll::timeline; // NOLINT(google-build-using-namespace)

class ChangeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void countsWhatHappensBetweenTwoSteps();
    void agreesWithEveryBlock();
};

void ChangeTest::countsWhatHappensBetweenTwoSteps()
{
    Builder builder{std::vector<Nanoseconds>(6, Nanoseconds{5})};
    builder.add({0, 5, Bytes{1000}, Category::Parameters, 0}); // before and after
    builder.add({1, 3, Bytes{10}, Category::Activations, 0});
    builder.add({2, 2, Bytes{200}, Category::Temporaries, 0}); // comes and goes
    builder.add({4, 5, Bytes{30}, Category::Activations, 0});
    const TimelinePtr timeline = std::move(builder).build();
    QCOMPARE(changeBetween(*timeline, 0, 5), (Change{Bytes{30}, Bytes{240}, Bytes{210}}));
    QCOMPARE(changeBetween(*timeline, 1, 4), (Change{Bytes{20}, Bytes{230}, Bytes{210}}));
    QCOMPARE(changeBetween(*timeline, 2, 3), (Change{Bytes{-200}, Bytes{0}, Bytes{200}}));
    QCOMPARE(changeBetween(*timeline, 3, 3), (Change{}));
}

void ChangeTest::agreesWithEveryBlock()
{
    std::mt19937 random{11};
    for (int round = 0; round < 20; ++round) {
        const std::size_t steps = 1 + random() % 60;
        Builder builder{std::vector<Nanoseconds>(steps, Nanoseconds{3})};
        std::vector<Interval> blocks;
        for (std::size_t i = 0; i < 3 * steps; ++i) {
            const auto begin = static_cast<std::uint32_t>(random() % steps);
            const auto end = static_cast<std::uint32_t>(begin + random() % (steps - begin));
            blocks.emplace_back(begin, end, Bytes{static_cast<std::int64_t>(random() % 1000)},
                                static_cast<Category>(random() % kCategoryCount), 0);
            builder.add(blocks.back());
        }
        const TimelinePtr timeline = std::move(builder).build();
        for (std::size_t first = 0; first < steps; ++first)
            for (std::size_t last = first; last < steps; ++last) {
                Change expected;
                for (const Interval& block : blocks) {
                    if (block.begin > first && block.begin <= last)
                        expected.allocated += block.bytes;
                    if (block.end >= first && block.end < last && block.begin <= last)
                        expected.freed += block.bytes;
                }
                expected.difference = expected.allocated - expected.freed;
                QCOMPARE(changeBetween(*timeline, first, last), expected);
            }
    }
}

} // namespace

PLIMSOLL_TEST(ChangeTest, QCoreApplication)
#include "change_test.moc"
