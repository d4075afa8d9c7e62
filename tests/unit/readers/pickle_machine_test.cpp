// SPDX-License-Identifier: Apache-2.0
#include "core/readers/torch_snapshot/pickle_machine.h"

#include "tests/support/snapshots/pickle_writer.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <fmt/format.h>

#include <bit>
#include <map>

namespace {

using namespace plimsoll::readers::torch_snapshot; // NOLINT(google-build-using-namespace)
using namespace std::string_literals;

/// Keeps what lists and dicts consist of as a text.
class Printer final : public PickleHandler
{
public:
    explicit Printer(const PickleTexts& texts) : m_texts{texts} {}

    [[nodiscard]] bool open(PickleValue& container, const PickleStack& /*stack*/) override
    {
        container.data = m_content.size();
        m_content.emplace_back();
        return true;
    }
    [[nodiscard]] bool append(PickleValue& list, std::span<PickleValue> items,
                              bool isBatch) override
    {
        if (!list.is(PickleKind::List))
            return fail("is no list");
        for (const PickleValue& item : items)
            m_content[list.data] += shown(item) + (isBatch ? ";" : ",");
        return true;
    }
    [[nodiscard]] bool setItems(PickleValue& dict, std::span<PickleValue> items,
                                bool isBatch) override
    {
        if (!dict.is(PickleKind::Dict))
            return fail("is no dict");
        for (std::size_t i = 0; i < items.size(); i += 2)
            m_content[dict.data] +=
                shown(items[i]) + ":" + shown(items[i + 1]) + (isBatch ? ";" : ",");
        return true;
    }
    [[nodiscard]] PickleValue tuple(std::span<PickleValue> items) override
    {
        PickleValue tuple;
        tuple.kind = PickleKind::Pair;
        tuple.data = m_content.size();
        m_content.emplace_back();
        for (const PickleValue& item : items)
            m_content[tuple.data] += shown(item) + ",";
        return tuple;
    }
    [[nodiscard]] PickleValue recall(const PickleValue& value, const PickleStack& stack) override
    {
        for (const PickleValue& open : stack.values)
            if (open.slot == value.slot)
                ++recalled;
        return {};
    }
    [[nodiscard]] bool finish(PickleValue& root) override
    {
        result = shown(root);
        return true;
    }
    [[nodiscard]] const std::string& fault() const override { return m_fault; }

    std::string result;
    int recalled = 0;

private:
    bool fail(std::string fault)
    {
        m_fault = std::move(fault);
        return false;
    }
    [[nodiscard]] std::string shown(const PickleValue& value) const
    {
        switch (value.kind) {
        case PickleKind::Other: return "?";
        case PickleKind::None: return "None";
        case PickleKind::Bool: return value.data != 0 ? "True" : "False";
        case PickleKind::Int: return fmt::format("{}", value.integer());
        case PickleKind::Unsigned: return fmt::format("{}u", value.data);
        case PickleKind::Huge: return "huge";
        case PickleKind::Float: return fmt::format("{}", std::bit_cast<double>(value.data));
        case PickleKind::Text:
            return fmt::format("'{}'", m_texts[static_cast<std::uint32_t>(value.data)]);
        case PickleKind::List: return "[" + m_content[value.data] + "]";
        case PickleKind::Dict: return "{" + m_content[value.data] + "}";
        case PickleKind::Frame:
        case PickleKind::Stack:
        case PickleKind::Pair: break;
        }
        return "(" + m_content[value.data] + ")";
    }

    const PickleTexts& m_texts;
    std::vector<std::string> m_content;
    std::string m_fault;
};

struct Run
{
    explicit Run(std::string_view bytes, std::size_t part = std::string::npos)
    {
        bool isGood = true;
        while (isGood && !bytes.empty()) {
            const std::string own{bytes.substr(0, part)};
            isGood = machine.feed(own);
            bytes.remove_prefix(own.size());
        }
        isGood = isGood && machine.finish();
        outcome =
            isGood ? printer.result : fmt::format("{}: {}", machine.offset(), machine.fault());
    }

    PickleMemo memo;
    PickleTexts texts;
    Printer printer{texts};
    PickleMachine machine{printer, memo, texts};
    std::string outcome;
};

class PickleMachineTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runsEachOpcode_data();
    void runsEachOpcode();
    void refusesWithOffset_data();
    void refusesWithOffset();
    void endsEarlyAtEveryByte();
    void remembersManyValues();
    void tellsTextsApart();
};

void PickleMachineTest::runsEachOpcode_data()
{
    QTest::addColumn<std::string>("body");
    QTest::addColumn<std::string>("expected");
    const auto row = [](const char* name, std::string body, const char* expected) {
        QTest::newRow(name) << "\x80\x04"s + std::move(body) + "." << std::string{expected};
    };
    row("None", "N", "None");
    row("booleans", "\x88\x89\x86", "(True,False,)");
    row("BININT1", "K\xff", "255");
    row("BININT2", "M\xff\xff", "65535");
    row("BININT", "J\xff\xff\xff\xff", "-1");
    row("LONG1 of no bytes", "\x8a\x00"s, "0");
    row("LONG1, negative", "\x8a\x01\xfe", "-2");
    row("LONG1, six bytes", "\x8a\x06\x00\x00\x00\x00\x00\x7f"s, "139637976727552");
    row("LONG1, eight bytes, negative", "\x8a\x08\x00\x00\x00\x00\x00\x00\x00\x80"s,
        "-9223372036854775808");
    row("LONG1, nine bytes", "\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00"s,
        "18446744073709551615u");
    row("LONG1, beyond", "\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x01"s, "huge");
    row("LONG4", "\x8b\x01\x00\x00\x00\x05"s, "5");
    row("BINFLOAT", "G\x3f\xf8\x00\x00\x00\x00\x00\x00"s, "1.5");
    row("SHORT_BINUNICODE",
        "\x8c\x03"
        "abc",
        "'abc'");
    row("BINUNICODE",
        "X\x03\x00\x00\x00"
        "abc"s,
        "'abc'");
    row("BINUNICODE8",
        "\x8d\x03\x00\x00\x00\x00\x00\x00\x00"
        "abc"s,
        "'abc'");
    row("BINSTRING",
        "T\x03\x00\x00\x00"
        "abc"s,
        "'abc'");
    row("SHORT_BINSTRING",
        "U\x03"
        "abc",
        "'abc'");
    row("bytes", "C\x01zB\x01\x00\x00\x00z\x8e\x01\x00\x00\x00\x00\x00\x00\x00z\x87"s, "(?,?,?,)");
    row("a bytearray", "\x96\x01\x00\x00\x00\x00\x00\x00\x00z"s, "?");
    row("buffers", "\x97\x98", "?");
    row("sets", "\x8f(K\x01\x90(K\x01\x91\x86", "(?,?,)");
    row("FRAME", "\x95\x01\x00\x00\x00\x00\x00\x00\x00N"s, "None");
    row("tuples", ")\x85(K\x01K\x02K\x03K\x04t\x86", "((?,),(1,2,3,4,),)");
    row("APPEND and APPENDS",
        "]K\x01"
        "a(K\x02K\x03"
        "e",
        "[1,2;3;]");
    row("LIST", "(K\x01K\x02l", "[1;2;]");
    row("SETITEM and SETITEMS", "}K\x01K\x02s(K\x03K\x04K\x05K\x06u", "{1:2,3:4;5:6;}");
    row("DICT",
        "(K\x01K\x02"
        "d",
        "{1:2;}");
    row("MEMOIZE",
        "\x8c\x01"
        "a\x94\x8c\x01"
        "b\x94h\x00h\x01\x86\x87"s,
        "('a','b',('a','b',),)");
    row("BINPUT and LONG_BINPUT",
        "\x8c\x01"
        "aq\x05"
        "0\x8c\x01"
        "br\x06\x00\x00\x00"
        "0h\x05j\x06\x00\x00\x00\x86"s,
        "('a','b',)");
    row("POP",
        "K\x01K\x02"
        "0",
        "1");
    row("POP of a MARK", "K\x01(0", "1");
    row("POP_MARK",
        "K\x01(K\x02K\x03"
        "1",
        "1");
    row("DUP",
        "K\x01"
        "2\x86",
        "(1,1,)");
    row("DUP of a list", "]2\x86", "([],?,)");
    row("a list in itself",
        "]\x94h\x00"
        "a"s,
        "[?,]");
}

void PickleMachineTest::runsEachOpcode()
{
    QFETCH(std::string, body);
    QFETCH(std::string, expected);
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}, body.size()}) {
        const Run run{body, part};
        QCOMPARE(run.outcome, expected);
        QCOMPARE(run.machine.protocol(), 4);
        QCOMPARE(run.machine.offset(), body.size());
    }
}

void PickleMachineTest::refusesWithOffset_data()
{
    QTest::addColumn<std::string>("bytes");
    QTest::addColumn<std::string>("expected"); // its begin

    const auto row = [](const char* name, std::string bytes, const char* expected) {
        QTest::newRow(name) << std::move(bytes) << std::string{expected};
    };
    const std::string two = "\x80\x02";
    row("protocol 0", "(dp0\nVa\np1\nI1\ns.", "0: is a pickle of protocol 0 or 1; dump");
    row("protocol 1", "}q\x00."s, "0: is a pickle of protocol 0 or 1; dump");
    row("protocol 6", "\x80\x06N.", "0: is a pickle of protocol 6, and this Plimsoll reads 2 to 5");
    row("text", "hello", "0: has 0x68 where a pickle begins with 0x80: it is damaged");
    row("the first byte is lost", "\x02}.", "0: has 0x02 where a pickle begins with 0x80");
    row("GLOBAL", two + "cos\nsystem\n.", "2: has the opcode 0x63, which imports or calls");
    row("STACK_GLOBAL", two + "\x93.", "2: has the opcode 0x93, which imports or calls");
    row("REDUCE", two + "K\x01R.", "4: has the opcode 0x52, which imports or calls");
    row("BUILD", two + "Nb.", "3: has the opcode 0x62, which imports or calls");
    row("EXT1", two + "\x82\x01.", "2: has the opcode 0x82, which imports or calls");
    row("an opcode that doesn't exist", two + "K\x01\xff.", "4: has 0xff where the pickle");
    row("an opcode of protocol 0", two + "I1\n.", "2: has 0x49 where the pickle should go on");
    row("APPENDS without a MARK", two + "]e.", "3: is not a valid pickle");
    row("APPENDS without a list",
        two
            + "(K\x01"
              "e.",
        "5: is not a valid pickle");
    row("APPEND beyond a MARK",
        two
            + "](K\x01"
              "a.",
        "6: is not a valid pickle");
    row("SETITEMS of three", two + "}(K\x01K\x01K\x01u.", "10: is not a valid pickle");
    row("SETITEM of one", two + "}K\x01s.", "5: is not a valid pickle");
    row("a number that items are added to",
        two
            + "K\x01K\x01"
              "a.",
        "6: is no list");
    row("TUPLE2 of one", two + "K\x01\x86.", "4: is not a valid pickle");
    row("an entry that isn't there", two + "h\x07.", "2: refers to memo entry 7");
    row("a memo with holes", two + "Nr\xff\xff\xff\x7f.",
        "3: puts a value into memo entry 2147483647");
    row("MEMOIZE of nothing", two + "\x94.", "2: puts a value into memo entry 0");
    row("two values at the end", two + "NN.", "4: is not a valid pickle");
    row("a MARK at the end", two + "N(.", "4: is not a valid pickle");
    row("nothing at the end", two + ".", "2: is not a valid pickle");
    row("a huge text", two + "X\xff\xff\xff\xff", "2: has a value of 4294967295 bytes");
    row("an impossible text", two + "\x8d" + std::string(8, '\xff'),
        "2: has a value of 1844674407");
    row("a negative LONG4", two + "\x8b\xff\xff\xff\xff", "2: has a value of 4294967295 bytes");
    row("too deep", two + std::string(20'000, '('), "10002: is nested deeper than 10000");
}

void PickleMachineTest::refusesWithOffset()
{
    QFETCH(std::string, bytes);
    QFETCH(std::string, expected);
    for (const std::size_t part : {std::size_t{1}, bytes.size()}) {
        const Run run{bytes, part};
        QVERIFY2(run.outcome.starts_with(expected), run.outcome.c_str());
    }
}

void PickleMachineTest::endsEarlyAtEveryByte()
{
    using namespace plimsoll::tests; // NOLINT(google-build-using-namespace)
    const PyValue value = pyDict({{"a", pyList({1, 70'000, std::int64_t{1} << 40U, 0.5})},
                                  {"b", pyTuple({1, 2, 3, 4})},
                                  {"c", pyDict({{"d", true}})}});
    for (int protocol = 2; protocol <= 5; ++protocol) {
        const std::string whole = pickled(value, protocol);
        for (std::size_t size = 1; size < whole.size(); ++size) {
            const Run run{whole.substr(0, size)};
            QCOMPARE(run.outcome,
                     fmt::format("{}: ends before the pickle does: it was cut off, copy or dump it "
                                 "again",
                                 size));
        }
        QCOMPARE(Run{whole + "more"}.outcome, Run{whole}.outcome);
    }
}

void PickleMachineTest::remembersManyValues()
{
    plimsoll::tests::PickleOpcodes opcodes{2};
    opcodes.op('(');
    for (int i = 0; i < 40'000; ++i) {
        opcodes.text(fmt::format("text {}", i));
        static_cast<void>(opcodes.memoize());
    }
    opcodes.op('1');
    for (const std::uint32_t index : {0U, 255U, 256U, 39'999U})
        opcodes.get(index);
    const Run run{"\x80\x02(" + opcodes.bytes() + "t."};
    QCOMPARE(run.outcome, std::string{"('text 0','text 255','text 256','text 39999',)"});
}

void PickleMachineTest::tellsTextsApart()
{
    PickleTexts texts{{"zero", "one"}};
    QCOMPARE(texts.id("one"), 1U);
    std::map<std::string, std::uint32_t> ids;
    for (int i = 0; i < 10'000; ++i) {
        const std::string text(static_cast<std::size_t>(i % 100), static_cast<char>('a' + i / 400));
        const std::uint32_t id = texts.id(text);
        const auto [known, isNew] = ids.emplace(text, id);
        QCOMPARE(id, known->second);
        QCOMPARE(std::string{texts[id]}, text);
    }
    QCOMPARE(texts.count(), ids.size() + 2);
}

} // namespace

PLIMSOLL_TEST(PickleMachineTest, plimsoll::tests::NoApplication)
#include "pickle_machine_test.moc"
