// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/summary.h"
#include "core/readers/registry.h"

#include "tests/support/messages.h"
#include "tests/support/random.h"

#include <string>

namespace plimsoll::tests {

/// Reads a profile's file again and again, with one bit to `most` of its bits flipped. Says what is
/// wrong with the answers: each is a profile with a device or one sentence, and there are both.
/// Empty: nothing is wrong.
template <typename Read>
[[nodiscard]] std::string faultOfFlippedBits(const std::string& whole, int rounds, int most,
                                             Read&& read)
{
    Random random{5};
    int accepted = 0;
    for (int round = 0; round < rounds; ++round) {
        std::string bytes = whole;
        for (int left = random.between(1, most); left > 0; --left) {
            char& byte = bytes[random.below(bytes.size())];
            byte = static_cast<char>(byte ^ 1 << random.between(0, 7));
        }
        const base::Result<readers::ReadProfile> answer = read(bytes);
        accepted += answer ? 1 : 0;
        if (answer && memtrace::summaryOf(*answer->trace).devices.empty())
            return "a profile without a device";
        if (!answer && !isOneSentence(answer.error().message))
            return "not one sentence: " + answer.error().message;
    }
    if (accepted == 0 || accepted == rounds)
        return accepted == 0 ? "all are refused" : "none is refused";
    return {};
}

} // namespace plimsoll::tests
