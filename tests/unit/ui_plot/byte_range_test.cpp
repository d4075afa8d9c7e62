// SPDX-License-Identifier: Apache-2.0
#include "ui/plot/byte_range.h"

#include "core/base/random.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using plimsoll::base::Bytes;
using plimsoll::base::Random;
using namespace plimsoll::ui; // NOLINT(google-build-using-namespace)

class ByteRangeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keepsTheAnchorWhereItIs();
    void endsAtTheAxisAndAtAThousandthOfIt();
    void movesInsideTheAxis();
    void staysInsideWhateverIsDone();
};

void ByteRangeTest::keepsTheAnchorWhereItIs()
{
    const ByteRange half = zoomed({{}, Bytes{8000}}, 0.5, Bytes{6000}, Bytes{8000});
    QCOMPARE(half, (ByteRange{Bytes{3000}, Bytes{7000}}));
    QCOMPARE(zoomed(half, 0.5, Bytes{3000}, Bytes{8000}), (ByteRange{Bytes{3000}, Bytes{5000}}));
    QCOMPARE(zoomed(half, 2, Bytes{6000}, Bytes{8000}), (ByteRange{{}, Bytes{8000}}));
}

void ByteRangeTest::endsAtTheAxisAndAtAThousandthOfIt()
{
    QCOMPARE(zoomed({Bytes{3000}, Bytes{7000}}, 100, Bytes{7000}, Bytes{8000}),
             (ByteRange{{}, Bytes{8000}}));
    const ByteRange least = zoomed({{}, Bytes{1024000}}, 1e-9, Bytes{512000}, Bytes{1024000});
    QCOMPARE(least, (ByteRange{Bytes{511500}, Bytes{512500}}));
}

void ByteRangeTest::movesInsideTheAxis()
{
    const ByteRange part{Bytes{3000}, Bytes{5000}};
    QCOMPARE(panned(part, 0.5, Bytes{8000}), (ByteRange{Bytes{4000}, Bytes{6000}}));
    QCOMPARE(panned(part, 9, Bytes{8000}), (ByteRange{Bytes{6000}, Bytes{8000}}));
    QCOMPARE(panned(part, -9, Bytes{8000}), (ByteRange{{}, Bytes{2000}}));
    QCOMPARE(panned(part, 1, Bytes{4000}), part); // the axis has become shorter: no jump
}

void ByteRangeTest::staysInsideWhateverIsDone()
{
    Random random{5};
    const Bytes whole{std::int64_t{72} << 30};
    ByteRange range{{}, whole};
    for (int i = 0; i < 2000; ++i) {
        const Bytes anchor = range.bottom
                             + Bytes{static_cast<std::int64_t>(
                                 random.unit() * static_cast<double>(range.span().count()))};
        range = random.below(2) == 0 ? zoomed(range, 0.5 + random.unit(), anchor, whole)
                                     : panned(range, random.unit() * 2 - 1, whole);
        QVERIFY(range.bottom.count() >= 0 && range.top <= whole && range.bottom < range.top);
        QVERIFY(range.span().count() >= whole.count() / 1024 - 1);
    }
}

} // namespace

PLIMSOLL_TEST(ByteRangeTest, QCoreApplication)
#include "byte_range_test.moc"
