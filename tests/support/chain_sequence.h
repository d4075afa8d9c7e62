// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/solve/chain/rotor/sequence.h"

#include <array>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

namespace plimsoll::tests {

/// The schedule of a text in the format of solve::sequenceText(); nullopt if a word isn't an
/// operation.
inline std::optional<solve::Sequence> parseSequence(const std::string& text)
{
    using solve::ChainOpKind;
    constexpr std::array<std::pair<std::string_view, ChainOpKind>, 6> kPrefixes{
        {{"CF_", ChainOpKind::Check},
         {"Fn_", ChainOpKind::NoGrad},
         {"Fe_", ChainOpKind::Enable},
         {"B_", ChainOpKind::Backward},
         {"drop_", ChainOpKind::DropValue},
         {"dropbar_", ChainOpKind::DropSaved}}};
    solve::Sequence sequence;
    std::istringstream words{text};
    for (std::string word; words >> word;) {
        solve::ChainOp op;
        for (const auto& [prefix, kind] : kPrefixes)
            if (word.starts_with(prefix)) {
                std::istringstream numbers{word.substr(prefix.size())};
                op.kind = kind;
                numbers >> op.stage;
                if (numbers.get() == '@')
                    numbers >> op.variant;
            }
        sequence.push_back(op);
        if (solve::sequenceText({op}) != word)
            return std::nullopt;
    }
    return sequence;
}

} // namespace plimsoll::tests
