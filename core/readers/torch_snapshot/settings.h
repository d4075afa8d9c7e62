// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/torch_snapshot/recording.h"

namespace plimsoll::readers::torch_snapshot {

/// The allocator's settings, and whether the recording overflowed: shown as they are.
class Settings
{
public:
    explicit Settings(Recording& recording) : m_recording{recording} {}

    void take(Items items);
    /// Of the root: some are there.
    void takeRoot(Items items);
    /// An item of a dict (word::Nothing: of a list) that is the value of a setting.
    void addToGroup(std::uint32_t name, std::uint32_t key, const PickleValue& value);
    void finish();

private:
    Recording& m_recording;
    std::map<std::string, std::string> m_settings;
};

} // namespace plimsoll::readers::torch_snapshot
