// SPDX-License-Identifier: Apache-2.0
#include "tests/stand_in_gpu/cupti_delivery.h"

#include "tests/stand_in_gpu/cupti_settings.h"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace plimsoll::stand_in {

namespace {

/// From here on a client may refuse a buffer (CUDA 12.9).
constexpr std::uint32_t kMayRefuse = 27;
/// Buffers whose zeros are looked at: not all, for the time it takes.
constexpr std::size_t kChecked = 16;

[[noreturn]] void refuseClient(const char* what)
{
    std::fprintf(stderr, "stand-in CUPTI: %s.\n", what);
    std::abort();
}

void checkZero(const std::uint8_t* bytes, std::size_t size)
{
    if (bytes[0] != 0 || std::memcmp(bytes, bytes + 1, size - 1) != 0)
        refuseClient("a buffer that was to be zeroed is not");
}

} // namespace

Delivery& Delivery::get()
{
    static auto* const kDelivery = new Delivery;
    return *kDelivery;
}

Delivery::Delivery()
{
    // No signal of the program is handled on this thread.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread{[this] { work(); }}.detach();
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Delivery::setCallbacks(CUpti_BuffersCallbackRequestFunc request,
                            CUpti_BuffersCallbackCompleteFunc complete)
{
    const std::lock_guard lock{m_mutex};
    m_request = request;
    m_complete = complete;
}

void Delivery::setPerThread(bool perThread)
{
    const std::lock_guard lock{m_mutex};
    m_perThread = perThread;
}

void Delivery::setZeroed(bool zeroed)
{
    const std::lock_guard lock{m_mutex};
    m_zeroed = zeroed;
}

std::thread::id Delivery::currentOwner() const
{
    return m_perThread || cuptiSettings().perThread ? std::this_thread::get_id()
                                                    : std::thread::id{};
}

std::optional<Delivery::Buffer> Delivery::nextBuffer()
{
    Buffer buffer;
    std::size_t most = 0;
    m_request(&buffer.bytes, &buffer.size, &most);
    if (buffer.bytes == nullptr) {
        if (cuptiSettings().version < kMayRefuse)
            refuseClient("a buffer was refused, which this version can't stand");
        return std::nullopt;
    }
    if (reinterpret_cast<std::uintptr_t>(buffer.bytes) % 8 != 0)
        refuseClient("a buffer does not begin at a multiple of 8 bytes");
    if (m_zeroed && m_requests++ < kChecked)
        checkZero(buffer.bytes, buffer.size);
    if (!m_zeroed)
        std::memset(buffer.bytes, 0, buffer.size);
    return buffer;
}

void Delivery::add(const void* record, std::size_t bytes)
{
    const std::lock_guard lock{m_mutex};
    if (m_request == nullptr)
        return;
    ++m_added;
    if (cuptiSettings().dropEach > 0 && m_added % cuptiSettings().dropEach == 0) {
        ++m_dropped;
        return;
    }
    const std::thread::id owner = currentOwner();
    auto open = m_open.find(owner);
    if (open != m_open.end() && open->second.used + bytes > open->second.size) {
        m_full.push_back(open->second);
        m_open.erase(open);
        open = m_open.end();
        if (!cuptiSettings().late)
            m_wake.notify_one();
    }
    if (open == m_open.end()) {
        const std::optional<Buffer> buffer = nextBuffer();
        if (!buffer || buffer->size < bytes) {
            ++m_dropped;
            return;
        }
        open = m_open.emplace(owner, *buffer).first;
    }
    Buffer& buffer = open->second;
    std::memcpy(buffer.bytes + buffer.used, record, bytes);
    buffer.used += bytes;
    buffer.lastRecord = bytes;
}

/// Called without m_mutex: the client may call CUPTI.
void Delivery::giveBack(Buffer buffer)
{
    std::size_t valid = buffer.used;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    {
        const std::lock_guard lock{m_mutex};
        complete = m_complete;
        if (cuptiSettings().cut && !std::exchange(m_hasCut, true))
            valid -= buffer.lastRecord / 2;
    }
    complete(nullptr, 0, buffer.bytes, buffer.size, valid);
}

void Delivery::flush(bool all)
{
    const std::lock_guard order{m_order};
    std::deque<Buffer> back;
    {
        const std::lock_guard lock{m_mutex};
        back.swap(m_full);
        if (all || !cuptiSettings().late) {
            for (const auto& [owner, buffer] : m_open)
                back.push_back(buffer);
            m_open.clear();
        }
    }
    if (cuptiSettings().late)
        std::reverse(back.begin(), back.end());
    for (const Buffer& buffer : back)
        giveBack(buffer);
}

void Delivery::work()
{
    for (;;) {
        {
            std::unique_lock lock{m_mutex};
            m_wake.wait(lock, [this] { return !m_full.empty() && !cuptiSettings().late; });
        }
        const std::lock_guard order{m_order};
        std::deque<Buffer> back;
        {
            const std::lock_guard lock{m_mutex};
            back.swap(m_full);
        }
        for (const Buffer& buffer : back)
            giveBack(buffer);
    }
}

std::size_t Delivery::takeDropped()
{
    const std::lock_guard lock{m_mutex};
    return std::exchange(m_dropped, 0);
}

} // namespace plimsoll::stand_in
