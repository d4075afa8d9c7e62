// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "core/graph/resize.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::cli {

/// --at batch=16,sequence=2048: the size at which to evaluate a graph that was traced at several.
class AtOption
{
public:
    void addTo(CLI::App& command);

    [[nodiscard]] bool isGiven() const { return m_text.has_value(); }
    [[nodiscard]] std::vector<graph::AxisSize> sizes() const;

private:
    std::optional<std::string> m_text;
};

} // namespace plimsoll::cli
