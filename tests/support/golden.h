// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace plimsoll::tests {

/// Compares `text` with the file `name` below tests/golden. Returns an empty text if they are
/// equal, else a sentence with the first differing line, for QVERIFY2. If the environment variable
/// PLIMSOLL_REWRITE_GOLDEN is set, the file is written instead, to be reviewed as text.
[[nodiscard]] std::string differenceFromGolden(std::string_view name, std::string_view text);

/// Full path of a file of the repository ("tests/data/tiny.plimsoll.json").
[[nodiscard]] std::string repositoryPath(std::string_view path);

/// Full path of a shipped graph: resources/samples/NAME.plimsoll.json.gz.
[[nodiscard]] std::string samplePath(std::string_view name);

/// The names of all shipped graphs, in alphabetical order.
[[nodiscard]] std::vector<std::string> sampleNames();

} // namespace plimsoll::tests
