// SPDX-License-Identifier: Apache-2.0
#include "app/inject/recorder.h"

#include "app/inject/drain.h"

#include <cstdio>
#include <exception>
#include <pthread.h>
#include <sys/mman.h>
#include <system_error>
#include <utility>

namespace plimsoll::inject {

namespace {

namespace wire = capture::wire;

/// A buffer for a version of CUPTI that must get one: its records are counted, not kept.
constexpr std::size_t kSpillBytes = std::size_t{16} << 10U;

std::atomic<Recorder*> recorder{nullptr};

void CUPTIAPI onRequest(std::uint8_t** buffer, std::size_t* bytes, std::size_t* mostRecords)
{
    *mostRecords = 0; // as many as there is room for
    recorder.load()->request(buffer, bytes);
}

void CUPTIAPI onComplete(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                         std::size_t bytes, std::size_t valid)
{
    recorder.load()->complete(buffer, bytes, valid);
}

void CUPTIAPI onCallback(void* /*data*/, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                         const void* data)
{
    recorder.load()->callBack(domain, id, data);
}

} // namespace

Recorder::Recorder(Settings settings)
    : m_settings{std::move(settings)}
    , m_channel{m_settings.buffers}
    , m_writer{m_settings, m_client, m_file, m_channel}
{
}

Recorder* Recorder::start()
{
    auto* const made = new Recorder{readSettings()};
    if (const int error = made->m_file.open(made->m_settings); error != 0) {
        // The only thing that is ever printed: there is no other place for it.
        std::fprintf(stderr, "Plimsoll can't write %s (%s), so nothing is recorded.\n",
                     made->m_file.path().c_str(), std::generic_category().message(error).c_str());
        return nullptr;
    }
    recorder = made;
    pthread_atfork(nullptr, nullptr, [] { recorder.load()->silence(); });
    (void)made->m_client.start(made->m_settings.cupti, {&onRequest, &onComplete, &onCallback},
                               made->m_channel.faults);
    made->m_writer.start();
    return made;
}

void Recorder::request(std::uint8_t** buffer, std::size_t* bytes)
{
    *buffer = m_silent ? nullptr : m_channel.pool.take();
    *bytes = *buffer != nullptr ? BufferPool::kBytes : 0;
    if (*buffer != nullptr || m_client.table().version >= kMayRefuseBuffers)
        return;
    void* const spill =
        mmap(nullptr, kSpillBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (spill != MAP_FAILED) {
        *buffer = static_cast<std::uint8_t*>(spill);
        *bytes = kSpillBytes;
    }
}

void Recorder::complete(std::uint8_t* buffer, std::size_t bytes, std::size_t valid)
{
    if (buffer == nullptr)
        return;
    if (bytes == BufferPool::kBytes) {
        if (!m_silent) // a child has a copy that nobody takes
            m_channel.pool.push({buffer, valid});
        return;
    }
    m_channel.lost += countRecords(m_client.table(), {buffer, valid});
    munmap(buffer, kSpillBytes);
}

void Recorder::callBack(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data)
try {
    if (m_silent)
        return;
    if (domain == CUPTI_CB_DOMAIN_STATE) {
        const CUptiResult result = static_cast<const CUpti_StateData*>(data)->notification.result;
        m_channel.faults.note({wire::StatusCode::ToolFailed, wire::Severity::Warning, result,
                               "CUPTI says that it failed (its error "
                                   + std::to_string(static_cast<int>(result))
                                   + "): records may be missing from here on."});
        return;
    }
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API || call.callbackSite != CUPTI_API_EXIT
        || *static_cast<const CUresult*>(call.functionReturnValue) != CUDA_SUCCESS)
        return;
    std::uint64_t time = 0;
    (void)m_client.table().GetTimestamp(&time);
    m_channel.mappings.note(id, call, time);
} catch (const std::exception&) {
    ++m_channel.lost; // no memory: the program goes on without this record
}

void Recorder::finish()
{
    if (!m_silent)
        m_writer.finish();
}

void Recorder::silence()
{
    m_silent = true;
    m_file.close();
}

} // namespace plimsoll::inject
