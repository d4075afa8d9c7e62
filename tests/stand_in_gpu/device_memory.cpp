// SPDX-License-Identifier: Apache-2.0
#include "tests/stand_in_gpu/device_memory.h"

#include "tests/stand_in_gpu/settings.h"

#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

namespace plimsoll::stand_in {

namespace {

std::size_t inPages(std::size_t bytes)
{
    return (bytes + DeviceMemory::kPage - 1) / DeviceMemory::kPage * DeviceMemory::kPage;
}

std::uintptr_t numberOf(const void* address)
{
    return reinterpret_cast<std::uintptr_t>(address);
}

void* pointerTo(std::uintptr_t address)
{
    return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr)
}

/// Puts memory of the host behind a block, of which only pages that are written take any.
void keepValues(std::uintptr_t address, std::size_t bytes)
{
    if (!settings().values)
        return;
    void* const at = pointerTo(address);
    if (mmap(at, inPages(bytes), PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0)
        == at)
        return;
    std::perror("stand-in GPU: no memory for values");
    std::_Exit(2);
}

void dropValues(std::uintptr_t address, std::size_t bytes)
{
    if (settings().values)
        munmap(pointerTo(address), inPages(bytes));
}

} // namespace

DeviceMemory& DeviceMemory::get()
{
    static DeviceMemory memory;
    return memory;
}

std::uintptr_t DeviceMemory::nextAddress(std::size_t bytes)
{
    const std::uintptr_t address = m_next;
    m_next += inPages(bytes) + kPage; // a page between, so that neighbours never touch
    return address;
}

bool DeviceMemory::take(int device, std::size_t bytes)
{
    std::size_t& taken = m_taken.at(static_cast<std::size_t>(device));
    if (bytes > settings().memory || taken > settings().memory - bytes)
        return false;
    taken += bytes;
    return true;
}

void* DeviceMemory::allocate(int device, std::size_t bytes)
{
    const std::lock_guard lock{m_mutex};
    if (!take(device, inPages(bytes)))
        return nullptr;
    const std::uintptr_t address = nextAddress(bytes);
    m_blocks[address] = {.bytes = bytes, .device = device};
    keepValues(address, bytes);
    return pointerTo(address);
}

bool DeviceMemory::free(void* address)
{
    const std::lock_guard lock{m_mutex};
    const auto block = m_blocks.find(numberOf(address));
    if (block == m_blocks.end() || block->second.handle != 0)
        return false;
    m_taken.at(static_cast<std::size_t>(block->second.device)) -= inPages(block->second.bytes);
    dropValues(block->first, block->second.bytes);
    m_blocks.erase(block);
    return true;
}

const std::pair<const std::uintptr_t, DeviceMemory::Block>*
DeviceMemory::find(const void* address) const
{
    auto after = m_blocks.upper_bound(numberOf(address));
    if (after == m_blocks.begin())
        return nullptr;
    --after;
    return numberOf(address) - after->first < after->second.bytes ? &*after : nullptr;
}

std::optional<int> DeviceMemory::deviceOf(const void* address) const
{
    const std::lock_guard lock{m_mutex};
    const auto* block = find(address);
    return block != nullptr ? std::optional{block->second.device} : std::nullopt;
}

std::optional<std::pair<void*, std::size_t>> DeviceMemory::blockAt(const void* address) const
{
    const std::lock_guard lock{m_mutex};
    const auto* block = find(address);
    if (block == nullptr)
        return std::nullopt;
    return std::pair{pointerTo(block->first), block->second.bytes};
}

std::size_t DeviceMemory::freeBytes(int device) const
{
    const std::lock_guard lock{m_mutex};
    return settings().memory - m_taken.at(static_cast<std::size_t>(device));
}

void* DeviceMemory::reserve(std::size_t bytes)
{
    const std::lock_guard lock{m_mutex};
    return pointerTo(nextAddress(bytes));
}

std::uint64_t DeviceMemory::create(int device, std::size_t bytes)
{
    const std::lock_guard lock{m_mutex};
    if (!take(device, bytes))
        return 0;
    m_physical[++m_lastHandle] = {.bytes = bytes, .device = device, .uses = 1};
    return m_lastHandle;
}

void DeviceMemory::dropUse(std::uint64_t handle)
{
    const auto physical = m_physical.find(handle);
    if (--physical->second.uses > 0)
        return;
    m_taken.at(static_cast<std::size_t>(physical->second.device)) -= physical->second.bytes;
    m_physical.erase(physical);
}

bool DeviceMemory::release(std::uint64_t handle)
{
    const std::lock_guard lock{m_mutex};
    if (!m_physical.contains(handle))
        return false;
    dropUse(handle);
    return true;
}

bool DeviceMemory::map(void* address, std::size_t bytes, std::uint64_t handle)
{
    const std::lock_guard lock{m_mutex};
    const auto physical = m_physical.find(handle);
    if (physical == m_physical.end() || physical->second.bytes < bytes)
        return false;
    ++physical->second.uses;
    m_blocks[numberOf(address)] = {
        .bytes = bytes, .device = physical->second.device, .handle = handle};
    keepValues(numberOf(address), bytes);
    return true;
}

bool DeviceMemory::unmap(void* address, std::size_t bytes)
{
    const std::lock_guard lock{m_mutex};
    const std::uintptr_t end = numberOf(address) + bytes;
    auto block = m_blocks.find(numberOf(address));
    if (block == m_blocks.end())
        return false;
    while (block != m_blocks.end() && block->first < end && block->second.handle != 0) {
        dropUse(block->second.handle);
        dropValues(block->first, block->second.bytes);
        block = m_blocks.erase(block);
    }
    return true;
}

} // namespace plimsoll::stand_in
