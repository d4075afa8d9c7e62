// SPDX-License-Identifier: Apache-2.0
// Documents: opened from graphs and sessions, kept and taken up again with every plan checked anew.
#include "core/device/known_devices.h"
#include "core/io/byte_source.h"
#include "core/plan_file/plan_json.h"
#include "core/workspace/composition.h"

#include "tests/support/graph_file.h"
#include "tests/support/measurement_file.h"
#include "tests/support/messages.h"
#include "tests/support/planned_sample.h"
#include "tests/support/saved_session.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <stop_token>
#include <string>

namespace {

using plimsoll::base::Bytes;
using plimsoll::session::SessionStore;
using plimsoll::tests::defaultChoices;
using plimsoll::tests::messageOf;
using plimsoll::tests::SavedSession;
using plimsoll::tests::TempFolder;
namespace plan = plimsoll::plan;
namespace session = plimsoll::session;
namespace solve = plimsoll::solve;
namespace tests = plimsoll::tests;
namespace workspace = plimsoll::workspace;

SavedSession savedOf(const workspace::PlanDocument& document)
{
    return {{{},
             "plan",
             document.name(),
             document.origin().string(),
             document.contentHash(),
             "{}",
             document.view},
            *document.graph.content,
            workspace::savedPlan(document)};
}

plimsoll::base::Result<workspace::PlanDocument> restored(const SavedSession& saved,
                                                         const plimsoll::base::JobContext& job)
{
    return workspace::planDocumentOf(saved.document, saved.plan, saved.content, job);
}

class DocumentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase();
    void opensAGraphWithAFirstPicture();
    void namesDocumentsAfterTheirFiles();
    void refusesWithOneSentence_data();
    void refusesWithOneSentence();
    void suggestsABudgetThatShowsAPlan();
    void suggestsWhatAStepWithoutChoicesNeeds();
    void suggestsTheDeviceWhenTheStepIsTooLarge();
    void comesBackFromASessionEqual();
    void dropsAPlanThatFailsItsCheck_data();
    void dropsAPlanThatFailsItsCheck();
    void refusesACopyOfTheGraphThatWasDamaged();
    void keepsTheMeasurementLaidOver();
    void isLetGoWithoutBlamingTheFile();
    void replacesUnknownChoicesWithANote();
    void showsTheSavedPlanBeforePlanning();
    void writesEachSlotOnce();
    void opensAllDocumentsOfASession();
    void findsEqualRuns();
    void keepsTheSizeOfTheStep();
    void replacesASizeThatIsNotToBeHad();

private:
    tests::PlannedSample m_sample;
};

void DocumentTest::initTestCase()
{
    auto planned = tests::planSample("resnet18");
    QVERIFY2(planned, messageOf(planned));
    m_sample = *std::move(planned);
}

void DocumentTest::opensAGraphWithAFirstPicture()
{
    const workspace::PlanDocument& document = m_sample.document;
    QCOMPARE(document.graph.name, std::string{"resnet18"});
    QVERIFY(!document.session.file);
    QVERIFY(document.isBudgetSuggested);
    QVERIFY(document.notes.empty());
    QVERIFY(!document.graph.contentHash.empty());
    const workspace::Planned& first = *m_sample.first;
    QVERIFY(first.unplanned->plan().regions().empty());
    QCOMPARE(first.frontier->points().size(), std::size_t{1});
    QVERIFY(first.peakBound.bytes <= first.unplanned->evaluation().peak);
}

void DocumentTest::namesDocumentsAfterTheirFiles()
{
    const TempFolder folder;
    const std::string text = tests::graphText(tests::tinyProgram());
    for (const auto& [file, name] :
         {std::pair<const char*, const char*>{"step.plimsoll.json", "step"},
          {"step.json", "step"},
          {"model.v2.json", "model.v2"},
          {"plain", "plain"}}) {
        const auto opened = tests::openPlan(folder.fileWith(file, text), defaultChoices());
        QVERIFY2(opened, messageOf(opened));
        QCOMPARE(opened->graph.name, std::string{name});
    }
}

void DocumentTest::refusesWithOneSentence_data()
{
    QTest::addColumn<std::string>("content");
    QTest::newRow("empty") << std::string{};
    QTest::newRow("text") << std::string{"no graph"};
    QTest::newRow("json") << std::string{"{\"format\": \"something else\"}"};
    QTest::newRow("cut") << tests::graphText(tests::tinyProgram()).substr(0, 500);
    QTest::newRow("database") << std::string{"SQLite format 3", 16} + std::string(2000, '\1');
}

void DocumentTest::refusesWithOneSentence()
{
    QFETCH(std::string, content);
    const TempFolder folder;
    const auto opened = tests::openPlan(folder.fileWith("x.plimsoll", content), defaultChoices());
    QVERIFY(!opened);
    QVERIFY(opened.error().kind == plimsoll::base::ErrorKind::File);
    const std::string& message = opened.error().message;
    QVERIFY2(!message.empty() && message.back() == '.' && message.find('\n') == std::string::npos,
             message.c_str());
    QVERIFY(!tests::openPlan(folder.file("missing"), defaultChoices()));
    QVERIFY(!tests::openPlan(folder.path(), defaultChoices()));
}

void DocumentTest::suggestsABudgetThatShowsAPlan()
{
    const Bytes budget = workspace::suggestedBudget(*m_sample.planned);
    QVERIFY(budget < m_sample.planned->unplanned->evaluation().peak);
    QCOMPARE(budget.count() % (1 << 20), 0);
    const plan::VerifiedPlanPtr plan = workspace::planAt(*m_sample.planned, budget);
    QVERIFY(plan);
    QVERIFY(!plan->plan().regions().empty());
    // It is known before anything is planned.
    QVERIFY(workspace::suggestedBudget(*m_sample.first) == budget);
    QVERIFY(m_sample.document.isBudgetSuggested && m_sample.document.budget == budget);
}

void DocumentTest::suggestsWhatAStepWithoutChoicesNeeds()
{
    const auto prompt = tests::openPlan(tests::samplePath("gpt2_prompt"), defaultChoices());
    QVERIFY2(prompt, messageOf(prompt));
    const workspace::Planned& first = *prompt->first;
    QVERIFY(first.peakBound.bytes == first.unplanned->evaluation().peak);
    QVERIFY(first.unplannedNeeds > first.unplanned->evaluation().peak);
    QVERIFY(prompt->isBudgetSuggested && prompt->budget >= first.unplannedNeeds);
    QVERIFY(prompt->budget.count() < first.unplannedNeeds.count() + (64 << 20));
}

void DocumentTest::suggestsTheDeviceWhenTheStepIsTooLarge()
{
    workspace::Planned planned = *m_sample.planned;
    planned.choices.device.memory = Bytes{std::int64_t{2} << 30};
    QCOMPARE(workspace::suggestedBudget(planned).count(), std::int64_t{2} << 30);
    planned.choices.device.memory = Bytes{1 << 20};
    QVERIFY(workspace::suggestedBudget(planned) >= planned.smallestPeak);
    // Shown with two decimals of a GiB, the budget still reads as enough.
    planned.smallestPeak = Bytes{(std::int64_t{50} << 30) + 375'000'000};
    QCOMPARE(workspace::suggestedBudget(planned).count(), std::int64_t{202} << 28);
    planned.smallestPeak = Bytes{674'100'000};
    QCOMPARE(workspace::suggestedBudget(planned).count(), std::int64_t{643} << 20);
}

/// The sample with a budget, a run with a plan and one without.
workspace::PlanDocument workedOn(const tests::PlannedSample& sample)
{
    workspace::PlanDocument document = sample.document;
    document.budget = workspace::suggestedBudget(*sample.planned);
    const auto add = [&](Bytes budget, const char* name) {
        workspace::Run run =
            workspace::runOf(workspace::answerAt(*sample.planned, budget, {}, {})->outcome, budget,
                             sample.planned->choices);
        run.name = name;
        run.key = static_cast<int>(document.runs.size()) + 1;
        document.runs.push_back(std::move(run));
    };
    add(document.budget, "good");
    add(Bytes{1 << 20}, "hopeless");
    document.view = R"({"begin":0.5})";
    return document;
}

void DocumentTest::comesBackFromASessionEqual()
{
    const TempFolder folder;
    const std::string path = folder.file("work.plimsoll");
    const workspace::PlanDocument before = workedOn(m_sample);
    QVERIFY(tests::createSession(path, savedOf(before)));
    const auto opened = tests::openPlan(path, defaultChoices());
    QVERIFY2(opened, messageOf(opened));
    const workspace::PlanDocument& after = *opened;
    QCOMPARE(after.notes.size(), std::size_t{0});
    QVERIFY(after.choices == before.choices);
    QVERIFY(after.budget == before.budget);
    QCOMPARE(after.view, before.view);
    QCOMPARE(after.session.file->path().string(), path);
    QCOMPARE(after.title(), std::string{"work.plimsoll"});
    QCOMPARE(after.graph.name, before.graph.name);
    QCOMPARE(*after.graph.content, *before.graph.content);
    QCOMPARE(after.graph.contentHash, before.graph.contentHash);
    QCOMPARE(after.runs.size(), before.runs.size());
    for (std::size_t i = 0; i < after.runs.size(); ++i) {
        QCOMPARE(after.runs[i].name, before.runs[i].name);
        QCOMPARE(after.runs[i].status, before.runs[i].status);
        QVERIFY(after.runs[i].peak == before.runs[i].peak);
        QVERIFY(after.runs[i].stepTime == before.runs[i].stepTime);
        QCOMPARE(after.runs[i].plan != nullptr, before.runs[i].plan != nullptr);
    }
    QVERIFY(after.runs[0].plan->plan() == before.runs[0].plan->plan());
}

void DocumentTest::dropsAPlanThatFailsItsCheck_data()
{
    QTest::addColumn<bool>("isOverBudget");
    QTest::newRow("of another graph") << false;
    QTest::newRow("over its budget") << true;
}

void DocumentTest::dropsAPlanThatFailsItsCheck()
{
    QFETCH(bool, isOverBudget);
    SavedSession saved = savedOf(workedOn(m_sample));
    session::SavedRun& run = saved.plan.runs.front();
    if (isOverBudget) {
        run.budgetBytes = *run.peakBytes - 1;
    } else {
        const std::string own = plimsoll::graph::fingerprint(*m_sample.document.graph.program);
        const std::size_t at = run.plan->find(own);
        QVERIFY(at != std::string::npos);
        (*run.plan)[at] = own[0] == '0' ? '1' : '0';
    }
    const auto document = restored(saved, {});
    QVERIFY(document);
    QVERIFY(!document->runs.front().plan);
    QVERIFY(!document->runs.front().peak);
    QCOMPARE(document->runs.front().status, std::string{"not_found"});
    QCOMPARE(document->notes.size(), std::size_t{1});
    QVERIFY(document->notes.front().find("is not used") != std::string::npos);
}

void DocumentTest::refusesACopyOfTheGraphThatWasDamaged()
{
    SavedSession saved = savedOf(m_sample.document);
    const std::size_t at = saved.content.find("aten.");
    QVERIFY(at != std::string::npos);
    saved.content[at] = 'b'; // still a graph that can be read
    const auto document = restored(saved, {});
    QVERIFY(!document);
    QVERIFY2(document.error().message.find("was damaged after it was saved") != std::string::npos,
             document.error().message.c_str());
}

void DocumentTest::keepsTheMeasurementLaidOver()
{
    workspace::PlanDocument document = workedOn(m_sample);
    const plan::VerifiedPlanPtr& unplanned = m_sample.planned->unplanned;
    const auto laid =
        workspace::attachMeasurement("a.measurement.json", tests::measurementOf({unplanned}, 4096),
                                     {document.graph.program, {}, document.choices.device}, {});
    QVERIFY2(laid, messageOf(laid));
    document.overlay = *laid;
    SavedSession saved = savedOf(document);
    const auto after = restored(saved, {});
    QVERIFY2(after, messageOf(after));
    QCOMPARE(after->notes.size(), std::size_t{0});
    QVERIFY(after->overlay);
    QCOMPARE(after->overlay->name, std::string{"a.measurement.json"});
    QCOMPARE(*after->overlay->content, *document.overlay->content);
    QVERIFY(after->overlay->over.program == after->graph.program);
    QVERIFY(after->overlay->unplanned->predicted->peak
            == document.overlay->unplanned->predicted->peak);

    // A file that is damaged or was changed by hand: said, and everything else is there.
    saved.plan.measurement->content.resize(saved.plan.measurement->content.size() / 2);
    const auto without = restored(saved, {});
    QVERIFY(without);
    QVERIFY(!without->overlay);
    QCOMPARE(without->runs.size(), document.runs.size());
    QCOMPARE(without->notes.size(), std::size_t{1});
    QVERIFY2(without->notes.front().starts_with(
                 "The measurement kept in the session (a.measurement.json) can't be laid over"),
             without->notes.front().c_str());
}

void DocumentTest::isLetGoWithoutBlamingTheFile()
{
    const SavedSession saved = savedOf(m_sample.document);
    std::stop_source source;
    source.request_stop();
    const auto document = restored(saved, plimsoll::base::JobContext{.stop = source.get_token()});
    QVERIFY(!document);
    QCOMPARE(document.error().kind, plimsoll::base::ErrorKind::Cancelled);
}

void DocumentTest::replacesUnknownChoicesWithANote()
{
    SavedSession saved = savedOf(m_sample.document);
    saved.plan.problem.device = "abacus";
    saved.plan.problem.planner = "oracle";
    const auto document = restored(saved, {});
    QVERIFY(document);
    QCOMPARE(document->choices.device.id, std::string{plan::kDefaultDevice});
    QCOMPARE(document->choices.planner, std::string{solve::kDefaultPlanner});
    QCOMPARE(document->notes.size(), std::size_t{2});
}

void DocumentTest::showsTheSavedPlanBeforePlanning()
{
    workspace::PlanDocument document = workedOn(m_sample);
    const auto first = workspace::firstPicture(document, {});
    QVERIFY(first);
    QVERIFY(document.notes.empty());
    const plan::VerifiedPlanPtr plan = workspace::planAt(**first, document.budget);
    QVERIFY(plan);
    QVERIFY(plan->plan() == document.runs.front().plan->plan());
    // Who was asked and who made it, too: that is shown and exported before anything is planned.
    const plan::FrontierPoint point = workspace::planAt(**first, document.budget);
    QCOMPARE(point.provenance->asked.planner, std::string{"auto"});
    QVERIFY(point.provenance->maker);
    QVERIFY(*point.provenance == *document.runs.front().plan.provenance);
}

/// A later change takes the place of an earlier one in its slot; what was written is not written
/// again, what failed waits again.
void DocumentTest::writesEachSlotOnce()
{
    const TempFolder folder;
    const auto file = std::make_shared<session::SessionFile>(folder.file("work.plimsoll"));
    workspace::PlanDocument document = workedOn(m_sample);
    QVERIFY(file->create([&](SessionStore& store) {
        return document.addTo(store).map([](session::DocumentId) {});
    }));
    document.session = {file, session::DocumentId{1}, true};
    QVERIFY(!document.isDirty());
    int written = 0;
    const auto view = [&written](const char* text) {
        return [&written, text](SessionStore& store, session::DocumentId id) {
            ++written;
            return store.saveView(id, text);
        };
    };
    document.pending.put("view", view("{\"old\":1}"));
    document.pending.put("fails", [](SessionStore&, session::DocumentId) {
        return plimsoll::base::Result<void>{
            plimsoll::base::failure(plimsoll::base::ErrorKind::File, "No.")};
    });
    document.pending.put("view", view("{\"new\":1}"));
    QVERIFY(document.isDirty());
    auto changes = document.pending.take();
    QCOMPARE(changes.size(), std::size_t{2});
    const auto write = [&] {
        return workspace::writeAll(*file, document.session.id, document.contentHash(), changes);
    };
    QVERIFY(!write());
    QCOMPARE(changes.size(), std::size_t{2}); // in order: the one that fails came first
    QCOMPARE(written, 0);
    document.pending.put("fails", view("{\"better\":1}"));
    document.pending.putBack(std::move(changes));
    changes = document.pending.take();
    QCOMPARE(changes.size(), std::size_t{2});
    QVERIFY(write());
    QVERIFY(changes.empty() && !document.isDirty());
    QCOMPARE(written, 2);
    QCOMPARE(tests::loadSession(file->path().string())->document.view,
             std::string{"{\"better\":1}"});
    // Of another document: nothing is written.
    changes.push_back({"view", view("{}")});
    QVERIFY(!workspace::writeAll(*file, document.session.id, "another hash", changes));
    QCOMPARE(written, 2);
}

/// Two graphs in one session come back as two documents, and what can't be opened is told.
void DocumentTest::opensAllDocumentsOfASession()
{
    const TempFolder folder;
    const std::string path = folder.file("work.plimsoll");
    auto store = tests::createSession(path, savedOf(workedOn(m_sample)));
    QVERIFY(store);
    workspace::PlanDocument second = workedOn(m_sample);
    second.graph.name = "another";
    second.budget = Bytes{std::int64_t{3} << 30};
    QVERIFY(second.addTo(*store));
    QVERIFY(store->addDocument({{}, "unheard of", "x", "", "", "{}", "{}"}));
    const auto opened = workspace::openFile(path, workspace::documentKinds(defaultChoices()), {});
    QVERIFY2(opened, messageOf(opened));
    QCOMPARE(opened->size(), std::size_t{2});
    QCOMPARE(opened->at(0)->title(), std::string{"resnet18"});
    QCOMPARE(opened->at(1)->title(), std::string{"another"});
    QVERIFY(opened->at(0)->session.file == opened->at(1)->session.file);
    QVERIFY(opened->at(0)->session.id != opened->at(1)->session.id);
    const auto& plan = dynamic_cast<const workspace::PlanDocument&>(*opened->at(1));
    QVERIFY(plan.budget == second.budget);
    QCOMPARE(opened->at(0)->notes.size(), std::size_t{1});
    QVERIFY(opened->at(0)->notes.front().find("unheard of") != std::string::npos);
}

void DocumentTest::findsEqualRuns()
{
    const workspace::PlanDocument document = workedOn(m_sample);
    QVERIFY(workspace::contains(document.runs, document.runs.front()));
    workspace::Run other = document.runs.front();
    other.budget += Bytes{1};
    QVERIFY(!workspace::contains(document.runs, other));
}

/// The graph that was traced at several sizes, planned at one that wasn't, with a run there.
workspace::PlanDocument resizedDocument()
{
    workspace::Choices choices = defaultChoices();
    auto opened =
        tests::openPlan(tests::repositoryPath("tests/data/varied.plimsoll.json"), choices);
    if (!opened)
        return {};
    workspace::PlanDocument document = *std::move(opened);
    document.choices.sizes = {{"batch", 7}, {"sequence", 13}};
    const auto planned = workspace::planGraph(document.graph.program, document.choices, {});
    if (!planned)
        return {};
    document.budget = (*planned)->smallestPeak;
    document.runs.push_back(
        workspace::runOf(workspace::answerAt(**planned, document.budget, {}, {})->outcome,
                         document.budget, document.choices));
    return document;
}

void DocumentTest::keepsTheSizeOfTheStep()
{
    const workspace::PlanDocument before = resizedDocument();
    QCOMPARE(before.runs.size(), std::size_t{1});
    QVERIFY(before.runs.front().plan);
    auto after = restored(savedOf(before), {});
    QVERIFY2(after, messageOf(after));
    QVERIFY(after->notes.empty());
    QVERIFY(after->choices == before.choices);
    QVERIFY(after->runs.front().sizes == before.choices.sizes);
    QVERIFY(after->runs.front().peak == before.runs.front().peak);
    QVERIFY(after->runs.front().plan);
    const auto first = workspace::firstPicture(*after, {});
    QVERIFY2(first, messageOf(first));
    QCOMPARE((*first)->program()->vary->sizes(), (std::vector<std::int64_t>{7, 13}));
    QCOMPARE((*first)->smallestPeak.count(), before.budget.count());
    // The same numbers at another size are another run.
    workspace::Run other = before.runs.front();
    other.sizes = {{"batch", 7}};
    QVERIFY(!workspace::contains(before.runs, other));
}

void DocumentTest::replacesASizeThatIsNotToBeHad()
{
    SavedSession saved = savedOf(resizedDocument());
    for (const auto& sizes : {std::map<std::string, std::int64_t>{{"batch", 1}},
                              {{"height", 4}},
                              {{"batch", std::int64_t{1} << 61U}},
                              {{"batch", -4}}}) {
        saved.plan.problem.sizes = sizes;
        saved.plan.runs.front().sizes = sizes;
        auto document = restored(saved, {});
        QVERIFY2(document, messageOf(document));
        QVERIFY(document->choices.sizes.empty());
        QVERIFY(!document->runs.front().plan);
        QCOMPARE(document->notes.size(), std::size_t{2});
        QVERIFY(document->notes.front().find("those recorded are used") != std::string::npos);
        QVERIFY(workspace::firstPicture(*document, {}));
    }
}

} // namespace

PLIMSOLL_TEST(DocumentTest, QCoreApplication)
#include "document_test.moc"
