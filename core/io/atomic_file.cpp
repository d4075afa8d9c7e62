// SPDX-License-Identifier: Apache-2.0
#include "core/io/atomic_file.h"

#include "core/base/try.h"
#include "core/io/byte_source.h"
#include "core/io/file_descriptor.h"

#include <fmt/format.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace plimsoll::io {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;

constexpr mode_t kNewFileMode = 0666; ///< less the umask
constexpr mode_t kAllModes = 07777;

/// Removes the temporary file unless it has been renamed.
class TemporaryFile
{
public:
    explicit TemporaryFile(const std::filesystem::path& target)
        : m_path{temporaryName(target)}
        , m_descriptor{::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                              kNewFileMode)}
        , m_exists{m_descriptor.isOpen()}
    {
    }
    ~TemporaryFile()
    {
        if (m_exists)
            ::unlink(m_path.c_str());
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    TemporaryFile(TemporaryFile&&) = delete;
    TemporaryFile& operator=(TemporaryFile&&) = delete;

    [[nodiscard]] bool isOpen() const { return m_descriptor.isOpen(); }

    [[nodiscard]] bool write(std::string_view bytes) const
    {
        while (!bytes.empty()) {
            const ssize_t count = ::write(m_descriptor.get(), bytes.data(), bytes.size());
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return false;
            bytes.remove_prefix(static_cast<std::size_t>(count));
        }
        return true;
    }

    [[nodiscard]] bool setMode(mode_t mode) const
    {
        return ::fchmod(m_descriptor.get(), mode) == 0;
    }

    /// Syncs the file to disk, then renames it.
    [[nodiscard]] bool becomes(const std::filesystem::path& target)
    {
        if (::fsync(m_descriptor.get()) != 0 || !m_descriptor.close()
            || ::rename(m_path.c_str(), target.c_str()) != 0)
            return false;
        m_exists = false;
        return true;
    }

private:
    std::filesystem::path m_path;
    FileDescriptor m_descriptor;
    bool m_exists = false;
};

/// A replaced file keeps its permissions; a new one gets the system's default.
bool keepMode(const std::filesystem::path& target, const TemporaryFile& temporary)
{
    struct stat status = {};
    if (::stat(target.c_str(), &status) != 0)
        return true;
    return temporary.setMode(status.st_mode & kAllModes);
}

/// The file at the end of a chain of links, whether it exists or not, since links are never
/// replaced. Nullopt if the chain is circular.
std::optional<std::filesystem::path> behindLinks(std::filesystem::path path)
{
    constexpr int kMostLinks = 40; // the system's limit
    std::error_code error;
    for (int links = 0; std::filesystem::is_symlink(path, error); ++links) {
        const std::filesystem::path next = std::filesystem::read_symlink(path, error);
        if (error || links == kMostLinks)
            return std::nullopt;
        path = path.parent_path() / next; // an absolute path replaces it
    }
    return path;
}

/// Makes the rename survive a crash. Not an error on file systems that can't sync a folder.
void syncFolder(const std::filesystem::path& target)
{
    const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
    const FileDescriptor descriptor{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (descriptor.isOpen())
        (void)::fsync(descriptor.get());
}

} // namespace

std::filesystem::path temporaryName(const std::filesystem::path& target)
{
    static std::atomic<unsigned> counter{0};
    return fmt::format("{}.{}-{}.tmp", target.native(), ::getpid(), counter++);
}

Result<void> writeAtomically(const std::filesystem::path& path, std::string_view bytes)
{
    return writeInParts(path, [bytes](const Put& put) {
        static_cast<void>(put(bytes));
        return Result<void>{};
    });
}

Result<void> writeInParts(const std::filesystem::path& path,
                          const std::function<Result<void>(const Put& put)>& produce)
{
    const auto fails = [&path](int error) {
        return failure(ErrorKind::File,
                       fmt::format("{} can't be written ({}); what was there before is unchanged.",
                                   pathText(path), std::generic_category().message(error)));
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
        return fails(EISDIR);
    const std::optional<std::filesystem::path> resolved = behindLinks(path);
    if (!resolved)
        return fails(ELOOP);
    const std::filesystem::path& target = *resolved;
    if (std::filesystem::exists(target, ignored)
        && !std::filesystem::is_regular_file(target, ignored))
        return failure(ErrorKind::File,
                       fmt::format("{} is not a regular file; choose another file to write to.",
                                   pathText(path)));

    TemporaryFile temporary{target};
    if (!temporary.isOpen())
        return fails(errno);
    int writeError = 0;
    const Put put = [&](std::string_view part) {
        if (writeError == 0 && !temporary.write(part))
            writeError = errno;
        return writeError == 0;
    };
    RETURN_IF_ERROR(produce(put));
    if (writeError != 0)
        return fails(writeError);
    if (!keepMode(target, temporary))
        return fails(errno);
    if (!temporary.becomes(target))
        return fails(errno);
    syncFolder(target);
    return {};
}

} // namespace plimsoll::io
