// SPDX-License-Identifier: Apache-2.0
// What a diagnosis says of messages whose figures contradict each other.
#include "core/doctor/diagnose.h"

#include "tests/support/test_main.h"

#include <QTest>

namespace {

using namespace plimsoll;

class MessageNotesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void saysWhatContradictsItself_data();
    void saysWhatContradictsItself();
};

void MessageNotesTest::saysWhatContradictsItself_data()
{
    QTest::addColumn<QString>("sizes");
    QTest::addColumn<QString>("note"); ///< empty: none

    const auto row = [](const char* name, const char* sizes, const char* note) {
        QTest::newRow(name) << QString::fromLatin1(sizes) << QString::fromLatin1(note);
    };
    row("all fits",
        "1.00 GiB is free. 21.00 GiB is allocated by PyTorch, and 2.00 GiB is reserved by PyTorch "
        "but unallocated.",
        "");
    row("free, capacity", "41.00 GiB is free.",
        "The message contradicts itself: what is free (41.00 GiB) is more than the capacity "
        "(40.00 GiB).");
    row("reserved, capacity",
        "3.00 GiB is free. 38.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch "
        "but unallocated.",
        "The message contradicts itself: what is reserved and free together (42.00 GiB) is more "
        "than the capacity (40.00 GiB).");
    row("private pools",
        "0 bytes is free. 1.00 GiB is allocated by PyTorch, with 2.00 GiB allocated in private "
        "pools (e.g., CUDA Graphs), and 1.00 MiB is reserved by PyTorch but unallocated.",
        "The message contradicts itself: what private pools have (2.00 GiB) is more than what is "
        "allocated (1.00 GiB).");
    row("the process",
        "0 bytes is free. Including non-PyTorch memory, this process has 2.00 GiB memory in use. "
        "20.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.",
        "The message contradicts itself: what PyTorch has reserved (21.00 GiB) is more than what "
        "the process has (2.00 GiB).");
    row("enough was free", "9.00 GiB is free.",
        "More memory was free than was asked for. It may have become free only after the "
        "allocation had failed.");
}

void MessageNotesTest::saysWhatContradictsItself()
{
    QFETCH(QString, sizes);
    QFETCH(QString, note);
    const auto message = doctor::parseErrorMessage(
        ("CUDA out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 40.00 GiB "
         "of which "
         + sizes)
            .toStdString());
    QVERIFY(message);
    const doctor::Diagnosis found = diagnose(*message);
    QVERIFY(!found.live || found.live->value >= base::Bytes{});
    for (const doctor::Remedy& remedy : found.remedies)
        QVERIFY(!note.startsWith(QStringLiteral("The message contradicts itself"))
                || remedy.enough == doctor::Enough::NotKnown);
    QStringList notes;
    for (const std::string& one : found.notes)
        notes << QString::fromStdString(one);
    if (note.isEmpty())
        QCOMPARE(notes, QStringList{});
    else
        QVERIFY2(notes.contains(note), qPrintable(notes.join(u'\n')));
}

} // namespace

PLIMSOLL_TEST(MessageNotesTest, QCoreApplication)
#include "message_notes_test.moc"
