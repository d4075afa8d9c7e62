// SPDX-License-Identifier: Apache-2.0
#include "ui/diagnosis/diagnosis_texts.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <QObject>
#include <QStringList>

namespace plimsoll::ui {

namespace {

using doctor::Diagnosis;
using doctor::ToldBytes;

QString toldText(const ToldBytes& bytes)
{
    const QString text = bytesText(bytes.value);
    return bytes.error.count() > 0 ? QObject::tr("about %1").arg(text) : text;
}

QString idleText(const doctor::IdleMemory& idle)
{
    return idle.known == doctor::IdleKnown::Layout
               ? QObject::tr("%1 in %2 blocks, estimated from addresses")
                     .arg(bytesText(idle.largest), countText(idle.blocks))
               : QObject::tr("%1 of %2 blocks")
                     .arg(bytesText(idle.largest), countText(idle.blocks));
}

QString savingText(doctor::Enough enough)
{
    switch (enough) {
    case doctor::Enough::Allocation: return QObject::tr("Saves %1, enough for this allocation");
    case doctor::Enough::Step: return QObject::tr("Saves %1, enough for the whole step");
    case doctor::Enough::NotKnown: break;
    }
    return QObject::tr("Saves %1");
}

QString sentence(const std::string& text)
{
    QString sentence = fileText(text);
    if (!sentence.isEmpty())
        sentence[0] = sentence[0].toUpper();
    return sentence.endsWith(u'.') ? sentence : sentence + u'.';
}

} // namespace

QString headlineOf(const Diagnosis& diagnosis, const QString& when)
{
    if (!diagnosis.isFailure)
        return QObject::tr("No allocation failed. This is the peak, at %1.").arg(when);
    const QString asked =
        diagnosis.asked ? toldText(*diagnosis.asked) : QObject::tr("an unknown size");
    return when.isEmpty() ? QObject::tr("An allocation of %1 failed.").arg(asked)
                          : QObject::tr("An allocation of %1 failed at %2.").arg(asked, when);
}

std::vector<std::pair<QString, QString>> factsOf(const Diagnosis& diagnosis)
{
    std::vector<std::pair<QString, QString>> facts;
    const auto add = [&](const QString& title, const std::optional<ToldBytes>& bytes) {
        if (bytes)
            facts.emplace_back(title, toldText(*bytes));
    };
    add(QObject::tr("Asked for"), diagnosis.asked);
    add(QObject::tr("Free"), diagnosis.free);
    if (diagnosis.message)
        add(QObject::tr("Allowed"), diagnosis.message->allowed);
    add(QObject::tr("Missing"), diagnosis.missing);
    add(QObject::tr("Capacity"), diagnosis.capacity);
    add(QObject::tr("Reserved"), diagnosis.reserved);
    add(QObject::tr("Live"), diagnosis.live);
    add(QObject::tr("Rounding"), diagnosis.beyond);
    add(QObject::tr("Idle"), diagnosis.idle);
    const auto addSome = [&](const QString& title, const std::optional<ToldBytes>& bytes) {
        if (bytes && bytes->value.count() > 0)
            add(title, bytes);
    };
    addSome(QObject::tr("Outside PyTorch"), diagnosis.foreign);
    addSome(QObject::tr("Other processes"), diagnosis.otherProcesses);
    addSome(QObject::tr("Outside PyTorch"), diagnosis.outside);
    if (diagnosis.idleBlocks) {
        facts.emplace_back(QObject::tr("Largest idle"), idleText(*diagnosis.idleBlocks));
        if (diagnosis.asked && diagnosis.idleBlocks->tooSmallBlocks > 0)
            facts.emplace_back(QObject::tr("Fragmented"),
                               QObject::tr("%1 in blocks too small for it")
                                   .arg(bytesText(diagnosis.idleBlocks->tooSmall)));
    }
    return facts;
}

QString savingOf(const doctor::Remedy& remedy)
{
    if (remedy.saves)
        return savingText(remedy.enough).arg(bytesText(*remedy.saves, Rounding::Down));
    return remedy.atMost ? QObject::tr("Saves %1 at most").arg(bytesText(*remedy.atMost))
                         : QString{};
}

QString knownText(doctor::HowKnown known)
{
    switch (known) {
    case doctor::HowKnown::Replay: return QObject::tr("exact replay");
    case doctor::HowKnown::Plan: return QObject::tr("verified plan");
    case doctor::HowKnown::Live: return QObject::tr("counted");
    case doctor::HowKnown::Estimate: break;
    }
    return QObject::tr("estimate");
}

QString replayText(const doctor::SettingsReplay& replay)
{
    if (!replay.refusal.empty())
        return QObject::tr("Other settings of the allocator were not tried: %1")
            .arg(fileText(replay.refusal));
    if (replay.isExact())
        return QObject::tr("Replayed with the recorded settings, the allocator reserves what the "
                           "recording says after each event: figures for other settings are "
                           "exact.");
    QStringList doubts;
    for (const std::string& doubt : replay.doubts)
        doubts << sentence(doubt);
    return QObject::tr("Figures for other settings of the allocator are estimates. %1")
        .arg(doubts.join(u' '));
}

} // namespace plimsoll::ui
