// SPDX-License-Identifier: Apache-2.0
#include "core/capture/device_bytes.h"

#include "core/capture/in_time.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace plimsoll::capture {

namespace {

using wire::MappingOperation;

class Replay
{
public:
    void add(const wire::Memory& memory)
    {
        if (memory.kind != wire::MemoryKind::Device && memory.kind != wire::MemoryKind::Array)
            return;
        DeviceBytes& device = deviceOf(memory.device);
        if (memory.operation == wire::MemoryOperation::Allocate) {
            take(device, memory.bytes);
            m_blocks[memory.address] = memory.bytes;
        } else if (const auto block = m_blocks.find(memory.address); block != m_blocks.end()) {
            give(device, block->second);
            m_blocks.erase(block);
        } else {
            ++device.unmatched;
        }
    }

    void add(const wire::Mapping& mapping)
    {
        switch (mapping.operation) {
        case MappingOperation::Create:
            if (mapping.device == wire::kNone) // memory of the host
                return;
            m_physical[mapping.handle] = {mapping.device, mapping.bytes, 1};
            take(deviceOf(mapping.device), mapping.bytes);
            return;
        case MappingOperation::Release: drop(mapping.handle); return;
        case MappingOperation::Map:
            if (const auto physical = m_physical.find(mapping.handle);
                physical != m_physical.end()) {
                ++physical->second.uses;
                m_mapped[mapping.address] = mapping.handle;
            }
            return;
        case MappingOperation::Unmap: unmap(mapping.address, mapping.bytes); return;
        default: return; // addresses take no memory
        }
    }

    [[nodiscard]] std::vector<DeviceBytes> devices() const
    {
        std::vector<DeviceBytes> devices;
        for (const auto& [ordinal, device] : m_devices)
            devices.push_back(device);
        return devices;
    }

private:
    struct Physical
    {
        std::uint32_t device = 0;
        std::uint64_t bytes = 0;
        int uses = 0; ///< mappings, and one for the handle until it is released
    };

    DeviceBytes& deviceOf(std::uint32_t ordinal)
    {
        DeviceBytes& device = m_devices[ordinal];
        device.device = ordinal;
        return device;
    }

    static void take(DeviceBytes& device, std::uint64_t bytes)
    {
        ++device.allocations;
        device.last += bytes;
        device.peak = std::max(device.peak, device.last);
    }

    static void give(DeviceBytes& device, std::uint64_t bytes)
    {
        ++device.releases;
        device.last -= std::min(bytes, device.last);
    }

    void drop(std::uint64_t handle)
    {
        const auto physical = m_physical.find(handle);
        if (physical == m_physical.end() || --physical->second.uses > 0)
            return;
        give(deviceOf(physical->second.device), physical->second.bytes);
        m_physical.erase(physical);
    }

    void unmap(std::uint64_t address, std::uint64_t bytes)
    {
        auto mapped = m_mapped.lower_bound(address);
        while (mapped != m_mapped.end() && mapped->first - address < bytes) {
            drop(mapped->second);
            mapped = m_mapped.erase(mapped);
        }
    }

    std::map<std::uint32_t, DeviceBytes> m_devices;
    std::unordered_map<std::uint64_t, std::uint64_t> m_blocks; ///< bytes by address
    std::unordered_map<std::uint64_t, Physical> m_physical;    ///< by handle
    std::map<std::uint64_t, std::uint64_t> m_mapped;           ///< handle by address
};

} // namespace

std::vector<DeviceBytes> deviceBytes(const Capture& capture)
{
    Replay replay;
    visitMemory(capture, [&replay](const auto& record) { replay.add(record); });
    return replay.devices();
}

} // namespace plimsoll::capture
