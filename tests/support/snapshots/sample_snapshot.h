// SPDX-License-Identifier: Apache-2.0
// A small PyTorch snapshot with all that the reader knows, of which tests change something.
#pragma once

#include "core/readers/torch_snapshot/reader.h"

#include "tests/support/snapshots/pickle_writer.h"

#include <string>
#include <string_view>

namespace plimsoll::tests {

[[nodiscard]] PyValue sampleFrames(int line);
/// {"action", "addr", "size", "stream", "time_us", "frames"}
[[nodiscard]] PyValue sampleEvent(std::string_view action, std::int64_t address, std::int64_t size,
                                  int time);
[[nodiscard]] PyValue sampleBlock(std::int64_t address, std::int64_t size, std::int64_t requested,
                                  const char* state);
[[nodiscard]] PyValue sampleSegment(std::int64_t address, std::int64_t size, PyItems blocks);
[[nodiscard]] PyValue sampleSnapshot();

/// Reads a pickle in parts of so many bytes, as if it were the file "net.pickle".
[[nodiscard]] base::Result<readers::ReadProfile> readPickle(std::string_view bytes,
                                                            std::size_t part = 1U << 20U);

/// All of a trace as readable text.
[[nodiscard]] std::string dumpTrace(const memtrace::MemoryTrace& trace);

} // namespace plimsoll::tests
