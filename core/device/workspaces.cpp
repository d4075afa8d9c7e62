// SPDX-License-Identifier: Apache-2.0
#include "core/device/workspaces.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>

namespace plimsoll::plan {

namespace {

/// Ops that call cuBLAS, in place or not. aten.addmm may call cuBLASLt, whose workspace is smaller
/// (1 MiB).
constexpr std::array kProducts{"mm",
                               "addmm",
                               "bmm",
                               "baddbmm",
                               "addbmm",
                               "mv",
                               "addmv",
                               "dot",
                               "vdot",
                               "_trilinear",
                               "_scaled_mm",
                               "_addmm_activation",
                               "_grouped_mm",
                               "linalg_solve_triangular",
                               "triangular_solve",
                               "cholesky_solve",
                               "cholesky_inverse"};

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

bool isProduct(std::string_view target)
{
    constexpr std::string_view kLibrary = "aten.";
    if (!target.starts_with(kLibrary))
        return false;
    target.remove_prefix(kLibrary.size());
    target = target.substr(0, target.find('.'));
    if (target.ends_with('_'))
        target.remove_suffix(1);
    return std::ranges::find(kProducts, target) != kProducts.end();
}

Workspaces workspacesOf(const graph::Program& program, const Device& device,
                        std::optional<base::Bytes> each)
{
    Workspaces workspaces{0, each.value_or(device.cublasWorkspace)};
    if (program.header.target != "cuda")
        return workspaces;
    bool inForward = false;
    bool inBackward = false;
    bool hasBackward = false;
    for (const graph::Op& op : program.ops) {
        const bool isBackward = op.phase == graph::Phase::Backward;
        hasBackward = hasBackward || isBackward;
        bool& calls = isBackward ? inBackward : inForward;
        calls = calls || isProduct(program.targetOf(op));
    }
    // A plan may run forward's ops again in backward.
    inBackward = inBackward || (inForward && hasBackward);
    workspaces.threads = static_cast<int>(inForward) + static_cast<int>(inBackward);
    return workspaces;
}

std::string reserveOrigin(base::Bytes reserve, const Workspaces& workspaces)
{
    const std::string taken =
        workspaces.all().count() == 0
            ? std::string{"nothing"}
            : fmt::format("{} x {}", workspaces.threads, base::bytesText(workspaces.each));
    if (reserve != workspaces.all())
        return fmt::format("cuBLAS takes {}", taken);
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
        constexpr std::int64_t kMost = kMostCublasWorkspace.count() / 1024;
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
