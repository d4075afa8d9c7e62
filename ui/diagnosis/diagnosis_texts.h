// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/doctor/diagnosis.h"

#include <QString>

#include <utility>
#include <vector>

namespace plimsoll::ui {

/// What happened, in one sentence; `when`: "2.21 s", empty for a message.
[[nodiscard]] QString headlineOf(const doctor::Diagnosis& diagnosis, const QString& when);
/// What is known of the moment: titles and values.
[[nodiscard]] std::vector<std::pair<QString, QString>> factsOf(const doctor::Diagnosis& diagnosis);
/// "Saves 128.0 MiB, enough for this allocation"; empty: no figure is known.
[[nodiscard]] QString savingOf(const doctor::Remedy& remedy);
/// "Exact replay", "Estimate", …
[[nodiscard]] QString knownText(doctor::HowKnown known);
/// Whether the replay of other settings is exact, and if not, why.
[[nodiscard]] QString replayText(const doctor::SettingsReplay& replay);

} // namespace plimsoll::ui
