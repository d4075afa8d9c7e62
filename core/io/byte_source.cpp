// SPDX-License-Identifier: Apache-2.0
#include "core/io/byte_source.h"

#include "core/base/try.h"
#include "core/io/gzip.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <new>
#include <utility>
#include <vector>
#include <zlib.h>

namespace plimsoll::io {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;

constexpr std::size_t kChunk = std::size_t{256} << 10U;

tl::unexpected<base::Error> tooLarge(const std::string& name, std::uint64_t limit)
{
    return failure(ErrorKind::File,
                   fmt::format("{} holds more than {} B, the most that is read from one file; "
                               "trace a shorter step.",
                               name, limit));
}

/// Passes content on, part by part, while it stays within the limits.
class Outlet
{
public:
    Outlet(std::string name, const FileFacts& file, const ReadLimits& limits, const Sink& sink)
        : m_name{std::move(name)}, m_file{file}, m_limits{limits}, m_sink{sink}
    {
    }

    /// `consumed`: compressed bytes read so far, to guard against decompression bombs.
    [[nodiscard]] Result<void> append(std::string_view part, std::uint64_t consumed,
                                      bool compressed)
    {
        m_size += part.size();
        if (m_size > m_limits.bytes)
            return tooLarge(m_name, m_limits.bytes);
        if (compressed && m_size > m_limits.freeBytes && m_size / m_limits.ratio > consumed)
            return failure(ErrorKind::File,
                           fmt::format("{} is refused: up to byte {} it unpacks to more than {} "
                                       "times its size, which no such file does.",
                                       m_name, consumed, m_limits.ratio));
        return m_sink(part, m_file);
    }

private:
    std::string m_name;
    FileFacts m_file;
    ReadLimits m_limits;
    const Sink& m_sink;
    std::uint64_t m_size = 0;
};

/// Owns the zlib state.
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
        // zlib's interface isn't const-correct; it doesn't write here.
        m_stream.next_in =
            reinterpret_cast<Bytef*>(const_cast<char*>(in.data())); // NOLINT(*-const-cast)
        m_stream.avail_in = static_cast<uInt>(in.size());
    }
    [[nodiscard]] std::size_t unread() const { return m_stream.avail_in; }
    /// Returns zlib's status; `produced` is set to the number of bytes written to `out`.
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
    GzipRead(Input& input, Outlet& outlet, const base::JobContext& context, std::size_t enough)
        : m_input{input}, m_outlet{outlet}, m_context{context}, m_enough{enough}
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
                ASSIGN_OR_RETURN(const std::size_t count, m_input.read(m_in.data(), m_in.size()));
                if (count == 0)
                    return m_betweenMembers ? Result<void>{} : endsEarly();
                m_inflater.feed({m_in.data(), count});
            }
            RETURN_IF_ERROR(step());
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
                        "cut off, copy or write it again.",
                        m_input.name(), m_input.size()));
    }

    /// Whether a member has ended and nothing has been decompressed since.
    [[nodiscard]] bool isBehindTheData() const { return m_memberEnd > 0 && m_ofMember == 0; }

    [[nodiscard]] Result<void> hasTrailingBytes() const
    {
        return failure(
            ErrorKind::File,
            fmt::format(
                "{} has bytes that are not gzip data after the end of its compressed data, at byte "
                "{} of the compressed file; remove them, or copy or write it again.",
                m_input.name(), m_memberEnd));
    }

    [[nodiscard]] Result<void> step()
    {
        std::size_t produced = 0;
        m_betweenMembers = false;
        const int status = m_inflater.run(m_out, produced);
        RETURN_IF_ERROR(m_outlet.append({m_out.data(), produced}, consumed(), true));
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
                                   "copy or write it again.",
                                   m_input.name(), consumed()));
    }

    Input& m_input;
    Outlet& m_outlet;
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

Result<void> copyPlain(Input& input, std::string_view head, std::size_t enough, Outlet& outlet,
                       const base::JobContext& context, const ReadLimits& limits)
{
    if (input.size() > limits.bytes)
        return tooLarge(input.name(), limits.bytes);
    RETURN_IF_ERROR(outlet.append(head, input.position(), false));
    std::vector<char> buffer(kChunk);
    while (input.position() < enough) {
        if (context.stopRequested())
            return base::cancelled();
        ASSIGN_OR_RETURN(const std::size_t count, input.read(buffer.data(), buffer.size()));
        if (count == 0)
            return {};
        RETURN_IF_ERROR(outlet.append({buffer.data(), count}, input.position(), false));
        context.report(static_cast<std::size_t>(input.position()),
                       static_cast<std::size_t>(input.size()) * 2);
    }
    return {};
}

/// Reads until `buffer` is full or the file ends, since a read may be short.
Result<std::size_t> readFully(Input& input, std::vector<char>& buffer)
{
    std::size_t filled = 0;
    while (filled < buffer.size()) {
        ASSIGN_OR_RETURN(auto count, input.read(buffer.data() + filled, buffer.size() - filled));
        if (count == 0)
            break;
        filled += count;
    }
    return filled;
}

/// Passes on the content of a file: at least `enough` bytes, or all if it has fewer.
Result<void> pour(const std::filesystem::path& path, const Sink& sink, std::size_t enough,
                  const base::JobContext& context, const ReadLimits& limits)
{
    ASSIGN_OR_RETURN(Input input, Input::open(path));
    constexpr std::size_t kLeast = 4096; // enough to detect gzip
    std::vector<char> first(std::clamp(enough, kLeast, kChunk));
    ASSIGN_OR_RETURN(const std::size_t count, readFully(input, first));
    const std::string_view head{first.data(), count};
    const FileFacts file{looksGzipped(head), input.size()};
    Outlet outlet{input.name(), file, limits, sink};
    if (file.compressed)
        return GzipRead{input, outlet, context, enough}.run(head);
    return copyPlain(input, head, enough, outlet, context, limits);
}

} // namespace

Result<void> checkReadable(const std::filesystem::path& path)
{
    return Input::open(path).map([](const Input& /*closed again*/) {});
}

Result<void> streamFile(const std::filesystem::path& path, const Sink& sink,
                        const base::JobContext& context, const ReadLimits& limits)
try {
    return pour(path, sink, std::numeric_limits<std::size_t>::max(), context, limits);
} catch (const std::bad_alloc&) {
    return failure(ErrorKind::File,
                   fmt::format("{} needs more memory than this computer has.", pathText(path)));
}

Result<FileContent> readFile(const std::filesystem::path& path, const base::JobContext& context,
                             const ReadLimits& limits)
try {
    FileContent content;
    RETURN_IF_ERROR(streamFile(
        path,
        [&](std::string_view part, const FileFacts& file) {
            if (content.bytes.empty() && !file.compressed)
                content.bytes.reserve(file.size + kPadding);
            content.bytes.append(part);
            content.file = file;
            return Result<void>{};
        },
        context, limits));
    if (content.bytes.empty())
        return failure(
            ErrorKind::File,
            fmt::format("{} is empty (0 bytes unpacked); write or copy it again.", pathText(path)));
    const std::size_t size = content.bytes.size();
    content.bytes.append(kPadding, '\0');
    content.bytes.resize(size);
    return content;
} catch (const std::bad_alloc&) {
    return failure(ErrorKind::File,
                   fmt::format("{} needs more memory than this computer has.", pathText(path)));
}

Result<std::string> readHead(const std::filesystem::path& path, std::size_t count)
{
    std::string head;
    RETURN_IF_ERROR(pour(path,
                         [&head](std::string_view part, const FileFacts& /*file*/) {
                             head.append(part);
                             return Result<void>{};
                         },
                         count, {}, {.bytes = std::numeric_limits<std::uint64_t>::max()}));
    return head.substr(0, count);
}

} // namespace plimsoll::io
