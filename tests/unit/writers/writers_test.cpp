// SPDX-License-Identifier: Apache-2.0
#include "core/base/unicode.h"
#include "core/device/known_devices.h"
#include "core/io/byte_source.h"
#include "core/plan_file/plan_json.h"
#include "core/writers/formats.h"
#include "core/writers/registry.h"

#include "tests/support/messages.h"
#include "tests/support/programs/programs.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QFile>
#include <QTest>
#include <QXmlStreamReader>

#include <algorithm>
#include <string>
#include <string_view>

namespace {

using namespace plimsoll;

/// The first random program for which a random plan recomputes something.
plan::VerifiedPlanPtr samplePlan()
{
    for (std::uint64_t seed = 1; seed < 200; ++seed) {
        plan::Problem problem;
        problem.program = tests::randomProgram(seed);
        problem.device = plan::findDevice(plan::kDefaultDevice).value();
        problem.budget = base::Bytes{std::int64_t{1} << 30U};
        plan::Plan plan = tests::randomLegalPlan(*problem.step(), seed);
        plan.planner = "random";
        const base::Result<plan::VerifiedPlanPtr> verified = plan::certify(problem, plan);
        if (verified && !(*verified)->evaluation().recomputed.empty())
            return *verified;
    }
    return nullptr;
}

/// The same for the step runner.
plan::VerifiedPlanPtr sampleStepPlan()
{
    for (std::uint64_t seed = 1; seed < 200; ++seed) {
        plan::Problem problem = tests::unlimitedProblem(tests::randomProgram(seed));
        graph::Program program = *problem.step();
        for (std::size_t op = 0; op < program.ops.size(); ++op) {
            program.callTexts.add("[]");
            program.callTexts.add("{}");
        }
        problem.program = std::make_shared<const graph::Program>(std::move(program));
        const base::Result<plan::VerifiedPlanPtr> verified =
            plan::certify(problem, tests::randomStepPlan(*problem.step(), seed));
        if (verified && !(*verified)->plan().recomputeSteps().empty())
            return *verified;
    }
    return nullptr;
}

QByteArray contentOf(const std::string& path)
{
    QFile file{QString::fromStdString(path)};
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
}

class WritersTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void choosesTheKindByTheEnding_data();
    void choosesTheKindByTheEnding();
    void listsTheEndingsForAnUnknownOne();
    void writesEachKindToAFile();
    void aCompressedGraphIsTheSameGraph();
    void graphsAreOfPlansForTheRunnerAtTheSizeOfTheTrace();
    void refusesToReplaceTheGraph();
    void saysWhyAFolderCantBeWritten();
    void csvHasOneRowForEachRecomputedValue();
    void csvQuotesWhatSpreadsheetsWouldMisread();
    void csvDisarmsEveryFormula();
    void noWriterLetsHiddenCharactersThrough_data();
    void noWriterLetsHiddenCharactersThrough();
    void svgIsWellFormedAndShowsBudgetPeakAndAxes();
    void svgOfAProgramWithMarkupInItsNameIsWellFormed();

private:
    plan::VerifiedPlanPtr m_plan;
    plan::VerifiedPlanPtr m_stepPlan; ///< of a program that knows its ops' calls
};

void WritersTest::initTestCase()
{
    m_plan = samplePlan();
    QVERIFY(m_plan);
    m_stepPlan = sampleStepPlan();
    QVERIFY(m_stepPlan);
}

void WritersTest::choosesTheKindByTheEnding_data()
{
    QTest::addColumn<std::string>("path");
    QTest::addColumn<std::string>("id");
    QTest::newRow("plan file") << std::string{"a/plan.json"} << std::string{"json"};
    QTest::newRow("Python") << std::string{"plan.py"} << std::string{"python"};
    QTest::newRow("table") << std::string{"plan.csv"} << std::string{"csv"};
    QTest::newRow("picture, capitals") << std::string{"plan.SVG"} << std::string{"svg"};
    QTest::newRow("graph") << std::string{"a/b.Plimsoll.json"} << std::string{"graph"};
    QTest::newRow("compressed graph")
        << std::string{"b.plimsoll.json.GZ"} << std::string{"graph-gz"};
    QTest::newRow("two dots") << std::string{"graph.plan.json"} << std::string{"json"};
}

void WritersTest::choosesTheKindByTheEnding()
{
    QFETCH(std::string, path);
    QFETCH(std::string, id);
    const auto writer = writers::writerFor(path);
    QVERIFY(writer.has_value());
    QCOMPARE((*writer)->id, id);
}

void WritersTest::listsTheEndingsForAnUnknownOne()
{
    for (const char* path : {"plan.docx", "plan", "json", "", ".json", "graph.json.gz"}) {
        const auto writer = writers::writerFor(path);
        QVERIFY(!writer.has_value());
        QCOMPARE(writer.error().kind, base::ErrorKind::Usage);
        QVERIFY(writer.error().message.find(".json .py .csv .svg .plimsoll.json .plimsoll.json.gz")
                != std::string::npos);
    }
}

void WritersTest::writesEachKindToAFile()
{
    const tests::TempFolder folder;
    for (const writers::PlanWriter& writer : writers::planWriters()) {
        const plan::VerifiedPlanPtr& plan = writer.id.starts_with("graph") ? m_stepPlan : m_plan;
        const std::string path = folder.file("plan" + writer.extension);
        const auto written = writers::writePlanFile(plan, path);
        QVERIFY2(written, tests::messageOf(written));
        const std::string content = writer.content(plan).value();
        QVERIFY(contentOf(path) == QByteArray::fromStdString(content));
        QVERIFY(!content.empty());
    }
}

void WritersTest::aCompressedGraphIsTheSameGraph()
{
    const tests::TempFolder folder;
    const std::string path = folder.file("planned.plimsoll.json.gz");
    QVERIFY(writers::writePlanFile(m_stepPlan, path));
    const auto content = io::readFile(path);
    QVERIFY2(content, tests::messageOf(content));
    QVERIFY(content->file.compressed && content->file.size < content->bytes.size());
    QVERIFY(content->bytes == writers::rewrittenGraph(m_stepPlan).value());
}

/// And nothing is written then.
void WritersTest::graphsAreOfPlansForTheRunnerAtTheSizeOfTheTrace()
{
    const tests::TempFolder folder;
    const std::string path = folder.file("planned.plimsoll.json");
    const auto regions = writers::writePlanFile(m_plan, path);
    QVERIFY(!regions);
    QCOMPARE(regions.error().kind, base::ErrorKind::Usage);
    QVERIFY(regions.error().message.ends_with("make a plan for runtime step."));
    plan::Problem elsewhere = m_stepPlan->problem();
    graph::Program program = *elsewhere.program;
    program.callTexts = {};
    elsewhere.program = std::make_shared<const graph::Program>(std::move(program));
    const auto resized =
        writers::writePlanFile(plan::certify(elsewhere, m_stepPlan->plan()).value(), path);
    QVERIFY(!resized);
    QCOMPARE(resized.error().message,
             std::string{"A step can be written out only at the size at which it was traced: the "
                         "arguments of its ops are known there only."});
    QVERIFY(!QFile::exists(QString::fromStdString(path)));
}

void WritersTest::refusesToReplaceTheGraph()
{
    const tests::TempFolder folder;
    const std::string graph = folder.fileWith("graph.json", "{}");
    std::filesystem::create_symlink(graph, folder.file("link.json"));
    for (const std::string& target : {graph, folder.file("link.json")}) {
        const auto written = writers::writePlanFile(m_plan, target, {graph});
        QVERIFY(!written.has_value());
        QCOMPARE(written.error().kind, base::ErrorKind::File);
        QCOMPARE(contentOf(graph), QByteArray{"{}"});
    }
}

void WritersTest::saysWhyAFolderCantBeWritten()
{
    const tests::TempFolder folder;
    const auto written = writers::writePlanFile(m_plan, folder.file("missing/plan.json"));
    QVERIFY(!written.has_value());
    QCOMPARE(written.error().kind, base::ErrorKind::File);
    QVERIFY(written.error().message.find("missing/plan.json") != std::string::npos);
}

void WritersTest::csvHasOneRowForEachRecomputedValue()
{
    const QByteArray table = QByteArray::fromStdString(writers::recomputedTable(m_plan));
    const QList<QByteArray> rows = table.trimmed().split('\n');
    QCOMPARE(static_cast<std::size_t>(rows.size()), m_plan->evaluation().recomputed.size() + 1);
    QCOMPARE(rows.front().trimmed(),
             QByteArray{"op,target,module,storage,bytes,spared_bytes,time_ns,region,source"});
    const plan::Recomputed& first = m_plan->evaluation().recomputed.front();
    const QList<QByteArray> fields = rows.at(1).trimmed().split(',');
    QCOMPARE(fields.size(), qsizetype{9});
    QCOMPARE(fields.at(0), QByteArray::number(static_cast<qulonglong>(first.op.index())));
    QCOMPARE(fields.at(4), QByteArray::number(static_cast<qlonglong>(first.bytes.count())));
    QCOMPARE(fields.at(5), QByteArray::number(static_cast<qlonglong>(first.spared.count())));
}

/// The sample plan on a copy of its program in which texts are replaced.
plan::VerifiedPlanPtr renamed(const plan::VerifiedPlan& plan, const std::string& text)
{
    graph::Program program = *plan.problem().step();
    program.header.model = text;
    program.header.batch = text;
    for (std::string& target : program.targets)
        target = text;
    for (std::string& source : program.sources)
        source = text;
    for (graph::Module& module : program.modules)
        module.path = text;
    plan::Problem problem = plan.problem();
    problem.program = std::make_shared<const graph::Program>(std::move(program));
    return plan::certify(problem, plan.plan()).value_or(nullptr);
}

void WritersTest::csvQuotesWhatSpreadsheetsWouldMisread()
{
    const plan::VerifiedPlanPtr plan = renamed(*m_plan, "=1,\"two\"");
    QVERIFY(plan);
    QVERIFY(writers::recomputedTable(plan).find("\"'=1,\"\"two\"\"\"") != std::string::npos);
}

void WritersTest::csvDisarmsEveryFormula()
{
    for (const char* text : {"=1", "+1", "-1", "@x", " =1", "\t=1", "\r=1", "\n@x", "＝1", "＠x"}) {
        const plan::VerifiedPlanPtr plan = renamed(*m_plan, text);
        QVERIFY(plan);
        const std::string table = writers::recomputedTable(plan);
        const std::string row = table.substr(table.find("\r\n") + 2);
        const std::string cell = row.substr(row.find(',') + 1);
        QVERIFY2(cell.front() == '\'' || cell.front() == '\\', cell.c_str());
    }
}

/// Turned writing, a terminal's escape sequence in one character, a line break, no width.
constexpr auto kHiddenName = "net\xe2\x80\xae\xc2\x9b\x1b[2J\n# =evil\xe2\x81\xa6\xe2\x80\x8b";

void WritersTest::noWriterLetsHiddenCharactersThrough_data()
{
    QTest::addColumn<std::string>("kind");
    for (const writers::PlanWriter& writer : writers::planWriters())
        QTest::newRow(writer.id.c_str()) << writer.id;
}

void WritersTest::noWriterLetsHiddenCharactersThrough()
{
    QFETCH(std::string, kind);
    const plan::VerifiedPlanPtr plan =
        renamed(kind.starts_with("graph") ? *m_stepPlan : *m_plan, kHiddenName);
    QVERIFY(plan);
    const auto writer =
        std::find_if(writers::planWriters().begin(), writers::planWriters().end(),
                     [&](const writers::PlanWriter& one) { return one.id == kind; });
    const tests::TempFolder folder;
    const std::string path = folder.fileWith("written", writer->content(plan).value());
    const std::string content = io::readFile(path)->bytes; // without compression
    QVERIFY(content.find("\\u202e") != std::string::npos);
    // The new lines are those of the writer: the name has none that it could begin.
    QVERIFY(content.find("\n# =evil") == std::string::npos);
    std::string_view rest = content;
    while (!rest.empty()) {
        const base::Character character = base::firstCharacter(rest);
        QVERIFY(character.length > 0);
        const bool lineBreak = character.code == U'\n' || character.code == U'\r';
        QVERIFY2(lineBreak || !base::isHidden(character.code),
                 std::string{rest.substr(0, 40)}.c_str());
        rest.remove_prefix(character.length);
    }
}

/// All text of a picture; empty when it isn't well-formed.
QString textOf(const std::string& svg)
{
    QXmlStreamReader reader{QByteArray::fromStdString(svg)};
    QString text;
    while (!reader.atEnd())
        if (reader.readNext() == QXmlStreamReader::Characters)
            text += reader.text();
    return reader.hasError() ? QString{} : text;
}

void WritersTest::svgIsWellFormedAndShowsBudgetPeakAndAxes()
{
    const std::string svg = writers::timelinePicture(m_plan);
    const QString text = textOf(svg);
    QVERIFY(text.contains(QStringLiteral("budget 1.00 GiB")));
    QVERIFY(text.contains(QStringLiteral("peak ")));
    QVERIFY(text.contains(QStringLiteral("GiB")));
    QVERIFY(text.contains(QStringLiteral("time [")));
    QVERIFY(text.contains(QStringLiteral("Parameters")));
    QCOMPARE(writers::timelinePicture(m_plan), svg);
}

void WritersTest::svgOfAProgramWithMarkupInItsNameIsWellFormed()
{
    const plan::VerifiedPlanPtr plan = renamed(*m_plan, "<script>&\"'\x01\xff");
    QVERIFY(plan);
    const std::string svg = writers::timelinePicture(plan);
    QVERIFY(svg.find("<script>") == std::string::npos);
    QVERIFY(textOf(svg).contains(QStringLiteral("<script>&\"'\\x01\\xff")));
}

} // namespace

PLIMSOLL_TEST(WritersTest, QCoreApplication)
#include "writers_test.moc"
