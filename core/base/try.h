// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <utility>

#define PLIMSOLL_JOINED(left, right) left##right
#define PLIMSOLL_UNIQUE(number) PLIMSOLL_JOINED(resultOfTry, number)
#define PLIMSOLL_ASSIGN(result, target, ...)                                                       \
    auto result = (__VA_ARGS__);                                                                   \
    if (!result)                                                                                   \
        return tl::unexpected{std::move(result).error()};                                          \
    target = *std::move(result)
#define PLIMSOLL_RETURN(result, ...)                                                               \
    do {                                                                                           \
        if (auto result = (__VA_ARGS__); !result)                                                  \
            return tl::unexpected{std::move(result).error()};                                      \
    } while (false)

/// Moves the value of a Result into `target`, a variable or the declaration of one, or returns its
/// error: ASSIGN_OR_RETURN(const auto content, io::readFile(path)). It is several statements, so
/// below an `if` or a loop it needs braces; a type with a comma needs a name or `auto`.
#define ASSIGN_OR_RETURN(target, ...)                                                              \
    PLIMSOLL_ASSIGN(PLIMSOLL_UNIQUE(__COUNTER__), target, __VA_ARGS__)

/// Returns the error of a Result; what value it has is dropped.
#define RETURN_IF_ERROR(...) PLIMSOLL_RETURN(PLIMSOLL_UNIQUE(__COUNTER__), __VA_ARGS__)
