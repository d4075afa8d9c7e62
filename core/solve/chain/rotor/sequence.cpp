// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/sequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace plimsoll::solve {

using base::ErrorKind;
using base::failure;
using base::Result;

namespace {

std::string opText(ChainOp op)
{
    static constexpr std::array kPrefixes{"CF_", "Fn_", "Fe_", "L", "B_", "drop_", "dropbar_"};
    const char* const prefix = kPrefixes.at(static_cast<std::size_t>(op.kind));
    if (op.kind == ChainOpKind::Loss)
        return prefix;
    return op.variant == 0 ? fmt::format("{}{}", prefix, op.stage)
                           : fmt::format("{}{}@{}", prefix, op.stage, op.variant);
}

bool drops(ChainOp op)
{
    return op.kind == ChainOpKind::DropValue || op.kind == ChainOpKind::DropSaved;
}

/// The memory state between two operations.
class Machine
{
public:
    explicit Machine(const Chain& chain)
        : m_chain{chain}
        , m_held{std::vector<bool>(chain.stages() + 1, false),
                 std::vector<bool>(chain.stages() + 1, false)}
        , m_variant(chain.stages() + 1)
        , m_memory{chain.x[0]}
    {
        m_held.values[0] = true;
    }

    [[nodiscard]] const ChainMemory& held() const { return m_held; }
    [[nodiscard]] std::int64_t memory() const { return m_memory; }
    [[nodiscard]] std::optional<std::size_t> gradient() const { return m_gradient; }

    /// The peak while the operation runs, or nothing if an input is missing.
    std::optional<std::int64_t> run(ChainOp op)
    {
        const auto i = static_cast<std::size_t>(op.stage);
        const std::size_t end = m_chain.stages() + (drops(op) ? 1 : 0);
        if (op.kind != ChainOpKind::Loss && (op.stage < 0 || i >= end))
            return std::nullopt;
        switch (op.kind) {
        case ChainOpKind::Check:
        case ChainOpKind::NoGrad:
        case ChainOpKind::Enable: return forward(op, i);
        case ChainOpKind::Loss: return loss();
        case ChainOpKind::Backward: return backward(i);
        case ChainOpKind::DropValue:
        case ChainOpKind::DropSaved: return drop(op.kind, i);
        }
        return std::nullopt;
    }

    /// The time of an operation that can run now.
    [[nodiscard]] double timeOf(ChainOp op) const
    {
        const auto i = static_cast<std::size_t>(op.stage);
        switch (op.kind) {
        case ChainOpKind::Check:
        case ChainOpKind::NoGrad: return m_chain.plainTime(i);
        case ChainOpKind::Enable: return m_variant[i + 1].ftime;
        case ChainOpKind::Backward: return m_variant[i + 1].btime;
        case ChainOpKind::Loss: return m_chain.btime.back();
        case ChainOpKind::DropValue:
        case ChainOpKind::DropSaved: break;
        }
        return 0;
    }
    /// The part of the stage's forward that comes after the last value of its saved set.
    [[nodiscard]] double tailOf(ChainOp op) const
    {
        return m_variant[static_cast<std::size_t>(op.stage) + 1].ftail;
    }

private:
    [[nodiscard]] bool available(std::size_t i) const
    {
        return m_held.values[i] || m_held.saved[i];
    }

    void setPlain(std::size_t i, bool present)
    {
        if (m_held.values[i] != present)
            m_memory += present ? m_chain.x[i] : -m_chain.x[i];
        m_held.values[i] = present;
    }
    void setSaved(std::size_t i, bool present)
    {
        if (m_held.saved[i] != present)
            m_memory += present ? m_variant[i].xbar : -m_variant[i].xbar;
        m_held.saved[i] = present;
    }
    void setGradient(std::size_t i)
    {
        if (m_gradient)
            m_memory -= m_chain.x[*m_gradient];
        m_memory += m_chain.x[i];
        m_gradient = i;
    }

    std::optional<std::int64_t> forward(ChainOp op, std::size_t i)
    {
        const auto number = static_cast<std::size_t>(op.variant);
        if (op.kind == ChainOpKind::NoGrad ? !m_held.values[i] : !available(i))
            return std::nullopt;
        if (op.variant < 0 || number >= m_chain.variantsOf(i))
            return std::nullopt;
        if (op.kind == ChainOpKind::Enable) {
            const StageVariant variant = m_chain.variant(i, number);
            const std::int64_t peak = m_memory + variant.xbar + variant.ftmp;
            setSaved(i + 1, false); // left by an earlier run
            m_variant[i + 1] = variant;
            setSaved(i + 1, true);
            return peak;
        }
        const std::int64_t peak = m_memory + m_chain.x[i + 1] + m_chain.plainTemporary(i);
        if (op.kind == ChainOpKind::NoGrad)
            setPlain(i, false);
        setPlain(i + 1, true);
        return peak;
    }

    std::optional<std::int64_t> loss()
    {
        const std::size_t last = m_chain.stages();
        if (m_gradient || !available(last))
            return std::nullopt;
        const std::int64_t peak = m_memory + m_chain.btmp[last];
        setGradient(last);
        setPlain(last, false);
        return std::max(peak, m_memory);
    }

    std::optional<std::int64_t> backward(std::size_t i)
    {
        if (m_gradient != i + 1 || !m_held.saved[i + 1] || !available(i))
            return std::nullopt;
        const std::int64_t peak = m_memory + m_variant[i + 1].btmp;
        setSaved(i + 1, false);
        setGradient(i);
        if (i > 0 && !m_held.saved[i])
            setPlain(i, false);
        return std::max(peak, m_memory);
    }

    /// A schedule can't drop the model input.
    std::optional<std::int64_t> drop(ChainOpKind kind, std::size_t i)
    {
        const bool value = kind == ChainOpKind::DropValue;
        if (i == 0 || !(value ? m_held.values[i] : m_held.saved[i]))
            return std::nullopt;
        if (value)
            setPlain(i, false);
        else
            setSaved(i, false);
        return m_memory;
    }

    const Chain& m_chain;
    ChainMemory m_held;
    std::vector<StageVariant> m_variant; ///< of the last saving run, by the stage that its output
                                         ///< enters
    std::optional<std::size_t> m_gradient;
    std::int64_t m_memory = 0;
};

/// Nothing reads the output of a saving forward whose own backward is next.
bool endsRecomputation(const Sequence& sequence, std::size_t at)
{
    return sequence[at].kind == ChainOpKind::Enable && at + 1 < sequence.size()
           && sequence[at + 1] == ChainOp{ChainOpKind::Backward, sequence[at].stage};
}

} // namespace

std::string sequenceText(const Sequence& sequence)
{
    std::string text;
    for (const ChainOp op : sequence) {
        if (!text.empty())
            text += ' ';
        text += opText(op);
    }
    return text;
}

bool dropsAnything(const Sequence& sequence)
{
    return std::any_of(sequence.begin(), sequence.end(), drops);
}

Sequence keepEverything(const Chain& chain)
{
    Sequence sequence;
    for (std::size_t i = 0; i < chain.stages(); ++i)
        sequence.push_back(chainOp(ChainOpKind::Enable, i, chain.fastestVariant(i)));
    sequence.push_back({});
    for (std::size_t i = chain.stages(); i-- > 0;)
        sequence.push_back(chainOp(ChainOpKind::Backward, i));
    return sequence;
}

Result<Simulation> simulate(const Chain& chain, const Sequence& sequence,
                            const std::function<void(ChainOp, const ChainMemory&)>& before)
{
    Machine machine{chain};
    Simulation result;
    result.peak = machine.memory();
    for (std::size_t at = 0; at < sequence.size(); ++at) {
        if (before)
            before(sequence[at], machine.held());
        const std::optional<std::int64_t> peak = machine.run(sequence[at]);
        if (!peak)
            return failure(ErrorKind::CheckFailed,
                           fmt::format("Operation {} ({}) lacks an input or comes out of order.",
                                       at, opText(sequence[at])));
        if (*peak > result.peak) {
            result.peak = *peak;
            result.peakOp = at;
        }
        result.peaks.push_back(*peak);
        result.makespan += machine.timeOf(sequence[at]);
        if (endsRecomputation(sequence, at))
            result.makespan -= machine.tailOf(sequence[at]);
    }
    if (machine.gradient() != std::size_t{0})
        return failure(ErrorKind::CheckFailed, "The sequence ends before the backward of stage 0.");
    return result;
}

} // namespace plimsoll::solve
