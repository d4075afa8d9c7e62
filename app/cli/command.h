// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"
#include "core/graph/program.h"
#include "core/readers/source.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::cli {

using nlohmann::ordered_json;

/// Exit codes of the command line's contract.
enum class Exit : int {
    Done = 0,
    Internal = 1,
    Usage = 2,
    File = 3,
    NoPlan = 4,
    GateFailed = 5,
    Cancelled = 130,
};
[[nodiscard]] Exit exitFor(base::ErrorKind kind);

/// Flags that every verb has.
struct Common
{
    bool json = false;
    bool quiet = false;
};
void addCommon(CLI::App& verb, Common& common);

/// What a verb wants printed, and how it ended. `error` goes to standard error as one line.
struct Answer
{
    Exit exit = Exit::Done;
    ordered_json json;
    std::string text; ///< for people; ends with a line break unless empty
    std::string error;
};
using AnswerResult = base::Result<Answer>;

/// A verb: its options live as long as the object.
class Verb
{
public:
    Verb() = default;
    Verb(const Verb&) = delete;
    Verb& operator=(const Verb&) = delete;
    Verb(Verb&&) = delete;
    Verb& operator=(Verb&&) = delete;
    virtual ~Verb() = default;

    [[nodiscard]] virtual const CLI::App* app() const = 0;
    [[nodiscard]] virtual const Common& common() const = 0;
    [[nodiscard]] virtual AnswerResult run() = 0;
};

/// Wall time since it was made, for the key `seconds`.
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

/// The file's content of kind File errors, named after the file.
[[nodiscard]] base::Error inFile(const std::filesystem::path& path, const base::Error& error);

/// A number that JSON shows without a fraction when it has none.
[[nodiscard]] ordered_json number(double value);
/// "1 op", "3 ops".
[[nodiscard]] std::string counted(std::size_t count, std::string_view noun);

} // namespace plimsoll::cli
