// SPDX-License-Identifier: Apache-2.0
#include "core/io/input.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace plimsoll::io {

using base::ErrorKind;
using base::failure;
using base::Result;

std::string pathText(const std::filesystem::path& path)
{
    constexpr std::size_t kPathLimit = 300;
    return path.empty() ? "\"\"" : base::printable(path.native(), kPathLimit);
}

std::string systemText(int error)
{
    return std::generic_category().message(error);
}

Input::Input(FileDescriptor descriptor, std::string name, std::uint64_t size)
    : m_descriptor{std::move(descriptor)}, m_name{std::move(name)}, m_size{size}
{
}

Result<Input> Input::open(const std::filesystem::path& path)
{
    const std::string name = pathText(path);
    // Non-blocking: opening a pipe that nobody writes to must not hang.
    FileDescriptor descriptor{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!descriptor.isOpen()) {
        const int error = errno;
        if (error == ENOENT)
            return failure(ErrorKind::File,
                           fmt::format("{} does not exist; check the path.", name));
        return failure(ErrorKind::File,
                       fmt::format("{} can't be opened ({}).", name, systemText(error)));
    }
    struct stat status = {};
    if (::fstat(descriptor.get(), &status) != 0)
        return failure(ErrorKind::File,
                       fmt::format("{} can't be read ({}).", name, systemText(errno)));
    if (S_ISDIR(status.st_mode))
        return failure(ErrorKind::File,
                       fmt::format("{} is a folder; name a file inside it.", name));
    if (!S_ISREG(status.st_mode))
        return failure(ErrorKind::File,
                       fmt::format("{} is not a regular file; copy its content to one.", name));
    if (status.st_size == 0)
        return failure(ErrorKind::File,
                       fmt::format("{} is empty (0 bytes); write or copy it again.", name));
    return Input{std::move(descriptor), name, static_cast<std::uint64_t>(status.st_size)};
}

Result<std::size_t> Input::read(char* into, std::size_t room)
{
    while (true) {
        const ssize_t count = ::read(m_descriptor.get(), into, room);
        if (count >= 0) {
            m_position += static_cast<std::uint64_t>(count);
            return static_cast<std::size_t>(count);
        }
        if (errno != EINTR)
            return failure(ErrorKind::File, fmt::format("{} can't be read at byte {} ({}).", m_name,
                                                        m_position, systemText(errno)));
    }
}

} // namespace plimsoll::io
