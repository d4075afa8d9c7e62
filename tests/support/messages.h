// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// One line that ends in one full stop.
[[nodiscard]] inline bool isOneSentence(std::string_view message)
{
    return message.size() > 2 && message.size() < 1000 && message.back() == '.'
           && message.find('\n') == std::string_view::npos
           && message.find(". ") == std::string_view::npos;
}

/// Why a result is an error, for QVERIFY2; empty for a good one.
template <typename T>
[[nodiscard]] const char* messageOf(const base::Result<T>& result)
{
    return result ? "" : result.error().message.c_str();
}

/// What is wrong with a refusal: empty if the error is of kind File and its message is one sentence
/// that contains all of the words.
template <typename T>
[[nodiscard]] std::string faultOfRefusal(const base::Result<T>& result,
                                         std::initializer_list<std::string_view> words)
{
    if (result)
        return "it was not refused";
    const auto& [kind, message] = result.error();
    if (kind != base::ErrorKind::File)
        return "not of kind File: " + message;
    if (!isOneSentence(message))
        return "not one sentence: " + message;
    for (const std::string_view word : words)
        if (message.find(word) == std::string::npos)
            return message + " lacks: " + std::string{word};
    return {};
}

} // namespace plimsoll::tests
