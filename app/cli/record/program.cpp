// SPDX-License-Identifier: Apache-2.0
#include "app/cli/record/program.h"

#include "core/base/format.h"
#include "core/io/file_descriptor.h"
#include "core/io/input.h"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace plimsoll::cli {

namespace {

constexpr int kNotFound = 127;
constexpr int kNotExecutable = 126;
constexpr int kSignalBase = 128;

std::atomic<pid_t> running{0};
static_assert(std::atomic<pid_t>::is_always_lock_free);

extern "C" void passOn(int signal)
{
    if (const pid_t program = running.load(); program > 0)
        ::kill(program, signal);
}

/// The handlers of this process while the program runs.
class Handlers
{
public:
    Handlers()
    {
        set(SIGINT, SIG_IGN);
        set(SIGQUIT, SIG_IGN);
        set(SIGTERM, passOn);
        set(SIGHUP, passOn);
        set(SIGCHLD, SIG_DFL); // ignored, there would be nothing to wait for
    }
    ~Handlers() { restore(); }
    Handlers(const Handlers&) = delete;
    Handlers& operator=(const Handlers&) = delete;
    Handlers(Handlers&&) = delete;
    Handlers& operator=(Handlers&&) = delete;

    /// In the child, too: what it finds is what this program found.
    void restore()
    {
        for (std::size_t i = 0; i < m_count; ++i)
            (void)sigaction(m_before.at(i).signal, &m_before.at(i).action, nullptr);
    }

private:
    struct Before
    {
        int signal = 0;
        struct sigaction action = {};
    };

    void set(int signal, void (*handler)(int))
    {
        struct sigaction action = {};
        action.sa_handler = handler;
        action.sa_flags = SA_RESTART;
        Before& before = m_before.at(m_count++);
        before.signal = signal;
        (void)sigaction(signal, &action, &before.action);
        // A signal that this program was told to ignore stays ignored, as by nohup.
        if (before.action.sa_handler == SIG_IGN)
            (void)sigaction(signal, &before.action, nullptr);
    }

    std::array<Before, 5> m_before{};
    std::size_t m_count = 0;
};

/// Replaces the child by the program; returns errno if that fails.
int execute(const std::vector<std::string>& command,
            const std::vector<capture::Variable>& variables)
{
    // This process has one thread. NOLINTBEGIN(concurrency-mt-unsafe)
    for (const capture::Variable& variable : variables)
        if (::setenv(variable.name.c_str(), variable.value.c_str(), 1) != 0)
            return errno;
    const std::string pid = std::to_string(::getpid());
    if (::setenv("PLIMSOLL_CAPTURE_PID", pid.c_str(), 1) != 0)
        return errno;
    // NOLINTEND(concurrency-mt-unsafe)
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (const std::string& argument : command)
        arguments.push_back(const_cast<char*>(argument.c_str()));
    arguments.push_back(nullptr);
    ::execvp(arguments.front(), arguments.data());
    return errno;
}

ProgramEnd endOf(int status)
{
    if (WIFSIGNALED(status))
        return {.exit = kSignalBase + WTERMSIG(status), .signal = WTERMSIG(status), .failure = {}};
    return {.exit = WEXITSTATUS(status), .failure = {}};
}

ProgramEnd notStarted(const std::string& program, int error)
{
    return {.exit = error == ENOENT ? kNotFound : kNotExecutable,
            .failure = fmt::format("{} can't be started ({}): check its name and its permissions.",
                                   base::printable(program), io::systemText(error))};
}

} // namespace

base::Result<ProgramEnd> runProgram(const std::vector<std::string>& command,
                                    const std::vector<capture::Variable>& variables)
{
    const auto failed = [](const char* what) {
        return base::failure(base::ErrorKind::File,
                             fmt::format("No process can be {} ({}): end other programs first.",
                                         what, io::systemText(errno)));
    };
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return failed("started");
    io::FileDescriptor told{ends[0]};
    io::FileDescriptor tells{ends[1]};
    Handlers handlers;
    const pid_t child = ::fork();
    if (child < 0)
        return failed("started");
    if (child == 0) {
        handlers.restore();
        const int error = execute(command, variables);
        (void)!::write(tells.get(), &error, sizeof(error));
        ::_exit(kNotFound);
    }
    running = child;
    (void)tells.close();
    int error = 0;
    const ssize_t count = ::read(told.get(), &error, sizeof(error)); // ends when it is executed
    int status = 0;
    while (::waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return failed("waited for");
    running = 0;
    return count == static_cast<ssize_t>(sizeof(error)) ? notStarted(command.front(), error)
                                                        : endOf(status);
}

} // namespace plimsoll::cli
