// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace plimsoll::graph {

/// Hash of a sequence of ops (FORMAT.md): 64-bit FNV-1a over a line "phase target" for each.
class Fingerprint
{
public:
    void add(Phase phase, std::string_view target);
    /// 16 hexadecimal digits.
    [[nodiscard]] std::string text() const;

private:
    void addBytes(std::string_view bytes);

    std::uint64_t m_hash = 0xcbf29ce484222325U;
};

/// Of all ops of a graph: equal for two recordings of one model that run the same ops.
[[nodiscard]] std::string fingerprint(const Program& program);

} // namespace plimsoll::graph
