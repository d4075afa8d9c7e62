// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace plimsoll::inject {

struct Settings;

/// The file that a recording goes to: opened once, appended to by one thread. Writes block no
/// signal themselves: that thread has all of them blocked, so that a limit on file sizes is an
/// error here (EFBIG) and no signal for the program.
class ChunkFile
{
public:
    ChunkFile() = default;
    ~ChunkFile() = default; ///< the process's end closes the file
    ChunkFile(const ChunkFile&) = delete;
    ChunkFile& operator=(const ChunkFile&) = delete;
    ChunkFile(ChunkFile&&) = delete;
    ChunkFile& operator=(ChunkFile&&) = delete;

    /// Makes a new file; 0 or errno.
    [[nodiscard]] int open(const Settings& settings);
    /// All or nothing: what was written of bytes that don't fit is cut off. 0 or errno.
    [[nodiscard]] int append(std::span<const std::byte> bytes);
    /// Async-signal-safe, for a child after fork().
    void close();

    [[nodiscard]] const std::string& path() const { return m_path; }
    [[nodiscard]] std::uint64_t size() const { return m_size; }

private:
    std::string m_path;
    int m_descriptor = -1;
    std::uint64_t m_size = 0;
};

} // namespace plimsoll::inject
