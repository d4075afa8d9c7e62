// SPDX-License-Identifier: Apache-2.0
#include "core/io/gzip.h"

#include <array>
#include <cstddef>
#include <zlib.h>

namespace plimsoll::io {

namespace {

constexpr int kMemoryLevel = 8; ///< zlib's default
constexpr std::size_t kPiece = std::size_t{1} << 16U;

} // namespace

base::Result<std::string> gzipped(std::string_view bytes)
{
    z_stream stream{};
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY)
        != Z_OK)
        return base::failure(base::ErrorKind::Internal, "There is no memory to compress a file.");
    std::string packed;
    std::array<char, kPiece> out{};
    std::string in; // zlib's input isn't const
    int status = Z_OK;
    while (status == Z_OK) {
        if (stream.avail_in == 0) {
            in = bytes.substr(0, kPiece);
            bytes.remove_prefix(in.size());
            stream.next_in = reinterpret_cast<Bytef*>(in.data());
            stream.avail_in = static_cast<uInt>(in.size());
        }
        stream.next_out = reinterpret_cast<Bytef*>(out.data());
        stream.avail_out = static_cast<uInt>(out.size());
        status = deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
        packed.append(out.data(), out.size() - stream.avail_out);
    }
    deflateEnd(&stream);
    return packed;
}

} // namespace plimsoll::io
