// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/portfolio.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <list>
#include <pthread.h>
#include <thread>
#include <utility>

namespace plimsoll::solve {

namespace {

extern "C" void* runDeepWork(void* work)
{
    (*static_cast<std::function<void()>*>(work))();
    return nullptr;
}

/// A thread with a deep stack, which std::thread can't be given. Joined by its destructor.
class DeepThread
{
public:
    /// `work` must not throw. It doesn't run if the system refuses a thread with such a stack.
    DeepThread(std::size_t stackBytes, std::function<void()> work) : m_work{std::move(work)}
    {
        pthread_attr_t attributes;
        if (pthread_attr_init(&attributes) != 0)
            return;
        m_runs = pthread_attr_setstacksize(&attributes, stackBytes) == 0
                 && pthread_create(&m_thread, &attributes, runDeepWork, &m_work) == 0;
        pthread_attr_destroy(&attributes);
    }

    ~DeepThread()
    {
        if (m_runs)
            pthread_join(m_thread, nullptr);
    }

    DeepThread(const DeepThread&) = delete;
    DeepThread& operator=(const DeepThread&) = delete;
    DeepThread(DeepThread&&) = delete;
    DeepThread& operator=(DeepThread&&) = delete;

private:
    std::function<void()> m_work;
    pthread_t m_thread{};
    bool m_runs = false;
};

constexpr std::size_t kFixed = 2 * kFixedPackOrders;
/// Many short searches find what one long search misses: fixed orders first, then random ones.
constexpr std::size_t kMembers = kFixed + 100;
constexpr std::size_t kVariations = 4; ///< of the one order for a large group
/// Small groups finish before a thread would start, and one order proves more than many.
constexpr std::size_t kFewBuffers = 40;
constexpr std::size_t kMostOnAnyStack = 500; ///< buffers: more need a thread made for that

SkylineOptions memberOptions(std::size_t member, std::size_t buffers,
                             const PortfolioQuestion& question)
{
    const bool lowestFirst = member % 2 == 1;
    if (buffers > kMostInAllOrders)
        return {PackOrder::Priced, lowestFirst, question.nodes,
                question.series * kVariations + member};
    if (member >= kFixed)
        return {PackOrder::Random, lowestFirst, std::min(question.nodes, 1000 + 6 * buffers),
                member};
    return {static_cast<PackOrder>(member / 2), lowestFirst, question.nodes};
}

} // namespace

SkylineAnswer searchPortfolio(const PackBuffers& buffers, const std::vector<std::uint32_t>& group,
                              const PortfolioQuestion& question, const std::stop_token& stop)
{
    std::array<SkylineAnswer, kMembers> answers;
    std::array<std::atomic<bool>, kMembers> dropped{};
    std::atomic<std::size_t> next{0};
    const bool few = group.size() <= kFewBuffers;
    const std::size_t members = few                               ? kFixed
                                : group.size() > kMostInAllOrders ? kVariations
                                                                  : kMembers;
    // An answer only makes later members useless, never earlier ones, so which answer counts
    // doesn't depend on thread timing.
    const auto work = [&] {
        for (std::size_t member = next++; member < members; member = next++) {
            if (dropped[member].load())
                continue;
            answers[member] =
                searchSkyline(buffers, group, memberOptions(member, group.size(), question),
                              question.height, stop, dropped[member]);
            if (answers[member].verdict != SkylineVerdict::GaveUp)
                for (std::size_t later = member + 1; later < kMembers; ++later)
                    dropped[later].store(true);
        }
    };
    if (group.size() > kMostOnAnyStack) {
        std::list<DeepThread> all;
        for (int i = 0; i < question.threads; ++i)
            all.emplace_back(skylineStackBytes(group.size()), work);
    } else {
        std::vector<std::jthread> others;
        for (int i = 1; i < question.threads && !few; ++i)
            others.emplace_back(work);
        work();
    }
    for (SkylineAnswer& answer : answers)
        if (answer.verdict != SkylineVerdict::GaveUp)
            return std::move(answer);
    return {};
}

} // namespace plimsoll::solve
