// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/inject/cupti_table.h"
#include "app/inject/faults.h"

#include <string>

namespace plimsoll::inject {

/// What CUPTI is to call; its interface has no place for an object in the first two.
struct CuptiCallbacks
{
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;
    CUpti_CallbackFunc call = nullptr;
};

/// Our subscription to CUPTI: what is recorded.
class CuptiClient
{
public:
    /// Loads CUPTI and has it record. What doesn't work is noted; false if nothing is recorded.
    /// Calls no CUDA, which may not be ready.
    [[nodiscard]] bool start(const std::string& named, const CuptiCallbacks& callbacks,
                             Faults& faults);
    /// Ends the recording, so that the program pays no longer for it.
    void stop() const;

    [[nodiscard]] bool isRecording() const { return m_isRecording; }
    [[nodiscard]] const CuptiTable& table() const { return m_table; }

private:
    [[nodiscard]] bool subscribe(CUpti_CallbackFunc call, Faults& faults);
    void setAttributes() const;
    [[nodiscard]] bool enableKinds(Faults& faults) const;
    void enableCallbacks(Faults& faults) const;

    CuptiTable m_table;
    CUpti_SubscriberHandle m_subscriber = nullptr;
    bool m_isRecording = false;
};

} // namespace plimsoll::inject
