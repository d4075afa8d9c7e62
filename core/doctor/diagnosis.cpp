// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/diagnosis.h"

namespace plimsoll::doctor {

const char* howKnownName(HowKnown known)
{
    switch (known) {
    case HowKnown::Replay: return "replay";
    case HowKnown::Plan: return "plan";
    case HowKnown::Live: return "live";
    case HowKnown::Estimate: break;
    }
    return "estimate";
}

} // namespace plimsoll::doctor
