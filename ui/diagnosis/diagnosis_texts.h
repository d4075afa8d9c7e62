// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/doctor/diagnosis.h"

#include <QString>

#include <utility>
#include <vector>

namespace plimsoll::ui {

/// Rows of a table: titles and values.
using TitledValues = std::vector<std::pair<QString, QString>>;

/// What happened, in one sentence; `when`: "2.21 s", empty for a message.
[[nodiscard]] QString headlineOf(const doctor::Diagnosis& diagnosis, const QString& when);
/// What is known of the moment.
[[nodiscard]] TitledValues factsOf(const doctor::Diagnosis& diagnosis);
/// Who holds what is live: the largest groups, and how many there are beside them.
[[nodiscard]] TitledValues liveRowsOf(const memtrace::LiveGroups& live, memtrace::LiveBy by);
/// What would have been reserved with each setting of the allocator; none if nothing was replayed.
[[nodiscard]] TitledValues settingsRowsOf(const doctor::SettingsReplay& replay);
/// "Saves 128.0 MiB, enough for this allocation"; empty: no figure is known.
[[nodiscard]] QString savingOf(const doctor::Diagnosis& diagnosis, const doctor::Remedy& remedy);
/// "Exact replay", "Estimate", …
[[nodiscard]] QString knownText(doctor::HowKnown known);
/// Whether the replay of other settings is exact, and if not, why.
[[nodiscard]] QString replayText(const doctor::SettingsReplay& replay);

} // namespace plimsoll::ui
