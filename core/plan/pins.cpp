// SPDX-License-Identifier: Apache-2.0
#include "core/plan/pins.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/graph/op_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace plimsoll::plan {

namespace {

using graph::OpIndex;
using graph::Program;
using graph::StorageId;

constexpr std::size_t kMostPins = 64; ///< more than anybody writes: each is one more search
constexpr std::string_view kKeep = "keep:";
constexpr std::string_view kRecompute = "recompute:";

/// Linear except for backtracking to the last `*`, so no glob takes long.
bool matches(std::string_view glob, std::string_view text)
{
    std::size_t at = 0;
    std::size_t in = 0;
    std::optional<std::pair<std::size_t, std::size_t>> star; // place behind it, length covered
    while (in < text.size()) {
        if (at < glob.size() && glob[at] == '*') {
            star = {++at, in};
        } else if (at < glob.size() && (glob[at] == '?' || glob[at] == text[in])) {
            ++at;
            ++in;
        } else if (star) {
            at = star->first;
            in = ++star->second;
        } else {
            return false;
        }
    }
    return glob.find_first_not_of('*', at) == std::string_view::npos;
}

/// What one pin selects in one program.
class Matcher
{
public:
    Matcher(const Program& program, PinKind kind, std::string_view glob)
        : m_program{program}
        , m_glob{glob}
        , m_isKeep{kind == PinKind::Keep}
        , m_namesBoth{glob.find(':') != std::string_view::npos}
        , m_forward{static_cast<OpIndex>(program.forwardCount())}
        , m_lastUse(program.storages.size(), graph::kBeforeStep)
    {
        for (OpIndex op = 0; op < m_forward; ++op) {
            const graph::Op& row = program.op(graph::opAt(op));
            for (const std::vector<graph::TensorId>* tensors :
                 {&row.reads, &row.writes, &row.outputs})
                for (const graph::TensorId tensor : *tensors)
                    m_lastUse[program.tensor(tensor).storage.index()] = op;
        }
        for (const graph::Module& module : program.modules)
            m_modules.push_back(matches(glob, module.path));
    }

    [[nodiscard]] std::vector<StorageId> storages() const
    {
        std::vector<StorageId> found;
        for (std::size_t index = 0; index < m_program.storages.size(); ++index)
            if (const graph::Storage& storage = m_program.storages[index];
                isInBackward(storage) && isMeant(storage, m_lastUse[index]))
                found.emplace_back(index);
        return found;
    }

private:
    [[nodiscard]] bool isInBackward(const graph::Storage& storage) const
    {
        return storage.alloc >= 0 && storage.alloc < m_forward && storage.free >= m_forward
               && storage.free != graph::kNever && storage.bytes.count() > 0
               && storage.storageClass != graph::StorageClass::Output;
    }
    [[nodiscard]] bool isMeant(const graph::Storage& storage, OpIndex lastUse) const
    {
        const graph::Op& op = m_program.op(graph::opAt(storage.alloc));
        const std::string& target = m_program.targetOf(op);
        const auto isNamed = [this](const std::string& name) { return matches(m_glob, name); };
        const auto isOf = [&](std::string_view name) {
            return isNamed(std::string{name})
                   || (m_namesBoth
                       && isNamed(fmt::format("{}:{}", m_program.modulePath(op), name)));
        };
        return std::ranges::any_of(storage.names, isNamed) || isOf(target)
               || isOf(graph::withoutOverload(target)) || isInside(op, lastUse);
    }
    [[nodiscard]] bool isInside(const graph::Op& op, OpIndex lastUse) const
    {
        for (std::optional<graph::CallId> call = op.call; call; call = m_program.call(*call).parent)
            if (const graph::Call& around = m_program.call(*call);
                m_modules[around.module.index()] && (m_isKeep || lastUse <= around.last))
                return true;
        return false;
    }

    const Program& m_program;
    std::string_view m_glob;
    bool m_isKeep;
    bool m_namesBoth;  ///< a module and an op: "h.3*" alone must not take the op that ends h.3
    OpIndex m_forward; ///< first op of backward
    std::vector<OpIndex> m_lastUse; ///< by storage: in forward and loss
    std::vector<bool> m_modules;    ///< matched ones
};

base::Result<void> checkConflicts(const std::vector<Pin>& pins, const Program& program)
{
    for (const Pin& keep : pins)
        for (const Pin& other : pins) {
            if (keep.kind != PinKind::Keep || other.kind != PinKind::Recompute)
                continue;
            std::vector<StorageId> both;
            std::ranges::set_intersection(keep.storages, other.storages, std::back_inserter(both));
            if (!both.empty())
                return base::failure(
                    base::ErrorKind::Usage,
                    fmt::format("The pins {} and {} conflict over what {} computes: remove one of "
                                "them, or narrow its glob.",
                                base::printable(pinText(keep)), base::printable(pinText(other)),
                                base::printable(program.label(program.op(
                                    graph::opAt(program.storage(both.front()).alloc))))));
        }
    return {};
}

} // namespace

std::string pinText(const Pin& pin)
{
    return fmt::format("{}{}", pin.kind == PinKind::Keep ? kKeep : kRecompute, pin.glob);
}

base::Result<Pin> resolvePin(std::string_view text, const Program& program)
{
    Pin pin;
    const bool isKeep = text.starts_with(kKeep);
    const std::string_view head = isKeep ? kKeep : kRecompute;
    if (!text.starts_with(head) || text.size() == head.size())
        return base::failure(base::ErrorKind::Usage,
                             fmt::format("The pin \"{}\" is not known: write keep:GLOB or "
                                         "recompute:GLOB, such as keep:*.attn.",
                                         base::printable(text, 80)));
    pin.kind = isKeep ? PinKind::Keep : PinKind::Recompute;
    pin.glob = text.substr(head.size());
    pin.storages = Matcher{program, pin.kind, pin.glob}.storages();
    if (pin.storages.empty() && !isKeep
        && !Matcher{program, PinKind::Keep, pin.glob}.storages().empty())
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("The pin {} names modules whose values are all used after them, and "
                        "checkpointing a module keeps what leaves it: name a module around them, "
                        "or use recompute:{}:* for what their own ops compute.",
                        base::printable(text, 80), base::printable(pin.glob, 80)));
    if (pin.storages.empty())
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("The pin {} matches nothing that the step keeps for backward: give a "
                        "module's path, an op's target such as aten.mm, or both as PATH:TARGET.",
                        base::printable(text, 80)));
    return pin;
}

base::Result<std::vector<Pin>> resolvePins(const std::vector<std::string>& texts,
                                           const Program& program)
{
    if (texts.size() > kMostPins)
        return base::failure(base::ErrorKind::Usage,
                             fmt::format("{} pins are too many: give at most {}, with wider globs.",
                                         texts.size(), kMostPins));
    std::vector<Pin> pins;
    for (const std::string& text : texts) {
        ASSIGN_OR_RETURN(Pin pin, resolvePin(text, program));
        // Skip duplicates: the price of each would be zero because of the other.
        if (std::ranges::none_of(pins, [&pin](const Pin& known) {
                return known.kind == pin.kind && known.glob == pin.glob;
            }))
            pins.push_back(std::move(pin));
    }
    RETURN_IF_ERROR(checkConflicts(pins, program));
    return pins;
}

bool honoursPins(const Problem& problem, const Schedule& schedule)
{
    if (problem.pins.empty())
        return true;
    const Program& program = *problem.step();
    std::vector<bool> runsAgain(program.ops.size(), false);
    for (const Step& step : schedule.steps)
        if (step.region >= 0)
            runsAgain[step.op.index()] = true;
    const std::size_t forward = program.forwardCount();
    const std::int32_t backward =
        forward < program.ops.size() ? schedule.stepOfOp[forward] : INT32_MAX;
    return std::ranges::all_of(problem.pins, [&](const Pin& pin) {
        return std::ranges::all_of(pin.storages, [&](StorageId storage) {
            if (pin.kind == PinKind::Keep)
                return !runsAgain[static_cast<std::size_t>(program.storage(storage).alloc)];
            return schedule.instances[storage.index()].free < backward;
        });
    });
}

} // namespace plimsoll::plan
