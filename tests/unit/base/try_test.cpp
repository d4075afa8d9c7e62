// SPDX-License-Identifier: Apache-2.0
#include "core/base/try.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>

namespace {

using namespace plimsoll::base;

using Owner = std::unique_ptr<int>; // can't be copied

Result<Owner> owned(int value)
{
    if (value < 0)
        return failure(ErrorKind::NotFound, "There is no number below 0.");
    return std::make_unique<int>(value);
}

Result<void> check(int value)
{
    return owned(value).map([](const Owner& /*value*/) {});
}

Result<std::pair<int, int>> pairOf(int first, int second)
{
    return std::pair{first, second};
}

/// Assigns to a new variable, to an old one and to a member, and calls with commas in the
/// expression.
Result<int> sum(int first, int second, int third)
{
    ASSIGN_OR_RETURN(const Owner one, owned(first));
    Owner two;
    ASSIGN_OR_RETURN(two, owned(second));
    std::pair<Owner, int> three;
    ASSIGN_OR_RETURN(three.first, owned(third));
    ASSIGN_OR_RETURN(const auto none,
                     std::pair<int, int>{0, 0}.first == 0 ? pairOf(0, 0) : pairOf(1, 1));
    return *one + *two + *three.first + none.first;
}

/// The last of the values that it was given, with macros below `if`, `for` and `else`.
Result<int> lastOf(std::initializer_list<int> values, int& looked)
{
    Result<void> state;
    RETURN_IF_ERROR(state);
    for (const int value : values)
        if (++looked; value > 100)
            RETURN_IF_ERROR(owned(-value));
        else
            RETURN_IF_ERROR(check(value));
    RETURN_IF_ERROR([&]() -> Result<void> {
        RETURN_IF_ERROR(check(static_cast<int>(values.size()) - 1));
        ASSIGN_OR_RETURN(const Owner nested, owned(0));
        return check(*nested);
    }());
    return *(values.end() - 1);
}

class TryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void movesTheValues();
    void returnsTheErrorUnchanged();
    void returnsFromAnyStatement();
    void keepsAnError();
    void evaluatesOnce();
};

void TryTest::movesTheValues()
{
    QCOMPARE(sum(1, 20, 300).value(), 321);
}

void TryTest::returnsTheErrorUnchanged()
{
    const Error expected{ErrorKind::NotFound, "There is no number below 0."};
    QVERIFY(sum(-1, 20, 300).error() == expected);
    QVERIFY(sum(1, -20, 300).error() == expected);
    QVERIFY(sum(1, 20, -300).error() == expected);
}

void TryTest::returnsFromAnyStatement()
{
    const Error expected{ErrorKind::NotFound, "There is no number below 0."};
    int looked = 0;
    QCOMPARE(lastOf({3, 2, 1}, looked).value(), 1);
    QCOMPARE(looked, 3);
    looked = 0;
    QVERIFY(lastOf({3, -2, 1}, looked).error() == expected);
    QCOMPARE(looked, 2);
    looked = 0;
    QVERIFY(lastOf({101, 2}, looked).error() == expected);
    QCOMPARE(looked, 1);
    looked = 0;
    QVERIFY(lastOf({}, looked).error() == expected); // of the statement within the statement
    QCOMPARE(looked, 0);
}

/// What a variable holds is still there afterwards.
void TryTest::keepsAnError()
{
    const Result<void> state = check(-1);
    const auto told = [&]() -> Result<int> {
        RETURN_IF_ERROR(state);
        return 1;
    };
    QVERIFY(told().error() == state.error());
    QCOMPARE(state.error().message, std::string{"There is no number below 0."});
}

void TryTest::evaluatesOnce()
{
    int calls = 0;
    const auto next = [&]() -> Result<int> { return ++calls; };
    const auto twice = [&]() -> Result<int> {
        RETURN_IF_ERROR(next());
        ASSIGN_OR_RETURN(const int second, next());
        return second;
    };
    QCOMPARE(twice().value(), 2);
    QCOMPARE(calls, 2);
}

} // namespace

PLIMSOLL_TEST(TryTest, plimsoll::tests::NoApplication)
#include "try_test.moc"
