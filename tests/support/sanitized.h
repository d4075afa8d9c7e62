// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string_view>

namespace plimsoll::tests {

/// Whether this build runs under a sanitizer, about ten times as slow. Tests then skip parts that
/// take minutes, or use one problem in ten, which is enough for a sanitizer.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline constexpr int kShare = kSanitized ? 10 : 1; ///< one problem of so many

/// Whether this is `packaging/test --exhaustive`, where what repeats other tests is run, too.
inline bool isExhaustive()
{
    const char* value = std::getenv("PLIMSOLL_EXHAUSTIVE");
    return value != nullptr && std::string_view{value} == "1";
}

/// Random problems of property tests: one of so many is enough under a sanitizer and in a normal
/// run.
template <typename Number = int>
Number share()
{
    return kSanitized ? kShare : isExhaustive() ? 1 : 4;
}

/// Whether tests that plan every shipped sample include this one; small ones are always included.
inline bool isPlannedHere(std::string_view sample)
{
    return !kSanitized || sample == "resnet18" || sample == "gpt2_prompt"
           || (sample == "unet" && isExhaustive());
}

} // namespace plimsoll::tests
