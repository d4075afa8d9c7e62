// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/recording.h"

namespace plimsoll::readers::torch_snapshot {

/// Events of the recording, and ranges of time around them.
class Events
{
public:
    explicit Events(Recording& recording) : m_recording{recording} {}

    [[nodiscard]] bool take(int ordinal, Items items);
    void takeAnnotation(Items items);

private:
    /// `items`: empty if they have no texts.
    [[nodiscard]] bool add(int ordinal, const memtrace::RecordedEvent& event, Items items);
    void addTexts(memtrace::DeviceBuilder& device, memtrace::EventIndex event, bool isAnnotation,
                  Items items);

    Recording& m_recording;
};

} // namespace plimsoll::readers::torch_snapshot
