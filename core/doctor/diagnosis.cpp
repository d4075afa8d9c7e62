// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/diagnosis.h"

#include "core/base/format.h"

#include <algorithm>

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

const char* enoughName(Enough enough)
{
    switch (enough) {
    case Enough::Allocation: return "allocation";
    case Enough::Step: return "step";
    case Enough::NotKnown: break;
    }
    return nullptr;
}

bool Diagnosis::isStepUnknown() const
{
    return failsInForward && std::ranges::none_of(remedies, [](const Remedy& remedy) {
               return remedy.known == HowKnown::Plan;
           });
}

std::optional<base::Bytes> usableMemory(const Diagnosis& diagnosis)
{
    if (!diagnosis.isFailure)
        return std::nullopt;
    if (diagnosis.replay && diagnosis.replay->limit)
        return diagnosis.replay->limit;
    const auto least = [](const ToldBytes& bytes) {
        return std::max(base::Bytes{}, bytes.value - bytes.error);
    };
    if (!diagnosis.reserved || !diagnosis.free)
        return std::nullopt;
    const base::Bytes had = least(*diagnosis.reserved) + least(*diagnosis.free);
    return diagnosis.message && diagnosis.message->allowed
               ? std::min(had, least(*diagnosis.message->allowed))
               : had;
}

base::Rounding savingRounding(const Diagnosis& diagnosis, const Remedy& remedy)
{
    const bool looksEnough =
        remedy.saves && diagnosis.missing && *remedy.saves < diagnosis.missing->value
        && base::bytesText(*remedy.saves) == base::bytesText(diagnosis.missing->value);
    return looksEnough ? base::Rounding::Down : base::Rounding::Nearest;
}

} // namespace plimsoll::doctor
