// SPDX-License-Identifier: Apache-2.0
#include "ui/diagnosis/diagnosis_texts.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/profile_tables/live_group_model.h"

#include <QObject>
#include <QStringList>

#include <algorithm>

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

QString gainText(const doctor::Remedy& remedy, const QString& bytes)
{
    return (remedy.givesMore ? QObject::tr("%1 more") : QObject::tr("Saves %1")).arg(bytes);
}

QString enoughText(doctor::Enough enough)
{
    switch (enough) {
    case doctor::Enough::Allocation: return QObject::tr(", enough for this allocation");
    case doctor::Enough::Step: return QObject::tr(", enough for the whole step");
    case doctor::Enough::NotKnown: break;
    }
    return {};
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

TitledValues factsOf(const Diagnosis& diagnosis)
{
    TitledValues facts;
    const auto add = [&](const QString& title, const std::optional<ToldBytes>& bytes) {
        if (bytes)
            facts.emplace_back(title, toldText(*bytes));
    };
    add(QObject::tr("Asked for"), diagnosis.asked);
    add(QObject::tr("Free"), diagnosis.free);
    if (diagnosis.message)
        add(QObject::tr("Allowed"), diagnosis.message->allowed);
    if (diagnosis.missing)
        facts.emplace_back(QObject::tr("Missing"),
                           diagnosis.replay ? QObject::tr("%1 for its segment, which is rounded up")
                                                  .arg(toldText(*diagnosis.missing))
                                            : toldText(*diagnosis.missing));
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
            facts.emplace_back(QObject::tr("Too small for it"),
                               QObject::tr("%1 in %2 blocks")
                                   .arg(bytesText(diagnosis.idleBlocks->tooSmall),
                                        countText(diagnosis.idleBlocks->tooSmallBlocks)));
    }
    return facts;
}

TitledValues liveRowsOf(const memtrace::LiveGroups& live, memtrace::LiveBy by)
{
    constexpr std::size_t kMost = 7; // all classes
    TitledValues rows;
    // A row for one other group would take the place of that group.
    const std::size_t count = live.groups.size() <= kMost + 1 ? live.groups.size() : kMost;
    for (std::size_t i = 0; i < count; ++i) {
        const memtrace::LiveGroup& group = live.groups[i];
        rows.emplace_back(groupText(group.name, by),
                          group.blocks == 1
                              ? QObject::tr("%1 in 1 block").arg(bytesText(group.bytes))
                              : QObject::tr("%1 in %2 blocks")
                                    .arg(bytesText(group.bytes), countText(group.blocks)));
    }
    if (count == live.groups.size())
        return rows;
    base::Bytes rest;
    for (std::size_t i = count; i < live.groups.size(); ++i)
        rest += live.groups[i].bytes;
    rows.emplace_back(QObject::tr("%1 others").arg(countText(live.groups.size() - count)),
                      bytesText(rest));
    return rows;
}

TitledValues settingsRowsOf(const doctor::SettingsReplay& replay)
{
    TitledValues rows;
    if (!replay.refusal.empty())
        return rows;
    QString recorded =
        replay.isExact() ? QObject::tr("As recorded") : QObject::tr("With the recorded settings");
    if (!replay.recorded.text.empty())
        recorded += QStringLiteral(": ") + fileText(replay.recorded.text);
    rows.emplace_back(recorded, replay.limit && replay.needed > *replay.limit
                                    ? QObject::tr("%1; %2 could be had")
                                          .arg(bytesText(replay.needed), bytesText(*replay.limit))
                                    : bytesText(replay.needed));
    for (const doctor::SettingsRun& run : replay.runs)
        rows.emplace_back(fileText(run.option),
                          run.failedAt ? QObject::tr("fails, too") : bytesText(run.reserved));
    return rows;
}

QString savingOf(const Diagnosis& diagnosis, const doctor::Remedy& remedy)
{
    if (remedy.saves)
        return gainText(remedy, bytesText(*remedy.saves, savingRounding(diagnosis, remedy)))
               + enoughText(remedy.enough);
    return remedy.atMost
               ? QObject::tr("%1 at most").arg(gainText(remedy, bytesText(*remedy.atMost)))
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
