// SPDX-License-Identifier: Apache-2.0
#include "app/cli/at_option.h"

#include "core/base/format.h"
#include "core/base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace plimsoll::cli {

namespace {

graph::AxisSize parseSize(std::string_view part)
{
    const std::size_t equals = part.find('=');
    const std::string_view digits =
        equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    graph::AxisSize size{std::string{part.substr(0, equals)}, 0};
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, size.size);
    if (size.axis.empty() || digits.empty() || error != std::errc{} || stop != end || size.size < 1
        || size.size >= base::kHuge)
        throw VerbError(
            base::ErrorKind::Usage,
            fmt::format("--at \"{}\" is not a size: write batch=16, or batch=16,sequence=2048.",
                        base::printable(part, 40)));
    return size;
}

} // namespace

void AtOption::addTo(CLI::App& command)
{
    command.add_option("--at", m_text,
                       "Size of the step, for a graph that was traced at several sizes: batch=16, "
                       "or batch=16,sequence=2048");
}

std::vector<graph::AxisSize> AtOption::sizes() const
{
    std::vector<graph::AxisSize> sizes;
    for (std::size_t begin = 0; m_text && begin <= m_text->size();) {
        const std::size_t end = std::min(m_text->find(',', begin), m_text->size());
        const graph::AxisSize size =
            parseSize(std::string_view{*m_text}.substr(begin, end - begin));
        if (std::ranges::find(sizes, size.axis, &graph::AxisSize::axis) != sizes.end())
            throw VerbError(base::ErrorKind::Usage,
                            fmt::format("--at names {} twice.", base::printable(size.axis, 40)));
        sizes.push_back(size);
        begin = end + 1;
    }
    return sizes;
}

} // namespace plimsoll::cli
