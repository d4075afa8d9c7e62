// SPDX-License-Identifier: Apache-2.0
// Memory of the window with planned documents: what plans take, and nothing that planning left.
#include "tests/support/sanitized.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QFile>
#include <QTest>

namespace {

using namespace plimsoll::ui;
using namespace plimsoll::tests;

constexpr std::int64_t kMegabyte = 1'000'000;

class OpenMemoryTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void staysSmallWithThreeSamples();
    void partialPlansAreForgotten();
};

/// Memory of this process that is in use, code included.
std::int64_t residentBytes()
{
    QFile status{QStringLiteral("/proc/self/status")};
    if (!status.open(QIODevice::ReadOnly))
        return 0;
    const QByteArray text = status.readAll();
    const qsizetype at = text.indexOf("VmRSS:") + 6;
    return text.mid(at, text.indexOf("kB", at) - at).trimmed().toLongLong() * 1024;
}

void OpenMemoryTest::staysSmallWithThreeSamples()
{
    if (kSanitized)
        return; // a sanitizer's shadow memory counts, too
    const bool isWhole = isExhaustive();
    for (const char* sample :
         {isWhole ? "bert" : "resnet18", "gpt2", isWhole ? "llama_7b" : "unet"}) {
        PlannerPage* page = openPlanned(sample);
        QVERIFY(page != nullptr);
        QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    }
    const std::int64_t resident = residentBytes();
    QVERIFY(resident > 50 * kMegabyte);
    qInfo("%lld MB", static_cast<long long>(resident / kMegabyte));
    QVERIFY(resident < (isWhole ? 600 : 360) * kMegabyte);
}

void OpenMemoryTest::partialPlansAreForgotten()
{
    PlannerPage* page = open(sampleFile("gpt2"));
    QVERIFY(page != nullptr);
    std::weak_ptr<const plimsoll::plan::Frontier> partial;
    bool isSeen = false;
    QVERIFY(QTest::qWaitFor(
        [&] {
            if (!page->document().isPlanned()
                && page->document().planned()->frontier->points().size() > 1) {
                partial = page->document().planned()->frontier;
                isSeen = true;
            }
            return page->document().isPlanned();
        },
        kPatience));
    QVERIFY(QTest::qWaitFor([&] { return isDone(*page); }, kPatience));
    QVERIFY(!page->document().planned()->frontier->points().empty());
    QVERIFY(isSeen);
    QVERIFY(partial.lock() != page->document().planned()->frontier);
    QVERIFY(QTest::qWaitFor([&] { return partial.expired(); }, 2000));
}

} // namespace

PLIMSOLL_TEST(OpenMemoryTest, QApplication)
#include "open_memory_test.moc"
