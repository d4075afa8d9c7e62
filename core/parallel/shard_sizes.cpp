// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/shard_sizes.h"

#include <algorithm>

namespace plimsoll::plan {

ShardSizes::ShardSizes(const graph::Program& recorded, std::int64_t world)
    : m_program{recorded}, m_world{world}
{
    std::vector<const graph::Tensor*> first(recorded.storages.size(), nullptr);
    for (const graph::Tensor& tensor : recorded.tensors)
        if (first[tensor.storage.index()] == nullptr)
            first[tensor.storage.index()] = &tensor;
    for (const graph::Parameter& parameter : recorded.parameters) {
        const graph::Tensor* tensor = first[parameter.storage.index()];
        const std::int64_t bytes = recorded.storage(parameter.storage).bytes.count();
        std::int64_t elements = 1;
        if (tensor != nullptr)
            for (const std::int64_t size : tensor->shape)
                elements *= std::clamp<std::int64_t>(size, 1, std::max<std::int64_t>(1, bytes));
        const bool isWhole = tensor != nullptr && !tensor->shape.empty() && tensor->shape[0] > 0
                             && elements <= bytes && bytes % elements == 0;
        // Nothing tells its shape: as if it were a list of bytes.
        m_rows.push_back(isWhole ? tensor->shape[0] : std::max<std::int64_t>(1, bytes));
        m_elements.push_back(isWhole ? elements : std::max<std::int64_t>(1, bytes));
    }
}

base::Bytes ShardSizes::shard(std::size_t parameter) const
{
    return part(parameter, m_program.storage(m_program.parameters[parameter].storage).bytes);
}

base::Bytes ShardSizes::part(std::size_t parameter, base::Bytes bytes) const
{
    if (bytes.count() % m_elements[parameter] != 0)
        return bytes;
    const std::int64_t rows = m_rows[parameter];
    return base::Bytes{bytes.count() / rows * ((rows + m_world - 1) / m_world)};
}

} // namespace plimsoll::plan
