// SPDX-License-Identifier: Apache-2.0
#include "core/graph/fingerprint.h"

#include <fmt/format.h>

namespace plimsoll::graph {

void Fingerprint::addBytes(std::string_view bytes)
{
    constexpr std::uint64_t kPrime = 0x100000001b3U;
    for (const char byte : bytes)
        m_hash = (m_hash ^ static_cast<unsigned char>(byte)) * kPrime;
}

void Fingerprint::add(Phase phase, std::string_view target)
{
    addBytes(phaseName(phase));
    addBytes(" ");
    addBytes(target);
    addBytes("\n");
}

std::string Fingerprint::text() const
{
    return fmt::format("{:016x}", m_hash);
}

std::string fingerprint(const Program& program)
{
    Fingerprint hash;
    for (const Op& op : program.ops)
        hash.add(op.phase, program.targetOf(op));
    return hash.text();
}

} // namespace plimsoll::graph
