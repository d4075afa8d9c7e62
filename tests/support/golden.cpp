// SPDX-License-Identifier: Apache-2.0
#include "tests/support/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

namespace plimsoll::tests {
namespace {

std::optional<std::string> textOf(const std::string& path)
{
    std::error_code error;
    const auto size = std::filesystem::file_size(path, error);
    if (error) {
        return std::nullopt;
    }
    std::string text(size, '\0');
    std::ifstream{path, std::ios::binary}.read(text.data(), static_cast<std::streamsize>(size));
    return text;
}

/// Removes the first line from `rest` and returns it.
std::string_view takeLine(std::string_view& rest)
{
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return line;
}

std::string firstDifference(std::string_view expected, std::string_view actual)
{
    for (int number = 1; !expected.empty() || !actual.empty(); ++number) {
        const std::string_view wanted = takeLine(expected);
        const std::string_view got = takeLine(actual);
        if (wanted != got) {
            return fmt::format("line {}:\n  expected: {}\n  actual:   {}", number, wanted, got);
        }
    }
    return "only the line ends differ";
}

} // namespace

std::string repositoryPath(std::string_view path)
{
    return fmt::format("{}/{}", PLIMSOLL_SOURCE_DIR, path);
}

std::string samplePath(std::string_view name)
{
    return repositoryPath(fmt::format("resources/samples/{}.plimsoll.json.gz", name));
}

std::string differenceFromGolden(std::string_view name, std::string_view text)
{
    const std::string path = repositoryPath(fmt::format("tests/golden/{}", name));
    if (std::getenv("PLIMSOLL_REWRITE_GOLDEN") != nullptr) { // NOLINT(concurrency-mt-unsafe)
        std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
        std::ofstream{path, std::ios::binary} << text;
        return {};
    }
    const std::optional<std::string> expected = textOf(path);
    if (!expected) {
        return fmt::format("tests/golden/{} is missing; PLIMSOLL_REWRITE_GOLDEN=1 writes it", name);
    }
    if (*expected == text) {
        return {};
    }
    return fmt::format("tests/golden/{}, {}", name, firstDifference(*expected, text));
}

std::vector<std::string> sampleNames()
{
    static constexpr std::string_view kEnding = ".plimsoll.json.gz";
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator{repositoryPath("resources/samples")}) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(kEnding))
            names.push_back(name.substr(0, name.size() - kEnding.size()));
    }
    std::ranges::sort(names);
    return names;
}

} // namespace plimsoll::tests
