// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/readers/plimsoll_graph/draft.h"
#include "core/readers/plimsoll_graph/scan.h"

#include <string_view>

namespace plimsoll::readers::plimsoll_graph {

inline constexpr std::string_view kFormatId = "plimsoll-graph";
inline constexpr int kFormatVersion = 1;

enum class HeaderKey { Read, Unknown, Failed };

/// Reads the value of one key of the header; Unknown leaves the value untouched.
HeaderKey readHeaderKey(Scan& scan, std::string_view key, JsonValue& value, graph::Header& header);

bool readChecks(Scan& scan, JsonValue& value, Draft& draft);

/// Finds `format` and `version` wherever they are in the text and refuses other formats and newer
/// versions, before any row is read: another version may write rows differently.
bool readVersion(Scan& scan, simdjson::ondemand::document& document, int& version);

} // namespace plimsoll::readers::plimsoll_graph
