// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/comparison/comparison_document.h"

#include "core/memtrace/summary.h"

#include "tests/support/messages.h"
#include "tests/support/recorded_training.h"
#include "tests/support/temp_folder.h"
#include "tests/support/test_main.h"

#include <QTest>

#include <stop_token>

namespace {

using namespace plimsoll;
using namespace plimsoll::workspace;
using memtrace::LiveBy;
using plimsoll::tests::messageOf;
using plimsoll::tests::RecordedTraining;

ComparedProfile profileOf(const char* name, int layers, int devices = 1)
{
    RecordedTraining training;
    training.layers = layers;
    training.devices = devices;
    return {name, std::string{"/tmp/"} + name, std::string{"hash of "} + name, training.trace(), 0};
}

class ComparisonDocumentTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void isNamedAfterItsProfiles_data();
    void isNamedAfterItsProfiles();
    void comparesWhatDiffCompares_data();
    void comparesWhatDiffCompares();
    void takesWhatStaysFromTheLastPicture();
    void namesTheClassThatMakesTheDifference();
    void needsTwoProfiles();
    void stops();
    void comesBackFromASession();
    void refusesADamagedSession_data();
    void refusesADamagedSession();
    void readsOnlyProfiles();
};

void ComparisonDocumentTest::isNamedAfterItsProfiles_data()
{
    QTest::addColumn<int>("profiles");
    QTest::addColumn<QString>("name");
    QTest::newRow("none") << 0 << "Comparison";
    QTest::newRow("one") << 1 << "rank 0";
    QTest::newRow("two") << 2 << "rank 0 and rank 1";
    QTest::newRow("four") << 4 << "rank 0 and 3 more";
}

void ComparisonDocumentTest::isNamedAfterItsProfiles()
{
    QFETCH(int, profiles);
    QFETCH(QString, name);
    ComparedProfiles all;
    for (int rank = 0; rank < profiles; ++rank) {
        const std::string text = "rank " + std::to_string(rank);
        all.push_back(profileOf(text.c_str(), 2));
    }
    const ComparisonDocument document{all};
    QCOMPARE(QString::fromStdString(document.name()), name);
    QVERIFY(document.origin().empty());
    QVERIFY(!document.contentHash().empty()); // sessions require it
    QVERIFY(!document.isDirty());
}

void ComparisonDocumentTest::comparesWhatDiffCompares_data()
{
    QTest::addColumn<int>("by");
    for (const LiveBy by : {LiveBy::Frame, LiveBy::Stack, LiveBy::Class, LiveBy::Module,
                            LiveBy::Stream, LiveBy::Pool})
        QTest::addRow("%d", static_cast<int>(by)) << static_cast<int>(by);
}

void ComparisonDocumentTest::comparesWhatDiffCompares()
{
    QFETCH(int, by);
    const ComparedProfiles profiles{profileOf("a", 5), profileOf("b", 9)};
    const auto picture =
        comparisonPicture(profiles, {memtrace::Axis::Time, static_cast<LiveBy>(by)}, {});
    QVERIFY(picture.has_value());
    const auto sideOf = [&](std::size_t side) {
        const memtrace::MemoryTrace& trace = *profiles[side].trace;
        const memtrace::DeviceTrace& device = trace.devices().front();
        // As diff finds it: the state after the event that the summary names.
        const memtrace::DeviceSummary summary = memtrace::summaryOf(device);
        const std::size_t step =
            summary.peakEvent < 0
                ? 0
                : device.eventAtRecorded(static_cast<std::uint64_t>(summary.peakEvent)) + 1U;
        return memtrace::DiffSide{trace, device, step};
    };
    const memtrace::TraceDiff diff =
        memtrace::diffTraces(sideOf(0), sideOf(1), static_cast<LiveBy>(by));
    QCOMPARE((*picture)->groups.groups, diff.groups);
    QCOMPARE((*picture)->groups.onlyB, diff.onlyB);
    QCOMPARE((*picture)->comparison->peakOf(0), diff.a.bytes);
    QCOMPARE((*picture)->peakDifference(), diff.b.bytes - diff.a.bytes);
}

void ComparisonDocumentTest::takesWhatStaysFromTheLastPicture()
{
    const ComparedProfiles profiles{profileOf("a", 5), profileOf("b", 9)};
    ComparisonSettings settings;
    const ComparisonPicturePtr first = comparisonPicture(profiles, settings, {}).value();
    settings.by = LiveBy::Class;
    const ComparisonPicturePtr second = comparisonPicture(profiles, settings, {}, first).value();
    QCOMPARE(second->comparison, first->comparison);
    QCOMPARE(second->groups.groups, first->classes.groups);
    settings.axis = memtrace::Axis::Events;
    const ComparisonPicturePtr third = comparisonPicture(profiles, settings, {}, second).value();
    QVERIFY(third->comparison != first->comparison);
    QCOMPARE(third->comparison->axis(), memtrace::Axis::Events);
    QCOMPARE(third->classes.groups, first->classes.groups);
    const ComparisonPicturePtr back =
        comparisonPicture({profiles[1], profiles[0]}, settings, {}, third).value();
    QCOMPARE(back->peakDifference().count(), -third->peakDifference().count());
}

void ComparisonDocumentTest::namesTheClassThatMakesTheDifference()
{
    const ComparisonPicturePtr picture =
        comparisonPicture({profileOf("a", 5), profileOf("b", 9)}, {}, {}).value();
    const memtrace::DiffGroup* main = picture->mainClass();
    QVERIFY(main != nullptr);
    for (const memtrace::DiffGroup& group : picture->classes.groups)
        QVERIFY(group.delta() <= main->delta());
    // Changes in both directions: none of them is most of the difference.
    ComparisonPicture mixed = *picture;
    const std::int64_t difference = picture->peakDifference().count();
    const auto change = [](const char* name, std::int64_t a, std::int64_t b) {
        memtrace::DiffGroup group;
        group.name = name;
        group.a.bytes = base::Bytes{a};
        group.b.bytes = base::Bytes{b};
        return group;
    };
    mixed.classes.groups = {change("a", 0, 3 * difference), change("b", 2 * difference, 0)};
    QVERIFY(mixed.mainClass() == nullptr);
    mixed.classes.groups = {change("a", 0, difference)};
    QVERIFY(mixed.mainClass() == mixed.classes.groups.data());
    const ComparisonPicturePtr same =
        comparisonPicture({profileOf("a", 5), profileOf("b", 5)}, {}, {}).value();
    QCOMPARE(same->peakDifference(), base::Bytes{});
    QVERIFY(same->mainClass() == nullptr);
}

void ComparisonDocumentTest::needsTwoProfiles()
{
    const auto picture = comparisonPicture({profileOf("a", 5)}, {}, {});
    QVERIFY(!picture.has_value());
    QCOMPARE(QString::fromStdString(picture.error().message),
             QStringLiteral("A comparison takes at least two profiles; add another one."));
}

void ComparisonDocumentTest::stops()
{
    std::stop_source source;
    source.request_stop();
    base::JobContext job;
    job.stop = source.get_token();
    const auto picture = comparisonPicture({profileOf("a", 5), profileOf("b", 5)}, {}, job);
    QVERIFY(!picture.has_value());
    QCOMPARE(picture.error().kind, base::ErrorKind::Cancelled);
}

void ComparisonDocumentTest::comesBackFromASession()
{
    const tests::TempFolder folder;
    const std::string path = folder.file("compared.plimsoll");
    ComparedProfiles profiles{profileOf("a", 5), profileOf("b", 9, 2)};
    profiles[1].device = 1;
    ComparisonDocument document{profiles};
    document.settings.axis = memtrace::Axis::Events;
    const auto made = session::SessionStore::create(path, [&](session::SessionStore& store) {
        return document.addTo(store).map([](session::DocumentId) {});
    });
    QVERIFY2(made.has_value(), messageOf(made));

    const auto store = session::SessionStore::open(path).value();
    const session::SavedDocument saved = store.documents().value().front();
    const auto restored = comparisonDocuments().restore(store, saved, {});
    QVERIFY2(restored.has_value(), messageOf(restored));
    const auto& again = dynamic_cast<const ComparisonDocument&>(**restored);
    QCOMPARE(again.name(), document.name());
    QCOMPARE(again.settings, document.settings);
    QCOMPARE(again.profiles().size(), 2U);
    QCOMPARE(again.profiles()[1].device, 1U);
    QCOMPARE(again.profiles()[1].path, profiles[1].path);
    const ComparisonPicturePtr before = comparisonPicture(profiles, {}, {}).value();
    const ComparisonPicturePtr after = comparisonPicture(again.profiles(), {}, {}).value();
    QCOMPARE(after->groups.groups, before->groups.groups);
}

void ComparisonDocumentTest::refusesADamagedSession_data()
{
    QTest::addColumn<QByteArray>("state");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("no state") << QByteArray{"{}"}
                              << "a and b: the session doesn't tell which profiles were compared; "
                                 "compare their files again.";
    QTest::newRow("not JSON") << QByteArray{"]"}
                              << "a and b: the session doesn't tell which profiles were compared; "
                                 "compare their files again.";
}

void ComparisonDocumentTest::refusesADamagedSession()
{
    QFETCH(QByteArray, state);
    QFETCH(QString, sentence);
    const tests::TempFolder folder;
    const std::string path = folder.file("compared.plimsoll");
    const ComparisonDocument document{{profileOf("a", 5), profileOf("b", 9)}};
    const auto made = session::SessionStore::create(path, [&](session::SessionStore& store) {
        return document.addTo(store).map([](session::DocumentId) {});
    });
    QVERIFY2(made.has_value(), messageOf(made));
    const auto store = session::SessionStore::open(path).value();
    session::SavedDocument saved = store.documents().value().front();
    saved.state = state.toStdString();
    const auto restored = comparisonDocuments().restore(store, saved, {});
    QVERIFY(!restored.has_value());
    QCOMPARE(QString::fromStdString(restored.error().message), sentence);
}

void ComparisonDocumentTest::readsOnlyProfiles()
{
    const tests::TempFolder folder;
    const auto nothing = readComparedProfile(folder.file("nowhere.pickle"), {});
    QVERIFY(!nothing.has_value());
    const std::string sample =
        std::string{PLIMSOLL_SOURCE_DIR} + "/resources/samples/encoder_training.stand-in.pickle.gz";
    const auto profile = readComparedProfile(sample, {});
    QVERIFY2(profile.has_value(), messageOf(profile));
    QCOMPARE(profile->name, std::string{"encoder_training.stand-in.pickle"});
    QCOMPARE(profile->device, memtrace::summaryOf(*profile->trace).highest);
    const auto graph = readComparedProfile(
        std::string{PLIMSOLL_SOURCE_DIR} + "/resources/samples/resnet18.plimsoll.json.gz", {});
    QVERIFY(!graph.has_value());
}

} // namespace

PLIMSOLL_TEST(ComparisonDocumentTest, QCoreApplication)
#include "comparison_document_test.moc"
