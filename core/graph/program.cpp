// SPDX-License-Identifier: Apache-2.0
#include "core/graph/program.h"

#include "core/graph/op_names.h"

#include <algorithm>

namespace plimsoll::graph {

namespace {

constexpr std::array kClassNames{"parameter", "buffer",   "gradient",   "optimizer_state",
                                 "input",     "constant", "activation", "temporary",
                                 "output",    "scratch"};
constexpr std::array kPhaseNames{"forward", "loss", "backward", "optimizer"};

constexpr int kCudaBlock = 512;

/// The largest sum of live bytes and the first op at which it occurs.
void findPeak(const Program& program, Checks& checks)
{
    if (program.ops.empty())
        return;
    std::vector<std::int64_t> delta(program.ops.size() + 1, 0);
    for (const Storage& storage : program.storages) {
        delta[static_cast<std::size_t>(std::max(storage.alloc, 0))] += storage.bytes.count();
        if (storage.free != kNever)
            delta[static_cast<std::size_t>(storage.free) + 1] -= storage.bytes.count();
    }
    std::int64_t live = 0;
    for (std::size_t op = 0; op < program.ops.size(); ++op) {
        live += delta[op];
        if (live > checks.peakBytes.count()) {
            checks.peakBytes = base::Bytes{live};
            checks.peakOp = static_cast<OpIndex>(op);
        }
    }
}

} // namespace

const char* className(StorageClass storageClass)
{
    return kClassNames.at(static_cast<std::size_t>(storageClass));
}

const char* phaseName(Phase phase)
{
    return kPhaseNames.at(static_cast<std::size_t>(phase));
}

const std::string& Program::modulePath(const Op& op) const
{
    static const std::string kNone;
    return op.module ? module(*op.module).path : kNone;
}

std::string Program::label(const Op& op) const
{
    const std::string target{withoutOverload(targetOf(op))};
    const std::string& path = modulePath(op);
    return path.empty() ? target : path + " · " + target;
}

std::size_t Program::forwardCount() const
{
    const auto firstAfter = std::find_if(ops.begin(), ops.end(), [](const Op& op) {
        return op.phase != Phase::Forward && op.phase != Phase::Loss;
    });
    return static_cast<std::size_t>(firstAfter - ops.begin());
}

std::size_t Program::countBeforeOptimizer() const
{
    const auto firstAfter = std::partition_point(
        ops.begin(), ops.end(), [](const Op& op) { return op.phase != Phase::Optimizer; });
    return static_cast<std::size_t>(firstAfter - ops.begin());
}

base::Bytes rounded(base::Bytes bytes, Rounding rounding)
{
    const std::int64_t block = blockBytes(rounding);
    return base::Bytes{(bytes.count() + block - 1) / block * block};
}

int blockBytes(Rounding rounding)
{
    return rounding == Rounding::Exact ? 1 : kCudaBlock;
}

Checks recount(const Program& program)
{
    Checks checks;
    checks.ops = program.ops.size();
    checks.storages = program.storages.size();
    checks.tensors = program.tensors.size();
    for (const Op& op : program.ops)
        ++checks.opsByPhase.at(static_cast<std::size_t>(op.phase));
    for (const Storage& storage : program.storages)
        checks.bytesByClass.at(static_cast<std::size_t>(storage.storageClass)) += storage.bytes;
    std::vector<bool> seen(program.storages.size(), false);
    for (const Saved& saved : program.saved) {
        const StorageId id = program.tensor(saved.tensor).storage;
        if (!seen[id.index()])
            checks.savedBytes += program.storage(id).bytes;
        seen[id.index()] = true;
    }
    findPeak(program, checks);
    return checks;
}

} // namespace plimsoll::graph
