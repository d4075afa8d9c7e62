// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/doctor/diagnosis.h"
#include "core/memtrace/analysis/classify.h"

#include <vector>

namespace plimsoll::doctor {

/// Sufficient ones first, then those that save most; then those of which a bound is known, and
/// those without a figure.
void sortRemedies(std::vector<Remedy>& remedies);
/// Adds what a graph of the step told. What is known of plans takes the place of the advice to make
/// one.
void addPlanned(std::vector<Remedy>& remedies, Remedy planned);

/// The id of the advice to recompute activations.
inline constexpr const char* kCheckpointing = "checkpointing";

/// Adds a remedy whose savings are off by at most `error`, and says whether they are enough for the
/// allocation that failed.
void add(Diagnosis& diagnosis, Remedy remedy, base::Bytes error = {});

/// The best value of each of the allocator's options, where one helps.
void addSettings(Diagnosis& diagnosis);
/// What the classes of live allocations suggest.
void addClasses(Diagnosis& diagnosis, const memtrace::DeviceTrace& device,
                const memtrace::Classes& classes);
/// Idle memory, of a recording.
void addIdle(Diagnosis& diagnosis);
/// Of a recording of the driver's memory: to record PyTorch's, too.
void addSnapshot(Diagnosis& diagnosis);

} // namespace plimsoll::doctor
