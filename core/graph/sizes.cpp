// SPDX-License-Identifier: Apache-2.0
#include "core/graph/sizes.h"

#include "core/base/format.h"
#include "core/base/limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace plimsoll::graph {

namespace {

struct ItemSize
{
    std::string_view dtype;
    std::int64_t bytes;
};

constexpr std::array kItemSizes{
    ItemSize{"float32", 4},
    ItemSize{"float16", 2},
    ItemSize{"bfloat16", 2},
    ItemSize{"float64", 8},
    ItemSize{"int64", 8},
    ItemSize{"int32", 4},
    ItemSize{"int16", 2},
    ItemSize{"int8", 1},
    ItemSize{"uint8", 1},
    ItemSize{"uint16", 2},
    ItemSize{"uint32", 4},
    ItemSize{"uint64", 8},
    ItemSize{"bool", 1},
    ItemSize{"complex32", 4},
    ItemSize{"complex64", 8},
    ItemSize{"complex128", 16},
    ItemSize{"float8_e4m3fn", 1},
    ItemSize{"float8_e5m2", 1},
    ItemSize{"float8_e4m3fnuz", 1},
    ItemSize{"float8_e5m2fnuz", 1},
    ItemSize{"float8_e8m0fnu", 1},
};

/// The first byte after the tensor in its storage; nullopt beyond 2^62.
std::optional<std::int64_t> endOf(const graph::Tensor& tensor, std::int64_t itemSize)
{
    if (std::ranges::find(tensor.shape, 0) != tensor.shape.end())
        return 0;
    std::int64_t last = tensor.offset;
    for (std::size_t i = 0; i < tensor.shape.size(); ++i) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach)
            || __builtin_add_overflow(last, reach, &last))
            return std::nullopt;
    }
    std::int64_t end = 0;
    if (last >= base::kHuge || __builtin_mul_overflow(last + 1, itemSize, &end))
        return std::nullopt;
    return end;
}

std::optional<SizeFault> findTensorFault(const Program& program)
{
    const std::vector<std::int64_t> sizes = itemSizes(program);
    for (std::size_t row = 0; row < program.tensors.size(); ++row) {
        const graph::Tensor& tensor = program.tensors[row];
        if (tensor.shape.size() != tensor.strides.size())
            return SizeFault{SizeFault::Table::Tensors, row,
                             fmt::format("has {} but {}",
                                         base::counted(tensor.shape.size(), "size"),
                                         base::counted(tensor.strides.size(), "stride"))};
        if (sizes[tensor.dtype] == 0)
            continue;
        const std::int64_t bytes = program.storage(tensor.storage).bytes.count();
        const std::optional<std::int64_t> end = endOf(tensor, sizes[tensor.dtype]);
        if (!end || *end > bytes)
            return SizeFault{SizeFault::Table::Tensors, row,
                             fmt::format("reaches beyond the {} B of its storage {}", bytes,
                                         tensor.storage.index())};
    }
    return std::nullopt;
}

/// Sums stay below 2^62, so that adding two of them fits into 64 bits.
std::optional<SizeFault> findSumFault(const Program& program)
{
    const auto grows = [](std::int64_t& sum, std::int64_t part) {
        return !__builtin_add_overflow(sum, part, &sum) && sum < base::kHuge;
    };
    std::int64_t bytes = 0;
    for (std::size_t row = 0; row < program.storages.size(); ++row)
        if (!grows(bytes, program.storages[row].bytes.count()))
            return SizeFault{SizeFault::Table::Storages, row,
                             "brings the bytes of all storages to 2^62 or more"};
    std::int64_t flops = 0;
    std::int64_t moved = 0;
    std::int64_t time = 0;
    for (std::size_t row = 0; row < program.ops.size(); ++row) {
        const graph::Op& op = program.ops[row];
        if (!grows(flops, op.flops))
            return SizeFault{SizeFault::Table::Ops, row,
                             "brings the flops of all ops to 2^62 or more"};
        if (!grows(moved, op.bytesMoved.count()))
            return SizeFault{SizeFault::Table::Ops, row,
                             "brings the bytes_moved of all ops to 2^62 or more"};
        if (op.measured && !grows(time, op.measured->count()))
            return SizeFault{SizeFault::Table::Ops, row,
                             "brings the time_ns of all ops to 2^62 or more"};
    }
    return std::nullopt;
}

} // namespace

std::vector<std::int64_t> itemSizes(const Program& program)
{
    std::vector<std::int64_t> sizes;
    for (const std::string& dtype : program.dtypes) {
        const auto* known = std::find_if(kItemSizes.begin(), kItemSizes.end(),
                                         [&](const ItemSize& size) { return size.dtype == dtype; });
        sizes.push_back(known == kItemSizes.end() ? 0 : known->bytes);
    }
    return sizes;
}

std::optional<SizeFault> findSizeFault(const Program& program)
{
    if (auto found = findSumFault(program))
        return found;
    return findTensorFault(program);
}

std::size_t tensorsOfUnknownDtype(const Program& program)
{
    const std::vector<std::int64_t> sizes = itemSizes(program);
    return static_cast<std::size_t>(std::ranges::count_if(
        program.tensors, [&](const Tensor& t) { return sizes[t.dtype] == 0; }));
}

} // namespace plimsoll::graph
