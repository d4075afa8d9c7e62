// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/deep_thread.h"

#include <utility>

namespace plimsoll::solve {

namespace {

extern "C" void* runDeepWork(void* work)
{
    (*static_cast<std::function<void()>*>(work))();
    return nullptr;
}

} // namespace

DeepThread::DeepThread(std::size_t stackBytes, std::function<void()> work) : m_work{std::move(work)}
{
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    m_runs = pthread_attr_setstacksize(&attributes, stackBytes) == 0
             && pthread_create(&m_thread, &attributes, runDeepWork, &m_work) == 0;
    pthread_attr_destroy(&attributes);
}

DeepThread::~DeepThread()
{
    if (m_runs)
        pthread_join(m_thread, nullptr);
}

} // namespace plimsoll::solve
