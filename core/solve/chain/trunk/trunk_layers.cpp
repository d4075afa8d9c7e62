// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk/trunk_layers.h"

#include <algorithm>
#include <map>
#include <optional>

namespace plimsoll::solve {

namespace {

using graph::Call;
using graph::CallId;
using graph::OpIndex;

class Finder
{
public:
    explicit Finder(const graph::Program& program)
        : m_program{program}, m_forward{static_cast<OpIndex>(program.forwardCount())}
    {
        for (std::size_t i = 0; i < program.calls.size(); ++i)
            if (const Call& call = program.calls[i]; !call.isEmpty() && call.last < m_forward)
                m_children[call.parent ? std::optional{*call.parent} : std::nullopt].push_back(
                    CallId{i});
    }

    [[nodiscard]] TrunkLayers run()
    {
        std::vector<CallId> calls = m_children[std::nullopt];
        for (std::optional<std::size_t> place = heaviest(calls); place; place = heaviest(calls))
            expand(calls, *place);
        for (std::size_t i = calls.size(); i-- > 0;)
            if (isStage(calls[i]))
                expand(calls, i);
        TrunkLayers layers;
        for (const CallId id : calls) {
            const Call& call = m_program.call(id);
            layers.elements.push_back({m_program.module(call.module).path, !overwritesOlder(call)});
            layers.ops.push_back({call.first, call.last});
        }
        return layers;
    }

private:
    void expand(std::vector<CallId>& calls, std::size_t place)
    {
        const std::vector<CallId>& children = m_children[calls[place]];
        const auto at = calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(place));
        calls.insert(at, children.begin(), children.end());
    }
    /// One with children and more than half of all ops.
    [[nodiscard]] std::optional<std::size_t> heaviest(const std::vector<CallId>& calls) const
    {
        OpIndex all = 0;
        for (const CallId id : calls)
            all += length(id);
        for (std::size_t i = 0; i < calls.size(); ++i)
            if (2 * length(calls[i]) > all && m_children.contains(calls[i]))
                return i;
        return std::nullopt;
    }
    [[nodiscard]] bool isStage(CallId id) const
    {
        const auto children = m_children.find(id);
        if (children == m_children.end() || children->second.size() < 2)
            return false;
        OpIndex next = m_program.call(id).first;
        for (const CallId child : children->second) {
            if (m_program.call(child).first != next)
                return false;
            next = m_program.call(child).last + 1;
        }
        return next == m_program.call(id).last + 1;
    }
    [[nodiscard]] bool overwritesOlder(const Call& call) const
    {
        for (OpIndex op = call.first; op <= call.last; ++op)
            for (const graph::TensorId tensor :
                 m_program.ops[static_cast<std::size_t>(op)].writes) {
                const graph::Storage& storage = m_program.storageOf(tensor);
                const bool isState = storage.storageClass == graph::StorageClass::Parameter
                                     || storage.storageClass == graph::StorageClass::Buffer;
                if (storage.alloc < call.first && !isState)
                    return true;
            }
        return false;
    }
    [[nodiscard]] OpIndex length(CallId id) const
    {
        return m_program.call(id).last - m_program.call(id).first + 1;
    }

    const graph::Program& m_program;
    OpIndex m_forward;
    std::map<std::optional<CallId>, std::vector<CallId>> m_children; ///< with ops, in order
};

} // namespace

TrunkLayers trunkLayers(const graph::Program& program)
{
    return Finder{program}.run();
}

} // namespace plimsoll::solve
