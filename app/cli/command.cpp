// SPDX-License-Identifier: Apache-2.0
#include "app/cli/command.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <cmath>

namespace plimsoll::cli {

namespace {

using base::ErrorKind;

constexpr double kLargestExact = 9007199254740992.0; ///< 2^53

} // namespace

Exit exitFor(ErrorKind kind)
{
    switch (kind) {
    case ErrorKind::Internal: return Exit::Internal;
    case ErrorKind::Usage: return Exit::Usage;
    case ErrorKind::File: return Exit::File;
    case ErrorKind::NotFound: return Exit::NoPlan;
    case ErrorKind::CheckFailed: return Exit::GateFailed;
    case ErrorKind::Cancelled: return Exit::Cancelled;
    }
    return Exit::Internal;
}

Verb::Verb(CLI::App& parent, const char* name, const char* sentence)
    : m_command{*parent.add_subcommand(name, sentence)}
{
}

void Verb::close(const std::string& footer)
{
    m_command.add_flag("--json", m_common.json, "Print one JSON object and nothing else");
    m_command.add_flag("--quiet", m_common.quiet, "Print no text and no progress");
    m_command.footer(footer);
}

ordered_json number(double value)
{
    if (value == std::floor(value) && std::abs(value) < kLargestExact)
        return static_cast<std::int64_t>(value);
    return value;
}

std::string titled(std::string_view model, std::string_view batch)
{
    return batch.empty() ? base::printable(model)
                         : fmt::format("{} ({})", base::printable(model), base::printable(batch));
}

} // namespace plimsoll::cli
