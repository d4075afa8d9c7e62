// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/doctor/diagnosis.h"

#include <cstddef>
#include <string>

namespace plimsoll::cli {

/// The keys of profiler.md 3, null where something isn't known. `trace` and `device`: null for a
/// message.
[[nodiscard]] ordered_json diagnosisJson(const doctor::Diagnosis& diagnosis,
                                         const memtrace::MemoryTrace* trace,
                                         const memtrace::DeviceTrace* device);

/// For people; at most so many `frames`.
[[nodiscard]] std::string diagnosisText(const doctor::Diagnosis& diagnosis,
                                        const memtrace::DeviceTrace* device, std::size_t frames);

} // namespace plimsoll::cli
