// SPDX-License-Identifier: Apache-2.0
#include "core/base/json_check.h"

#include "tests/support/test_main.h"

#include <QTest>

#include <string>
#include <utility>

namespace {

using plimsoll::base::checkJson;
using plimsoll::base::JsonFault;
using plimsoll::base::kDeepestJson;
using plimsoll::base::kMostJsonValues;

class JsonCheckTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void acceptsWhatIsWellFormed_data();
    void acceptsWhatIsWellFormed();
    void tellsTheFirstFault_data();
    void tellsTheFirstFault();
    void countsBrackets();
    void countsValuesAndKeys();
    void tellsEachKeyOfALargeObjectApart();
};

void JsonCheckTest::acceptsWhatIsWellFormed_data()
{
    QTest::addColumn<std::string>("text");

    for (const char* text :
         {R"( {"a": [1, -2.5e+3, true, false, null], "b": {}} )", R"("\"\\\u00e9")",
          R"({"a": {"a": {"a": 1}}, "b": [{"a": 1}, {"a": 2}]})",
          R"({"a": 1, "A": 2, "a ": 3, "": 4})", "[]", "0"})
        QTest::newRow(text) << std::string{text};
}

void JsonCheckTest::acceptsWhatIsWellFormed()
{
    QFETCH(std::string, text);
    QVERIFY(!checkJson(text).has_value());
}

void JsonCheckTest::tellsTheFirstFault_data()
{
    using Kind = JsonFault::Kind;
    QTest::addColumn<std::string>("text");
    QTest::addColumn<JsonFault>("fault");

    const auto row = [](const char* text, Kind kind, std::size_t at, const char* key = "") {
        QTest::newRow(text) << std::string{text} << JsonFault{kind, at, key};
    };
    row("", Kind::NotJson, 0);
    row("[1, 2", Kind::NotJson, 5);
    row("[01]", Kind::NotJson, 2);
    row(R"({"a" 1})", Kind::NotJson, 5);
    row(R"({"a": 1,})", Kind::NotJson, 8);
    row("[] []", Kind::NotJson, 3);
    row(R"({"a": 1, "a": 1})", Kind::RepeatedKey, 9, "a");
    row(R"({"a": 1, "b": 2, "c": 3, "b": 4})", Kind::RepeatedKey, 25, "b");
    row(R"([{"x": 1}, {"x": 1, "y": {"z": [], "z": 0}}])", Kind::RepeatedKey, 35, "z");
    row(R"({"a": {"b": 1}, "a": 1})", Kind::RepeatedKey, 16, "a");
    row(R"({"a": 1, "\u0061": 1})", Kind::RepeatedKey, 9, "a");
    row(R"({"a\/\n": 1, "a/\u000A": 1})", Kind::RepeatedKey, 13, "a/\n");
    row("{\"\xc3\xa9\": 1, \"\\u00E9\": 1}", Kind::RepeatedKey, 10, "\xc3\xa9");
    row("{\"\xf0\x9f\x98\x80\": 1, \"\\ud83d\\ude00\": 1}", Kind::RepeatedKey, 12,
        "\xf0\x9f\x98\x80");
    row(R"({"\ud83d": 1, "\ud83d": 1})", Kind::RepeatedKey, 14, R"(\ud83d)");
}

void JsonCheckTest::tellsTheFirstFault()
{
    QFETCH(std::string, text);
    QFETCH(JsonFault, fault);
    const auto found = checkJson(text);
    QVERIFY(found.has_value());
    QCOMPARE(found->at, fault.at);
    QCOMPARE(found->key, fault.key);
    QVERIFY(*found == fault);
}

void JsonCheckTest::countsBrackets()
{
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };
    QVERIFY(!checkJson(nested(kDeepestJson)).has_value());
    QVERIFY(checkJson(nested(kDeepestJson + 1))
            == (JsonFault{JsonFault::Kind::TooDeep, kDeepestJson, ""}));
}

void JsonCheckTest::countsValuesAndKeys()
{
    const auto flood = [](const std::string& unit, std::size_t count) {
        std::string text = "[";
        text.reserve(unit.size() * count + 1);
        for (std::size_t i = 0; i < count; ++i)
            text += unit;
        text.back() = ']';
        return text;
    };
    // The array itself is a value, too.
    QVERIFY(!checkJson(flood("0,", kMostJsonValues - 1)).has_value());
    for (const auto& [unit, each] :
         {std::pair{"0,", std::size_t{1}}, std::pair{"[],", std::size_t{1}},
          std::pair{R"({"":0},)", std::size_t{3}}}) {
        const std::size_t count = (kMostJsonValues - 1) / each;
        const auto fault = checkJson(flood(unit, count + 1));
        QVERIFY(fault.has_value());
        QVERIFY(fault->kind == JsonFault::Kind::TooMany);
        QVERIFY(fault->at >= 1 + count * std::string{unit}.size());
        QVERIFY(fault->at < 1 + (count + 1) * std::string{unit}.size());
    }
}

void JsonCheckTest::tellsEachKeyOfALargeObjectApart()
{
    std::string text = "{";
    constexpr int kKeys = 200'000;
    for (int i = 0; i < kKeys; ++i)
        text += "\"key " + std::to_string(i) + "\": 0, ";
    const std::size_t at = text.size();
    QVERIFY(!checkJson(text + "\"last\": 0}").has_value());
    QVERIFY(checkJson(text + "\"key 77\": 0}")
            == (JsonFault{JsonFault::Kind::RepeatedKey, at, "key 77"}));
}

} // namespace

PLIMSOLL_TEST(JsonCheckTest, QCoreApplication)
#include "json_check_test.moc"
