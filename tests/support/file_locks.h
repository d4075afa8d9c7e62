// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::tests {

/// Whether this process holds a lock on the file. The system drops all of them if any descriptor of
/// the file is closed in this process.
[[nodiscard]] inline bool holdsLocks(const std::string& path)
{
    // A process doesn't see its own locks.
    const pid_t child = fork();
    if (child == 0) {
        struct flock lock = {};
        lock.l_type = F_WRLCK;
        const int file = ::open(path.c_str(), O_RDWR);
        _exit(fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 1;
}

} // namespace plimsoll::tests
