// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plimsoll::plan::verifying {

/// A live interval of a storage; kNoInstance: none.
using InstanceId = int;
inline constexpr InstanceId kNoInstance = -1;

/// Storages in memory: each instance counts its holders, and is freed with the last of them.
class Heap
{
public:
    Heap(const graph::Program& program, graph::Rounding rounding)
        : m_original(program.storages.size(), kNoInstance), m_alive(program.storages.size())
    {
        m_bytes.reserve(program.storages.size());
        for (const graph::Storage& storage : program.storages)
            m_bytes.push_back(graph::rounded(storage.bytes, rounding));
    }

    /// A new instance with one holder. `original`: the step's own, not a recomputation's.
    InstanceId create(graph::StorageId storage, bool original)
    {
        const auto id = static_cast<InstanceId>(m_instances.size());
        m_instances.push_back({storage, 1, 0});
        m_alive[storage.index()].push_back(id);
        m_live += m_bytes[storage.index()];
        if (original)
            m_original[storage.index()] = id;
        return id;
    }

    [[nodiscard]] bool isAlive(InstanceId id) const { return id >= 0 && at(id).holders > 0; }
    void acquire(InstanceId id)
    {
        if (isAlive(id))
            ++m_instances[static_cast<std::size_t>(id)].holders;
    }
    void release(InstanceId id)
    {
        if (!isAlive(id))
            return;
        Instance& instance = m_instances[static_cast<std::size_t>(id)];
        if (--instance.holders > 0)
            return;
        std::erase(m_alive[instance.storage.index()], id);
        m_live -= m_bytes[instance.storage.index()];
    }

    void write(InstanceId id)
    {
        if (id >= 0)
            ++m_instances[static_cast<std::size_t>(id)].version;
    }
    [[nodiscard]] int version(InstanceId id) const { return at(id).version; }
    [[nodiscard]] graph::StorageId storageOf(InstanceId id) const { return at(id).storage; }

    /// The step's own instance of a storage, kNoInstance before it is allocated.
    [[nodiscard]] InstanceId original(graph::StorageId storage) const
    {
        return m_original[storage.index()];
    }
    [[nodiscard]] const std::vector<InstanceId>& alive(graph::StorageId storage) const
    {
        return m_alive[storage.index()];
    }
    [[nodiscard]] base::Bytes live() const { return m_live; }

private:
    struct Instance
    {
        graph::StorageId storage;
        int holders = 0;
        int version = 0; ///< writes since it was allocated
    };
    [[nodiscard]] const Instance& at(InstanceId id) const
    {
        return m_instances[static_cast<std::size_t>(id)];
    }

    std::vector<base::Bytes> m_bytes;
    std::vector<Instance> m_instances;
    std::vector<InstanceId> m_original;
    std::vector<std::vector<InstanceId>> m_alive;
    base::Bytes m_live;
};

} // namespace plimsoll::plan::verifying
