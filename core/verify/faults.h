// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/fault.h"
#include "core/plan/plan.h"
#include "core/verify/names.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::plan::verifying {

/// Faults in the order in which they are found, as many as anybody reads.
class FaultList
{
public:
    static constexpr std::size_t kMost = 100;

    explicit FaultList(const graph::Program& program) : m_program{program} {}

    void add(FaultKind kind, std::string sentence)
    {
        if (m_faults.size() < kMost)
            m_faults.push_back({kind, std::move(sentence)});
    }
    /// "The region …: WHAT."
    void add(const Region& region, const std::string& what)
    {
        std::string sentence = fmt::format("{}: {}.", nameOf(m_program, region), what);
        sentence.front() = 'T';
        add(FaultKind::IllegalRegion, std::move(sentence));
    }
    [[nodiscard]] std::size_t size() const { return m_faults.size(); }
    [[nodiscard]] bool empty() const { return m_faults.empty(); }
    [[nodiscard]] std::vector<Fault> take() && { return std::move(m_faults); }

private:
    const graph::Program& m_program;
    std::vector<Fault> m_faults;
};

} // namespace plimsoll::plan::verifying
