// SPDX-License-Identifier: Apache-2.0
#include "core/device/workspaces.h"

#include "core/base/budget.h"
#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <vector>

namespace plimsoll::plan {

namespace {

/// Ops that call cuBLAS. aten.addmm may call cuBLASLt, whose workspace is smaller (1 MiB).
constexpr std::array kProducts{
    "aten.mm",         "aten.addmm", "aten.bmm", "aten.baddbmm",    "aten.addbmm",
    "aten.mv",         "aten.addmv", "aten.dot", "aten._scaled_mm", "aten._addmm_activation",
    "aten._grouped_mm"};

/// By target: whether it is one of these, in any overload.
std::vector<bool> productsAmong(const std::vector<std::string>& targets)
{
    std::vector<bool> found;
    for (const std::string& target : targets)
        found.push_back(std::ranges::any_of(kProducts, [&](std::string_view product) {
            return target.starts_with(product)
                   && (target.size() == product.size() || target[product.size()] == '.');
        }));
    return found;
}

/// A number of at least one digit at `at`, which is moved behind it.
std::optional<std::int64_t> digitsAt(std::string_view text, std::size_t& at)
{
    std::int64_t value = 0;
    const char* const begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (end == begin || *begin == '-')
        return std::nullopt;
    at += static_cast<std::size_t>(end - begin);
    return error == std::errc{} ? value : std::int64_t{-1};
}

} // namespace

Workspaces workspacesOf(const graph::Program& program, const Device& device,
                        std::optional<base::Bytes> each)
{
    Workspaces workspaces{0, each.value_or(device.cublasWorkspace)};
    if (program.header.target != "cuda")
        return workspaces;
    const std::vector<bool> isProduct = productsAmong(program.targets);
    const auto hasProducts = [&](bool inBackward) {
        return std::ranges::any_of(program.ops, [&](const graph::Op& op) {
            return isProduct[op.target] && (op.phase == graph::Phase::Backward) == inBackward;
        });
    };
    workspaces.threads = static_cast<int>(hasProducts(false)) + static_cast<int>(hasProducts(true));
    return workspaces;
}

std::string reserveOrigin(base::Bytes reserve, const Workspaces& workspaces)
{
    const std::string taken =
        workspaces.all().count() == 0
            ? std::string{"nothing"}
            : fmt::format("{} x {}", workspaces.threads, base::bytesText(workspaces.each));
    if (reserve != workspaces.all())
        return fmt::format("set by hand; cuBLAS takes {}", taken);
    return workspaces.all().count() == 0 ? std::string{"cuBLAS takes nothing, context 0"}
                                         : fmt::format("{} cuBLAS, context 0", taken);
}

std::optional<base::Bytes> cublasWorkspaceOf(std::string_view config)
{
    std::optional<std::int64_t> sum;
    for (std::size_t at = 0; at < config.size();) {
        if (config[at++] != ':')
            continue;
        std::size_t behind = at;
        const std::optional<std::int64_t> size = digitsAt(config, behind);
        if (!size || behind >= config.size() || config[behind] != ':')
            continue;
        const std::optional<std::int64_t> count = digitsAt(config, ++behind);
        if (!count)
            continue;
        at = behind;
        constexpr std::int64_t kMost = base::kLargestBudget.count() / 1024;
        if (*size < 0 || *count < 0 || (*count > 0 && *size > kMost / *count))
            return std::nullopt;
        sum = sum.value_or(0) + *size * *count;
        if (*sum > kMost)
            return std::nullopt;
    }
    return sum ? std::optional{base::Bytes{*sum * 1024}} : std::nullopt;
}

std::optional<base::Bytes> configuredWorkspace()
{
    const char* const config = std::getenv("CUBLAS_WORKSPACE_CONFIG");
    return config == nullptr ? std::nullopt : cublasWorkspaceOf(config);
}

} // namespace plimsoll::plan
