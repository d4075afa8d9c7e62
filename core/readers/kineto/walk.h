// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/io/content_hash.h"
#include "core/io/source.h"
#include "core/readers/kineto/splitter.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::readers::kineto {

/// Walks through a trace that comes in parts of any size, from front to back. What the pieces keep
/// is bounded by what the trace is long.
class Walk
{
public:
    /// `name`: the file, as named in messages.
    Walk(std::string name, Pieces& pieces) : m_name{std::move(name)}, m_pieces{pieces} {}
    Walk(const Walk&) = delete; // its parts refer to each other
    Walk& operator=(const Walk&) = delete;

    /// `file`: of a compressed one, offsets count decompressed bytes, as messages say.
    [[nodiscard]] base::Result<void> feed(std::string_view part, const io::FileFacts& file = {});
    /// All of a source.
    [[nodiscard]] base::Result<void> feedAll(io::Source& source, const base::JobContext& context);
    [[nodiscard]] base::Result<void> finish();
    /// After a fault that concerns all of the trace: the error's message is the end of a sentence.
    [[nodiscard]] base::Error named(base::Error error) const;

    [[nodiscard]] const io::PartsHash& hash() const { return m_hash; }
    [[nodiscard]] std::size_t memoryBytes() const
    {
        return m_pieces.memoryBytes() + m_splitter.memoryBytes();
    }

    /// What a trace may take in memory however short it is.
    static constexpr std::size_t kFreeBytes = std::size_t{64} << 20U;

private:
    [[nodiscard]] tl::unexpected<base::Error> refused(std::string_view fault) const;

    std::string m_name;
    Pieces& m_pieces;
    Splitter m_splitter{m_pieces};
    io::PartsHash m_hash;
    std::uint64_t m_fed = 0;
    io::FileFacts m_file;
};

} // namespace plimsoll::readers::kineto
