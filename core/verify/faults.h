// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/plan.h"
#include "core/verify/verification.h"

#include <fmt/format.h>

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace plimsoll::plan::verifying {

/// "aten.relu_ of layer1.0.relu (op 17)".
[[nodiscard]] std::string nameOf(const graph::Program& program, graph::OpId op);
/// "input 'x'", or "the result of aten.add of layer1.0 (op 3)" for a storage without a name.
[[nodiscard]] std::string nameOf(const graph::Program& program, graph::StorageId storage);
/// "layer1.0"; the whole model is "the model".
[[nodiscard]] std::string nameOf(const graph::Program& program, graph::CallId call);
/// "the region layer1.0 to layer1.1".
[[nodiscard]] std::string nameOf(const graph::Program& program, const Region& region);

template <typename Value>
concept Nameable = requires(const graph::Program& program, const Value& value)
{
    {
        nameOf(program, value)
        } -> std::same_as<std::string>;
};

/// A format string as in fmt::format(), in which ops, storages, calls and regions are replaced by
/// their names (nameOf()).
template <typename... Values>
using Sentence = fmt::format_string<
    std::conditional_t<Nameable<Values>, std::string, std::decay_t<const Values>>...>;

/// Adds faults to a list, in the order in which they are found, up to a limit.
class FaultList
{
public:
    FaultList(const graph::Program& program, std::vector<Fault>& faults)
        : m_program{program}, m_faults{faults}
    {
    }

    template <typename... Values>
    void add(FaultKind kind, Sentence<Values...> sentence, const Values&... values)
    {
        if (m_faults.size() < kMost)
            m_faults.push_back({kind, fmt::format(sentence, named(values)...)});
    }
    /// "The region …: WHAT."
    template <typename... Values>
    void add(const Region& region, Sentence<Values...> what, const Values&... values)
    {
        if (m_faults.size() >= kMost)
            return;
        std::string sentence =
            fmt::format("{}: {}.", nameOf(m_program, region), fmt::format(what, named(values)...));
        sentence.front() = 'T';
        m_faults.push_back({FaultKind::IllegalRegion, std::move(sentence)});
    }
    [[nodiscard]] std::size_t size() const { return m_faults.size(); }

private:
    static constexpr std::size_t kMost = 100;

    template <typename Value>
    [[nodiscard]] auto named(const Value& value) const
    {
        if constexpr (Nameable<Value>)
            return nameOf(m_program, value);
        else
            return value;
    }

    const graph::Program& m_program;
    std::vector<Fault>& m_faults;
};

} // namespace plimsoll::plan::verifying
