// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/events.h"
#include "core/readers/torch_snapshot/pickle_machine.h"
#include "core/readers/torch_snapshot/segments.h"
#include "core/readers/torch_snapshot/settings.h"
#include "core/readers/torch_snapshot/stacks.h"

#include <span>
#include <vector>

namespace plimsoll::readers::torch_snapshot {

/// Turns the lists and dicts of a snapshot into events, segments, blocks and stacks as soon as they
/// are complete, and keeps nothing else of them.
class SnapshotContent final : public PickleHandler
{
public:
    SnapshotContent(memtrace::Builder& builder, PickleMemo& memo, const PickleTexts& texts)
        : m_recording{builder, texts}
        , m_memo{memo}
        , m_stacks{m_recording, memo}
        , m_events{m_recording}
        , m_segments{m_recording}
        , m_settings{m_recording}
    {
    }

    [[nodiscard]] bool open(PickleValue& container, const PickleStack& stack) override;
    [[nodiscard]] bool append(PickleValue& list, std::span<PickleValue> items,
                              bool isBatch) override;
    [[nodiscard]] bool setItems(PickleValue& dict, std::span<PickleValue> items,
                                bool isBatch) override;
    [[nodiscard]] PickleValue tuple(std::span<PickleValue> items) override;
    [[nodiscard]] PickleValue recall(const PickleValue& value, const PickleStack& stack) override;
    [[nodiscard]] bool finish(PickleValue& root) override;
    [[nodiscard]] const std::string& fault() const override { return m_recording.fault(); }

    /// About what has been taken so far, the builder's part included.
    [[nodiscard]] std::size_t memoryBytes() const;

private:
    /// Python's pickler fills lists and dicts in batches of so many items: a smaller one is the
    /// last.
    static constexpr std::size_t kBatch = 1000;

    /// Items of a dict that is filled one by one. Taken once: when a dict of the same list begins,
    /// or when its list or dict takes it.
    struct Pending
    {
        std::vector<PickleValue> items;
        PickleValue result;
        bool isTaken = false;
    };

    /// Replaces a list or dict by what it has become.
    [[nodiscard]] bool close(PickleValue& value);
    [[nodiscard]] bool closeAll(std::span<PickleValue> items);
    [[nodiscard]] bool takePending(const PickleValue& dict, Pending& pending);
    [[nodiscard]] bool keepPending(PickleValue& dict, Items items);
    /// Takes a complete dict, or a part of one that is taken part by part.
    [[nodiscard]] bool take(const PickleValue& dict, Items items, PickleValue& result);

    Recording m_recording;
    PickleMemo& m_memo;
    Stacks m_stacks;
    Events m_events;
    Segments m_segments;
    Settings m_settings;
    std::vector<Pending> m_pending;
    std::vector<std::uint32_t> m_freePending; ///< indices, from 1
    std::size_t m_pendingItems = 0;
    std::size_t m_searched = 0; ///< values on the stack that recall() has looked at
};

} // namespace plimsoll::readers::torch_snapshot
