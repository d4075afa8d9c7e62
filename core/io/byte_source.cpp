// SPDX-License-Identifier: Apache-2.0
#include "core/io/byte_source.h"

#include "core/base/format.h"
#include "core/io/file_descriptor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <limits>
#include <new>
#include <optional>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zlib.h>

namespace plimsoll::io {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;

constexpr std::size_t kChunk = std::size_t{256} << 10U;
constexpr std::size_t kPathLimit = 300;
/// Window bits of zlib plus 16: gzip framing, checksum included.
constexpr int kGzipWindow = 15 + 16;

std::string systemText(int error)
{
    return std::generic_category().message(error);
}

/// An opened regular file, read from front to back.
class Input
{
public:
    [[nodiscard]] static Result<Input> open(const std::filesystem::path& path)
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

    [[nodiscard]] const std::string& name() const { return m_name; }
    [[nodiscard]] std::uint64_t size() const { return m_size; }
    /// Bytes handed out so far.
    [[nodiscard]] std::uint64_t position() const { return m_position; }

    /// Reads at most `room` bytes; 0 at the end of the file.
    [[nodiscard]] Result<std::size_t> read(char* into, std::size_t room)
    {
        while (true) {
            const ssize_t count = ::read(m_descriptor.get(), into, room);
            if (count >= 0) {
                m_position += static_cast<std::uint64_t>(count);
                return static_cast<std::size_t>(count);
            }
            if (errno != EINTR)
                return failure(ErrorKind::File, fmt::format("{} can't be read at byte {} ({}).",
                                                            m_name, m_position, systemText(errno)));
        }
    }

private:
    Input(FileDescriptor descriptor, std::string name, std::uint64_t size)
        : m_descriptor{std::move(descriptor)}, m_name{std::move(name)}, m_size{size}
    {
    }

    FileDescriptor m_descriptor;
    std::string m_name;
    std::uint64_t m_size;
    std::uint64_t m_position = 0;
};

tl::unexpected<base::Error> tooLarge(const std::string& name, std::uint64_t limit)
{
    return failure(ErrorKind::File,
                   fmt::format("{} holds more than {} B, the most that is read from one file; "
                               "trace a shorter step.",
                               name, limit));
}

/// Collects content under the limits; grows geometrically and keeps kPadding bytes spare.
class Collector
{
public:
    Collector(std::string name, const ReadLimits& limits)
        : m_name{std::move(name)}, m_limits{limits}
    {
    }

    /// `consumed`: bytes of the file that the content so far came from, for the guard against
    /// bombs.
    [[nodiscard]] Result<void> append(std::string_view part, std::uint64_t consumed,
                                      bool compressed)
    {
        const std::uint64_t size = m_bytes.size() + part.size();
        if (size > m_limits.bytes)
            return tooLarge(m_name, m_limits.bytes);
        if (compressed && size > m_limits.freeBytes && size / m_limits.ratio > consumed)
            return failure(ErrorKind::File,
                           fmt::format("{} is refused: up to byte {} it unpacks to more than {} "
                                       "times its size, which no graph does.",
                                       m_name, consumed, m_limits.ratio));
        m_bytes.append(part);
        return {};
    }

    void reserve(std::uint64_t size)
    {
        m_bytes.reserve(static_cast<std::size_t>(std::min(size, m_limits.bytes)) + kPadding);
    }

    [[nodiscard]] std::string take()
    {
        const std::size_t size = m_bytes.size();
        m_bytes.append(kPadding, '\0');
        m_bytes.resize(size);
        return std::move(m_bytes);
    }

private:
    std::string m_name;
    ReadLimits m_limits;
    std::string m_bytes;
};

/// Owns zlib's state.
class Inflater
{
public:
    Inflater() : m_ready{inflateInit2(&m_stream, kGzipWindow) == Z_OK} {}
    ~Inflater()
    {
        if (m_ready)
            inflateEnd(&m_stream);
    }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
    Inflater(Inflater&&) = delete;
    Inflater& operator=(Inflater&&) = delete;

    [[nodiscard]] bool isReady() const { return m_ready; }
    void feed(std::string_view in)
    {
        // zlib's interface is not const correct; it does not write here.
        m_stream.next_in =
            reinterpret_cast<Bytef*>(const_cast<char*>(in.data())); // NOLINT(*-const-cast)
        m_stream.avail_in = static_cast<uInt>(in.size());
    }
    [[nodiscard]] std::size_t unread() const { return m_stream.avail_in; }
    /// Status of zlib; `produced` becomes the number of bytes written into `out`.
    int run(std::vector<char>& out, std::size_t& produced)
    {
        m_stream.next_out = reinterpret_cast<Bytef*>(out.data());
        m_stream.avail_out = static_cast<uInt>(out.size());
        const int status = inflate(&m_stream, Z_NO_FLUSH);
        produced = out.size() - m_stream.avail_out;
        return status;
    }
    void restart() { inflateReset(&m_stream); }

private:
    z_stream m_stream = {};
    bool m_ready = false;
};

/// One pass over a gzip file: members one after another until the file ends.
class GzipRead
{
public:
    GzipRead(Input& input, Collector& collector, const base::JobContext& context,
             std::size_t enough)
        : m_input{input}, m_collector{collector}, m_context{context}, m_enough{enough}
    {
    }

    /// `head`: bytes already read from the input.
    [[nodiscard]] Result<void> run(std::string_view head)
    {
        if (!m_inflater.isReady())
            return failure(ErrorKind::Internal, "zlib could not be started.");
        m_inflater.feed(head);
        while (m_done < m_enough) {
            if (m_context.stopRequested())
                return base::cancelled();
            if (m_inflater.unread() == 0) {
                const Result<std::size_t> count = m_input.read(m_in.data(), m_in.size());
                if (!count)
                    return tl::unexpected(count.error());
                if (*count == 0)
                    return m_betweenMembers ? Result<void>{} : endsEarly();
                m_inflater.feed({m_in.data(), *count});
            }
            if (auto result = step(); !result)
                return result;
        }
        return {};
    }

private:
    [[nodiscard]] std::uint64_t consumed() const
    {
        return m_input.position() - m_inflater.unread();
    }

    [[nodiscard]] Result<void> endsEarly() const
    {
        if (isBehindTheData())
            return hasTrailingBytes();
        return failure(
            ErrorKind::File,
            fmt::format("{} ends at byte {} in the middle of its compressed data: it was "
                        "cut off, copy or trace it again.",
                        m_input.name(), m_input.size()));
    }

    /// Behind a whole member, where nothing that was decompressed has come since.
    [[nodiscard]] bool isBehindTheData() const { return m_memberEnd > 0 && m_ofMember == 0; }

    [[nodiscard]] Result<void> hasTrailingBytes() const
    {
        return failure(ErrorKind::File,
                       fmt::format("{} has bytes that are not gzip data behind the end of its "
                                   "compressed data, at byte {} of the compressed file; remove "
                                   "them, or copy or trace it again.",
                                   m_input.name(), m_memberEnd));
    }

    [[nodiscard]] Result<void> step()
    {
        std::size_t produced = 0;
        m_betweenMembers = false;
        const int status = m_inflater.run(m_out, produced);
        if (auto result = m_collector.append({m_out.data(), produced}, consumed(), true); !result)
            return result;
        m_done += produced;
        m_ofMember += produced;
        m_context.report(static_cast<std::size_t>(consumed()),
                         static_cast<std::size_t>(m_input.size()) * 2);
        if (status == Z_STREAM_END) {
            m_inflater.restart();
            m_betweenMembers = true;
            m_memberEnd = consumed();
            m_ofMember = 0;
            return {};
        }
        if (status == Z_OK || status == Z_BUF_ERROR)
            return {};
        if (isBehindTheData())
            return hasTrailingBytes();
        return failure(ErrorKind::File,
                       fmt::format("{} has damaged gzip data at byte {} of the compressed file; "
                                   "copy or trace it again.",
                                   m_input.name(), consumed()));
    }

    Input& m_input;
    Collector& m_collector;
    const base::JobContext& m_context;
    std::size_t m_enough;
    Inflater m_inflater;
    std::vector<char> m_in = std::vector<char>(kChunk);
    std::vector<char> m_out = std::vector<char>(kChunk);
    std::size_t m_done = 0;
    std::uint64_t m_memberEnd = 0; ///< of the last whole one, in the file
    std::size_t m_ofMember = 0;    ///< unpacked since then
    bool m_betweenMembers = false;
};

bool looksGzipped(std::string_view head)
{
    return head.starts_with("\x1f\x8b");
}

Result<void> copyPlain(Input& input, std::string_view head, Collector& collector,
                       const base::JobContext& context, const ReadLimits& limits)
{
    if (input.size() > limits.bytes)
        return tooLarge(input.name(), limits.bytes);
    collector.reserve(input.size());
    if (auto result = collector.append(head, input.position(), false); !result)
        return result;
    std::vector<char> buffer(kChunk);
    while (true) {
        if (context.stopRequested())
            return base::cancelled();
        const Result<std::size_t> count = input.read(buffer.data(), buffer.size());
        if (!count)
            return tl::unexpected(count.error());
        if (*count == 0)
            return {};
        if (auto result = collector.append({buffer.data(), *count}, input.position(), false);
            !result)
            return result;
        context.report(static_cast<std::size_t>(input.position()),
                       static_cast<std::size_t>(input.size()) * 2);
    }
}

/// Reads on until `buffer` is full or the file ends: a short read is no end.
Result<std::size_t> readFully(Input& input, std::vector<char>& buffer)
{
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        Result<std::size_t> count = input.read(buffer.data() + filled, buffer.size() - filled);
        if (!count)
            return count;
        if (*count == 0)
            break;
        filled += *count;
    }
    return filled;
}

} // namespace

std::string pathText(const std::filesystem::path& path)
{
    return path.empty() ? "\"\"" : base::printable(path.native(), kPathLimit);
}

Result<void> checkReadable(const std::filesystem::path& path)
{
    return Input::open(path).map([](const Input& /*closed again*/) {});
}

Result<FileContent> readFile(const std::filesystem::path& path, const base::JobContext& context,
                             const ReadLimits& limits)
try {
    Result<Input> input = Input::open(path);
    if (!input)
        return tl::unexpected(input.error());
    std::vector<char> first(kChunk);
    const Result<std::size_t> count = readFully(*input, first);
    if (!count)
        return tl::unexpected(count.error());
    const std::string_view head{first.data(), *count};

    FileContent content;
    content.fileSize = input->size();
    content.compressed = looksGzipped(head);
    Collector collector{input->name(), limits};
    const Result<void> read =
        content.compressed
            ? GzipRead{*input, collector, context, std::numeric_limits<std::size_t>::max()}.run(
                head)
            : copyPlain(*input, head, collector, context, limits);
    if (!read)
        return tl::unexpected(read.error());
    content.bytes = collector.take();
    if (content.bytes.empty())
        return failure(
            ErrorKind::File,
            fmt::format("{} is empty (0 bytes unpacked); write or copy it again.", input->name()));
    return content;
} catch (const std::bad_alloc&) {
    return failure(ErrorKind::File,
                   fmt::format("{} needs more memory than this computer has.", pathText(path)));
}

Result<std::string> readHead(const std::filesystem::path& path, std::size_t count)
{
    Result<Input> input = Input::open(path);
    if (!input)
        return tl::unexpected(input.error());
    // A gzip header with its names, and the start of the data behind it.
    std::vector<char> first(std::max(count, kChunk));
    const Result<std::size_t> filled = readFully(*input, first);
    if (!filled)
        return tl::unexpected(filled.error());
    const std::string_view head{first.data(), *filled};
    if (!looksGzipped(head))
        return std::string{head.substr(0, count)};
    Collector collector{input->name(), {}};
    if (auto read = GzipRead{*input, collector, {}, count}.run(head); !read)
        return tl::unexpected(read.error());
    return collector.take().substr(0, count);
}

} // namespace plimsoll::io
