// SPDX-License-Identifier: Apache-2.0
// CUDA runtime: streams and events. Everything is done at once; with late events a query says so at
// the third time only.
#include "tests/stand_in_gpu/settings.h"
#include "tests/stand_in_gpu/thread_state.h"

#include <atomic>

namespace plimsoll::stand_in {

namespace {

struct Stream
{
    int priority = 0;
};

struct Event
{
    std::atomic<int> queriesLeft = 0; ///< until it is done
};

constexpr int kLateQueries = 2;
constexpr int kGreatestPriority = -5;

cudaError_t makeStream(cudaStream_t* stream, int priority)
{
    *stream = reinterpret_cast<cudaStream_t>(new Stream{.priority = priority});
    return cudaSuccess;
}

cudaError_t makeEvent(cudaEvent_t* event)
{
    *event = reinterpret_cast<cudaEvent_t>(new Event);
    return cudaSuccess;
}

Event& eventOf(cudaEvent_t event)
{
    return *reinterpret_cast<Event*>(event);
}

cudaError_t record(cudaEvent_t event)
{
    eventOf(event).queriesLeft = settings().lateEvents ? kLateQueries : 0;
    return cudaSuccess;
}

} // namespace

} // namespace plimsoll::stand_in

using namespace plimsoll::stand_in;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t* stream)
{
    return makeStream(stream, 0);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int /*flags*/)
{
    return makeStream(stream, 0);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int /*flags*/, int priority)
{
    return makeStream(stream, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream)
{
    delete reinterpret_cast<Stream*>(stream);
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority)
{
    *priority = stream == nullptr ? 0 : reinterpret_cast<Stream*>(stream)->priority;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest)
{
    *least = 0;
    *greatest = kGreatestPriority;
    return cudaSuccess;
}

cudaError_t cudaStreamQuery(cudaStream_t /*stream*/)
{
    return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t /*stream*/)
{
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t /*stream*/, cudaEvent_t /*event*/,
                                unsigned int /*flags*/)
{
    return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                  unsigned int /*flags*/)
{
    callback(stream, cudaSuccess, data);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t /*stream*/, cudaHostFn_t function, void* data)
{
    function(data);
    return cudaSuccess;
}

cudaError_t cudaStreamIsCapturing(cudaStream_t /*stream*/, cudaStreamCaptureStatus* status)
{
    *status = cudaStreamCaptureStatusNone;
    return cudaSuccess;
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t /*stream*/, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* /*graph*/,
                                     const cudaGraphNode_t** /*dependencies*/,
                                     const cudaGraphEdgeData** /*edges*/, std::size_t* /*count*/)
{
    *status = cudaStreamCaptureStatusNone;
    if (id != nullptr)
        *id = 0;
    return cudaSuccess;
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* /*mode*/)
{
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return makeEvent(event);
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int /*flags*/)
{
    return makeEvent(event);
}

cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    delete &eventOf(event);
    return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t /*stream*/)
{
    return record(event);
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t /*stream*/,
                                     unsigned int /*flags*/)
{
    return record(event);
}

cudaError_t cudaEventQuery(cudaEvent_t event)
{
    std::atomic<int>& left = eventOf(event).queriesLeft;
    if (left <= 0)
        return cudaSuccess;
    --left;
    return noted(cudaErrorNotReady);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event)
{
    eventOf(event).queriesLeft = 0;
    return cudaSuccess;
}

/// No kernel runs, so that there is no time to tell.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t /*begin*/, cudaEvent_t /*end*/)
{
    *milliseconds = 0;
    return cudaSuccess;
}

} // extern "C"
