// SPDX-License-Identifier: Apache-2.0
// One row per rule about the key `vary`: a valid file with exactly that one broken.
#include "tests/support/golden.h"
#include "tests/support/messages.h"
#include "tests/support/test_main.h"
#include "tests/unit/readers/read_text.h"

#include <QFile>
#include <QTest>

#include <nlohmann/json.hpp>

#include <functional>
#include <string>

namespace {

using plimsoll::tests::faultOfRefusal;
using plimsoll::tests::messageOf;
using plimsoll::tests::readText;
using Json = nlohmann::ordered_json;
using Pointer = Json::json_pointer;
using Change = std::function<void(Json&)>;

constexpr std::int64_t kHuge = std::int64_t{1} << 62U;

class VaryFaultsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        QFile file{QString::fromStdString(
            plimsoll::tests::repositoryPath("tests/data/varied.plimsoll.json"))};
        QVERIFY(file.open(QIODevice::ReadOnly));
        m_file = Json::parse(file.readAll().toStdString());
        const auto read = readText(m_file.dump());
        QVERIFY2(read, messageOf(read));
        QVERIFY(read->program->vary && read->statistics.empty());
    }
    void namesWhatIsWrong_data();
    void namesWhatIsWrong();
    void readsAnyOrderOfKeys();

private:
    static void row(const char* name, const char* says, const Change& change)
    {
        QTest::newRow(name) << change << std::string{says};
    }
    static void set(const char* name, const char* pointer, const Json& value, const char* says)
    {
        row(name, says, [=](Json& file) { file["vary"][Pointer{pointer}] = value; });
    }

    Json m_file;
};

void VaryFaultsTest::namesWhatIsWrong_data()
{
    QTest::addColumn<Change>("change");
    QTest::addColumn<std::string>("says");
    row("no object", "`vary` at byte", [](Json& f) { f["vary"] = Json::array(); });
    row("missing key", "\"terms\" is missing", [](Json& f) { f["vary"].erase("terms"); });
    set("no axis", "/axes", Json::array(), "it has 0 axes");
    row("three axes", "it has 3 axes",
        [](Json& f) { f["vary"]["axes"].push_back(f["vary"]["axes"][0]); });
    set("unknown axis", "/axes/0/name", "height", "an axis is named \"height\"");
    set("same axis", "/axes/1/name", "batch", "two axes are named batch");
    row("missing step", "\"step\" is missing", [](Json& f) { f["vary"]["axes"][0].erase("step"); });
    set("two sizes", "/axes/0/recorded", {2, 4}, "are not three rising ones");
    set("sizes that fall", "/axes/0/recorded", {2, 4, 3}, "are not three rising ones");
    set("equal sizes", "/axes/0/recorded", {2, 4, 4}, "are not three rising ones");
    set("size not recorded", "/axes/0/size", 3, "the batch of 3 is not one of those recorded");
    set("step of none", "/axes/0/step", 0, "column `axes`");
    set("step too wide", "/axes/0/step", 2, "the batch of 5 is not reached in steps of 2");
    set("negative size", "/axes/0/recorded", {-2, 4, 5}, "column `axes`");
    set("term of one axis", "/terms/1", {1}, "term 1 has 1 exponent for 2 axes");
    set("term squared", "/terms/1", {2, 0}, "term 1 has the batch to the power of 2");
    set("term cubed", "/terms/1", {0, 3}, "term 1 has the sequence to the power of 3");
    set("negative exponent", "/terms/1", {-1, 0}, "column `terms`");
    set("same term", "/terms/1", {0, 0}, "term 1 appears twice");
    set("short polynomial", "/polynomials/1", {1, 0, 0}, "polynomial 1 has 2 coefficients");
    set("empty polynomial", "/polynomials/1", Json::array(), "begins with its denominator");
    set("denominator of 0", "/polynomials/1/0", 0, "begins with its denominator");
    set("coefficient too large", "/polynomials/1/1", kHuge, "column `polynomials`");
    set("fraction", "/polynomials/1/1", 0.5, "expected a whole number");
    set("other value", "/polynomials/0/1", 1,
        "the size of storage 7 is 192, but its law gives 193");
    set("no whole value", "/polynomials/0/0", 5, "but its law gives no whole number");
    set("value beyond the limit", "/polynomials/0/4", kHuge - 1,
        "gives no whole number below 2^62");
    row("short list of storages", "`storages` has 33 entries, but the table has 34 rows",
        [](Json& f) { f["vary"]["storages"].erase(0); });
    set("law of a storage", "/storages/7", 99, "`storages` names row 99");
    set("law below -1", "/storages/7", -2, "column `storages`");
    row("short list of tensors", "`tensors` has", [](Json& f) { f["vary"]["tensors"].erase(0); });
    set("geometry of a tensor", "/tensors/0", 99, "`tensors` names row 99");
    set("law in a geometry", "/geometries/0/0/0", 99, "`geometries` names row 99");
    set("law of an offset", "/geometries/0/2", 99, "`geometries` names row 99");
    set("no law in a geometry", "/geometries/0/1/0", -1, "column `strides`");
    set("short geometry", "/geometries/0", {{4, 5}, {5, 6}}, "ends after 2 of its 3 columns");
    set("dimensions", "/geometries/0/0", {4}, "tensor 0 has 2 sizes, but its laws give 1 and 2");
    set("other shape", "/geometries/0/0", {5, 4}, "a size of tensor 0 is 4, but its law gives 6");
    set("other stride", "/geometries/0/1", {6, 6},
        "a stride of tensor 0 is 6, but its law gives 1");
    set("other offset", "/geometries/0/2", 6, "the offset of tensor 0 is 0, but its law gives 1");
    row("short list of flops", "`flops` has 93", [](Json& f) { f["vary"]["flops"].erase(0); });
    set("law of flops", "/flops/3", 99, "`flops` names row 99");
    set("other flops", "/flops/3", 0, "flops of op 3 is");
    set("law of bytes moved", "/bytes_moved/3", 99, "`bytes_moved` names row 99");
    set("other bytes moved", "/bytes_moved/3", 0, "bytes_moved of op 3 is");
    row("short list of args", "`args` has 93", [](Json& f) { f["vary"]["args"].erase(0); });
    set("numbers not known", "/numbers", nullptr, "null together, and in a plan written out only");
    row("neither known", "null together, and in a plan written out only",
        [](Json& f) { f["vary"]["numbers"] = f["vary"]["args"] = nullptr; });
    set("numbers of an op", "/args/0", 99, "`args` names row 99");
    set("law of a number", "/numbers/0/0/1", 99, "`numbers` names row 99");
    set("path of a number", "/numbers/0/0/0", 7, "column `path`");
    set("other batch", "/batch/0", "9", "`batch` gives \"9x6 int64\", but the header has \"4x6");
    set("law in the batch", "/batch/0", 99, "`batch` names row 99");
    set("list in the batch", "/batch/0", Json::array(), "column `batch`");
    row("both keys", "for the second time in one object", [](Json& f) {
        f["vary"]["x"] = 1; // replaced in the text below
    });
}

void VaryFaultsTest::namesWhatIsWrong()
{
    QFETCH(Change, change);
    QFETCH(std::string, says);
    Json file = m_file;
    change(file);
    std::string text = file.dump();
    if (const std::size_t at = text.find("\"x\":1"); at != std::string::npos)
        text.replace(at, 5, "\"terms\":[]");
    const auto read = readText(text);
    const std::string fault = faultOfRefusal(read, {says});
    QVERIFY2(fault.empty(), fault.c_str());
    QVERIFY2(read.error().message.starts_with("net.json: "), messageOf(read));
}

void VaryFaultsTest::readsAnyOrderOfKeys()
{
    Json file;
    for (auto it = m_file.rbegin(); it != m_file.rend(); ++it)
        file[it.key()] = it.value();
    Json vary;
    for (auto it = file["vary"].rbegin(); it != file["vary"].rend(); ++it)
        vary[it.key()] = it.value();
    vary["later"] = {1, 2};
    file["vary"] = vary;
    const auto read = readText(file.dump());
    QVERIFY2(read, messageOf(read));
    QCOMPARE(read->statistics.at("unknown keys"), std::size_t{1});
}

} // namespace

PLIMSOLL_TEST(VaryFaultsTest, QCoreApplication)
#include "vary_faults_test.moc"
