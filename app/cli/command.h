// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plimsoll::cli {

using nlohmann::ordered_json;

/// Exit codes of the command line, part of its interface.
enum class Exit : int {
    Done = 0,
    Internal = 1,
    Usage = 2,
    File = 3,
    NoPlan = 4,
    GateFailed = 5,
    NoGpu = 77, ///< no GPU, driver or CUPTI for a verb that needs one
    Cancelled = 130,
};
[[nodiscard]] Exit exitFor(base::ErrorKind kind);

/// Flags of every verb.
struct Common
{
    bool json = false;
    bool quiet = false;
};

/// A verb's output and exit status. `error` goes to standard error as one line.
struct Answer
{
    Exit exit = Exit::Done;
    ordered_json json;
    std::string text; ///< for people; ends with a line break unless empty
    std::string error;
};

/// Ends a verb. Must not leave app/cli: functions passed to core return a Result.
class VerbError : public std::exception
{
public:
    explicit VerbError(base::Error error) : m_error{std::move(error)} {}
    VerbError(base::ErrorKind kind, std::string message) : m_error{kind, std::move(message)} {}

    [[nodiscard]] const base::Error& error() const { return m_error; }
    [[nodiscard]] const char* what() const noexcept override { return m_error.message.c_str(); }

private:
    base::Error m_error;
};

/// The value; an error ends the verb.
template <typename T>
T orThrow(base::Result<T> result)
{
    if (!result)
        throw VerbError{std::move(result.error())};
    if constexpr (!std::is_void_v<T>)
        return *std::move(result);
}

/// null where there is no value.
template <typename T>
[[nodiscard]] ordered_json orNull(const std::optional<T>& value)
{
    return value ? ordered_json(*value) : ordered_json{};
}

/// A verb: its options live as long as the object.
class Verb
{
public:
    /// Adds the verb below `parent`.
    Verb(CLI::App& parent, const char* name, const char* sentence);
    Verb(const Verb&) = delete;
    Verb& operator=(const Verb&) = delete;
    Verb(Verb&&) = delete;
    Verb& operator=(Verb&&) = delete;
    virtual ~Verb() = default;

    [[nodiscard]] bool isParsed() const { return m_command.parsed(); }
    [[nodiscard]] const Common& common() const { return m_common; }
    /// Throws VerbError.
    [[nodiscard]] virtual Answer run() = 0;

protected:
    [[nodiscard]] CLI::App& command() { return m_command; }
    [[nodiscard]] const CLI::App& command() const { return m_command; }
    /// Adds the common flags and the footer of the help, after the verb's own options.
    void close(const std::string& footer);

private:
    CLI::App& m_command; ///< parent's
    Common m_common;
};

/// Wall time since construction, for the key `seconds`.
class Stopwatch
{
public:
    [[nodiscard]] double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    }

private:
    std::chrono::steady_clock::time_point m_begin = std::chrono::steady_clock::now();
};

/// A number that JSON shows without a fraction if it has none.
[[nodiscard]] ordered_json number(double value);
/// "GPT-2 (8x1024 int64)": a model and the shapes of its inputs, if known.
[[nodiscard]] std::string titled(std::string_view model, std::string_view batch);

} // namespace plimsoll::cli
