// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tl/expected.hpp>

#include <string>
#include <utility>

namespace plimsoll::base {

/// What went wrong, as far as callers distinguish it (exit codes, colour of a banner).
enum class ErrorKind {
    Internal,    ///< a bug in Plimsoll
    Usage,       ///< an invalid request by the caller
    File,        ///< a file can't be read or written, or isn't valid
    NotFound,    ///< no plan within the budget was found or exists
    CheckFailed, ///< a check failed: faults of a plan, an exceeded limit
    Cancelled,   ///< the user stopped it
};

/// One clear sentence for the user: what happened, where (file, offset or line), what to do.
struct Error
{
    ErrorKind kind = ErrorKind::Internal;
    std::string message;

    bool operator==(const Error&) const = default;
};

/// The message for the user; for internal errors with the request to report them.
[[nodiscard]] inline std::string told(const Error& error)
{
    return error.kind != ErrorKind::Internal
               ? error.message
               : error.message + " This is a bug: please report it with the file and what you did.";
}

template <typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> failure(ErrorKind kind, std::string message)
{
    return tl::unexpected<Error>{Error{kind, std::move(message)}};
}

[[nodiscard]] inline tl::unexpected<Error> cancelled()
{
    return failure(ErrorKind::Cancelled, "Cancelled.");
}

} // namespace plimsoll::base
