// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/io/file_descriptor.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace plimsoll::io {

/// The path as shown in messages: one line, bounded length, "" (with quotes) if it is empty.
[[nodiscard]] std::string pathText(const std::filesystem::path& path);

/// The system's message for an errno.
[[nodiscard]] std::string systemText(int error);

/// An opened regular file, read from front to back.
class Input
{
public:
    /// Folders, devices, pipes and empty files are errors of kind File; never blocks on a pipe.
    [[nodiscard]] static base::Result<Input> open(const std::filesystem::path& path);

    [[nodiscard]] const std::string& name() const { return m_name; } ///< as shown in messages
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    [[nodiscard]] int descriptor() const { return m_descriptor.get(); }
    /// Bytes handed out so far.
    [[nodiscard]] std::uint64_t position() const { return m_position; }
    /// Reads at most `room` bytes; 0 at the end of the file.
    [[nodiscard]] base::Result<std::size_t> read(char* into, std::size_t room);

private:
    Input(FileDescriptor descriptor, std::string name, std::uint64_t size);

    FileDescriptor m_descriptor;
    std::string m_name;
    std::uint64_t m_size;
    std::uint64_t m_position = 0;
};

} // namespace plimsoll::io
