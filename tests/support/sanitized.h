// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace plimsoll::tests {

/// Whether a sanitizer watches this build: about ten times as slow, so tests leave out there what
/// takes minutes, or look at one problem of ten; what a sanitizer finds, it finds there.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

inline constexpr int kShare = kSanitized ? 10 : 1; ///< one problem of so many

/// Whether tests that plan for every shipped sample do so for this one: the small ones always.
inline bool isPlannedHere(std::string_view sample)
{
    return !kSanitized || sample == "resnet18" || sample == "unet" || sample == "gpt2_prompt";
}

} // namespace plimsoll::tests
