// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

namespace plimsoll::stand_in {

/// Addresses of the devices, and how many bytes of each are taken. There is memory behind them only
/// if the settings say that values are kept. Thread-safe.
class DeviceMemory
{
public:
    /// What the driver maps memory in.
    static constexpr std::size_t kPage = std::size_t{2} << 20;

    /// The only one of the process.
    static DeviceMemory& get();

    /// Null if the device has fewer bytes left. Addresses rise and are never given twice.
    [[nodiscard]] void* allocate(int device, std::size_t bytes);
    /// False if nothing was allocated there.
    bool free(void* address);
    /// The device of an address that allocate() or map() gave.
    [[nodiscard]] std::optional<int> deviceOf(const void* address) const;
    /// The block that an address lies in.
    [[nodiscard]] std::optional<std::pair<void*, std::size_t>> blockAt(const void* address) const;
    [[nodiscard]] std::size_t freeBytes(int device) const;

    /// Virtual memory: a range of addresses, physical memory, and one mapped to the other.
    [[nodiscard]] void* reserve(std::size_t bytes);
    /// 0 if the device has fewer bytes left.
    [[nodiscard]] std::uint64_t create(int device, std::size_t bytes);
    bool release(std::uint64_t handle);
    bool map(void* address, std::size_t bytes, std::uint64_t handle);
    bool unmap(void* address, std::size_t bytes);

private:
    struct Block
    {
        std::size_t bytes = 0;
        int device = 0;
        std::uint64_t handle = 0; ///< of the physical memory that is mapped there; 0: none
    };
    struct Physical
    {
        std::size_t bytes = 0;
        int device = 0;
        int uses = 0; ///< mappings, and one for the handle until it is released
    };

    [[nodiscard]] std::uintptr_t nextAddress(std::size_t bytes);
    [[nodiscard]] const std::pair<const std::uintptr_t, Block>* find(const void* address) const;
    void dropUse(std::uint64_t handle);
    [[nodiscard]] bool take(int device, std::size_t bytes);

    mutable std::mutex m_mutex;
    std::uintptr_t m_next = std::uintptr_t{1} << 44;
    std::map<std::uintptr_t, Block> m_blocks;
    std::map<std::uint64_t, Physical> m_physical;
    std::uint64_t m_lastHandle = 0;
    std::array<std::size_t, 16> m_taken{};
};

} // namespace plimsoll::stand_in
