// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/doctor/diagnosis.h"

namespace plimsoll::doctor {

/// At the last allocation of a device that failed, else at its peak. Cancelled: it was stopped.
[[nodiscard]] base::Result<Diagnosis> diagnose(const memtrace::MemoryTrace& trace,
                                               const memtrace::DeviceTrace& device,
                                               const base::JobContext& context = {});

/// Of what PyTorch says, without a recording.
[[nodiscard]] Diagnosis diagnose(const ErrorMessage& told);

} // namespace plimsoll::doctor
