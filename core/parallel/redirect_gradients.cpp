// SPDX-License-Identifier: Apache-2.0
#include "core/parallel/redirect_gradients.h"

#include <utility>
#include <vector>

namespace plimsoll::plan {

namespace {

using graph::Program;
using graph::StorageId;
using graph::TensorId;

/// Ops of the optimizer that touch a storage get it in another one.
class Redirection
{
public:
    explicit Redirection(Program& program) : m_program{program} {}

    void redirect(const std::map<StorageId, StorageId>& homes)
    {
        for (std::size_t op = m_program.countBeforeOptimizer(); op < m_program.ops.size(); ++op) {
            graph::Op& row = m_program.ops[op];
            for (std::vector<TensorId>* tensors : {&row.reads, &row.writes, &row.outputs})
                for (TensorId& tensor : *tensors)
                    if (const auto home = homes.find(m_program.tensor(tensor).storage);
                        home != homes.end())
                        tensor = viewOf(tensor, home->second);
        }
    }

private:
    TensorId viewOf(TensorId tensor, StorageId home)
    {
        const auto [entry, isNew] =
            m_viewOf.try_emplace(tensor, TensorId{m_program.tensors.size()});
        if (isNew) {
            graph::Tensor view = m_program.tensor(tensor);
            view.storage = home;
            m_program.tensors.push_back(std::move(view));
        }
        return entry->second;
    }

    Program& m_program;
    std::map<TensorId, TensorId> m_viewOf;
};

} // namespace

void redirectGradients(Program& program, const std::map<StorageId, StorageId>& homes)
{
    Redirection{program}.redirect(homes);
}

} // namespace plimsoll::plan
