// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/inject/buffer_pool.h"
#include "app/inject/cupti_table.h"
#include "app/inject/record_sink.h"

#include <cstdint>

namespace plimsoll::inject {

/// Turns the records of a buffer of CUPTI's into those of the file. No field is read that CUPTI 12
/// doesn't have: later versions only append to their structs. False if the buffer ends within a
/// record.
[[nodiscard]] bool drain(const CuptiTable& cupti, const BufferPool::Filled& buffer,
                         RecordSink& sink);

/// The number of records in a buffer.
[[nodiscard]] std::uint64_t countRecords(const CuptiTable& cupti, const BufferPool::Filled& buffer);

} // namespace plimsoll::inject
