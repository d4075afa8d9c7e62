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

/// Moves the value of a Result into `target`, a variable or a declaration, or returns its error:
/// ASSIGN_OR_RETURN(const auto content, io::readFile(path)). It expands to several statements, so
/// it needs braces below an `if` or a loop; a type with a comma needs an alias or `auto`.
#define ASSIGN_OR_RETURN(target, ...)                                                              \
    PLIMSOLL_ASSIGN(PLIMSOLL_UNIQUE(__COUNTER__), target, __VA_ARGS__)

/// Returns the error of a Result, if it has one; discards its value.
#define RETURN_IF_ERROR(...) PLIMSOLL_RETURN(PLIMSOLL_UNIQUE(__COUNTER__), __VA_ARGS__)
