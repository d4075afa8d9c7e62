// SPDX-License-Identifier: Apache-2.0
#include "app/inject/chunk_file.h"

#include "app/inject/settings.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace plimsoll::inject {

namespace {

constexpr int kMostNames = 100;

bool isSpecial(const std::string& path)
{
    struct stat facts = {};
    return ::stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

} // namespace

int ChunkFile::open(const Settings& settings)
{
    constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;
    constexpr mode_t kMode = 0666;
    for (int attempt = 0; attempt < kMostNames; ++attempt) {
        m_path = fileName(settings, ::getpid(), attempt);
        const int unique = isSpecial(m_path) ? 0 : O_EXCL;
        m_descriptor = ::open(m_path.c_str(), kFlags | unique, kMode);
        if (m_descriptor >= 0)
            return 0;
        if (errno != EEXIST)
            return errno;
    }
    return EEXIST;
}

int ChunkFile::append(std::span<const std::byte> bytes)
{
    std::span<const std::byte> left = bytes;
    while (!left.empty()) {
        const ssize_t count = ::write(m_descriptor, left.data(), left.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            const int error = count < 0 ? errno : ENOSPC;
            if (left.size() < bytes.size())
                (void)!::ftruncate(m_descriptor, static_cast<off_t>(m_size));
            return error;
        }
        left = left.subspan(static_cast<std::size_t>(count));
    }
    m_size += bytes.size();
    return 0;
}

void ChunkFile::close()
{
    if (m_descriptor >= 0)
        (void)::close(std::exchange(m_descriptor, -1));
}

} // namespace plimsoll::inject
