// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_dump.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace plimsoll::tests {

namespace {

using graph::OpIndex;
using graph::Program;

std::string opIndexText(OpIndex opIndex)
{
    return opIndex == graph::kNever ? "never" : fmt::format("{}", opIndex);
}

template <typename Id>
std::string idsText(const std::vector<Id>& ids)
{
    std::vector<std::size_t> indices;
    indices.reserve(ids.size());
    for (const Id id : ids)
        indices.push_back(id.index());
    return fmt::format("[{}]", fmt::join(indices, " "));
}

template <typename Id>
std::string idText(const std::optional<Id>& id)
{
    return id ? fmt::format("{}", id->index()) : "-";
}

const std::string& nameOrNone(const std::vector<std::string>& names, std::int32_t index)
{
    static const std::string kNone = "-";
    return index < 0 ? kNone : names[static_cast<std::size_t>(index)];
}

class Dump
{
public:
    Dump(const Program& program, std::size_t rows) : m_program{program}, m_rows{rows} {}

    std::string run()
    {
        header();
        table("modules", m_program.modules, [this](const graph::Module& m) {
            line("parent {} \"{}\" {}{}{}", idText(m.parent), m.path, m.className,
                 m.hasHooks ? " hooks" : "", m.isCalledDirectly ? " direct" : "");
        });
        table("calls", m_program.calls, [this](const graph::Call& c) {
            line("{} parent {} ops {}..{} in {} out {} as {} gives {} at {}",
                 m_program.module(c.module).path, idText(c.parent), c.first, c.last,
                 idsText(c.inputs), idsText(c.outputs), idText(c.arguments), idText(c.result),
                 nameOrNone(m_program.sources, c.source));
        });
        table("structures", m_program.structures,
              [this](const graph::Structure& s) { structureLine(s); });
        table("storages", m_program.storages, [this](const graph::Storage& s) {
            line("{} B {} alloc {} free {} last use {} python free {} [{}]", s.bytes.count(),
                 graph::className(s.storageClass), s.alloc, opIndexText(s.free), s.lastUse,
                 opIndexText(s.pythonFree), fmt::join(s.names, " "));
        });
        table("tensors", m_program.tensors, [this](const graph::Tensor& t) {
            line("storage {} {} [{}] strides [{}] offset {}", t.storage.index(),
                 m_program.dtypes[t.dtype], fmt::join(t.shape, " "), fmt::join(t.strides, " "),
                 t.offset);
        });
        table("ops", m_program.ops, [this](const graph::Op& op) { opLine(op); });
        table("saved", m_program.saved, [this](const graph::Saved& s) {
            line("tensor {} by op {} {} node {} unpack {} dropped {} released {}", s.tensor.index(),
                 s.op.index(), s.afterKernel ? "after" : "before", s.sequence,
                 s.unpack ? opIndexText(*s.unpack) : "-", s.unpack ? opIndexText(s.dropped) : "-",
                 opIndexText(s.released));
        });
        table("params", m_program.parameters, [this](const graph::Parameter& p) {
            line("{} storage {} gradient {} states {}", p.name, p.storage.index(),
                 idText(p.gradient), idsText(p.states));
        });
        checks();
        return std::move(m_text);
    }

private:
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args)
    {
        fmt::format_to(std::back_inserter(m_text), format, std::forward<Args>(args)...);
        m_text += '\n';
    }

    template <typename Row, typename Print>
    void table(const char* name, const std::vector<Row>& rows, Print print)
    {
        line("\n{} {}", name, rows.size());
        const std::size_t shown = std::min(rows.size(), m_rows);
        for (std::size_t i = 0; i < shown; ++i) {
            m_text += fmt::format("  {} ", i);
            print(rows[i]);
        }
        if (shown < rows.size())
            line("  … {} more", rows.size() - shown);
    }

    void header()
    {
        const graph::Header& header = m_program.header;
        line("plimsoll graph, version {}", header.version);
        line("{} ({}), batch {}", header.model, header.modelClass, header.batch);
        if (header.microSteps > 1)
            line("{} micro-steps", header.microSteps);
        line("{} {} for {}, optimizer {}, autocast {}", header.execution, header.mode,
             header.target, header.optimizer.empty() ? "none" : header.optimizer,
             header.autocast.empty() ? "none" : header.autocast);
        if (!header.values.empty())
            line("values: {}", header.values);
        if (m_program.isRewritten())
            line("rewritten by a plan of {}", header.planner);
        line("{} assumptions", header.assumed.size());
    }

    void structureLine(const graph::Structure& structure)
    {
        std::vector<std::string> parts;
        for (const graph::Argument& argument : structure.arguments)
            parts.push_back(argument.name.empty()
                                ? argument.value
                                : fmt::format("{}={}", argument.name, argument.value));
        line("({}) [{}] {} tensors", fmt::join(parts, ", "), fmt::join(structure.modes, ", "),
             structure.slots.size());
    }

    void opLine(const graph::Op& op)
    {
        std::string flags;
        for (const auto& [set, name] :
             {std::pair{op.isView, " view"}, std::pair{op.isRandom, " random"},
              std::pair{op.isCollective, " collective"},
              std::pair{op.isAccumulation, " accumulation"},
              std::pair{op.isRepetition, " repetition"}})
            if (set)
                flags += name;
        if (op.recomputeOf)
            flags += fmt::format(" recomputes {}", op.recomputeOf->index());
        line("{} {} module {} call {} reads {} writes {} outputs {}{} node {} {} forward op {} "
             "flops {} moves {} B time {} at {}",
             graph::phaseName(op.phase), m_program.targetOf(op), idText(op.module), idText(op.call),
             idsText(op.reads), idsText(op.writes), idsText(op.outputs), flags, op.sequence,
             nameOrNone(m_program.nodes, op.node), idText(op.forwardOp), op.flops,
             op.bytesMoved.count(), op.measured ? fmt::format("{} ns", op.measured->count()) : "-",
             nameOrNone(m_program.sources, op.source));
    }

    void checks()
    {
        const graph::Checks& checks = m_program.checks;
        line("\nchecks");
        line("  ops {} by phase {}, storages {}, tensors {}", checks.ops,
             fmt::join(checks.opsByPhase, "/"), checks.storages, checks.tensors);
        for (std::size_t i = 0; i < graph::kStorageClassCount; ++i) {
            const auto storageClass = static_cast<graph::StorageClass>(i);
            const std::int64_t bytes = checks.bytesByClass.at(i).count();
            if (bytes > 0 || storageClass != graph::StorageClass::Scratch)
                line("  {} {} B", graph::className(storageClass), bytes);
        }
        line("  saved {} B, peak {} B at op {}", checks.savedBytes.count(),
             checks.peakBytes.count(), checks.peakOp);
    }

    const Program& m_program;
    std::size_t m_rows;
    std::string m_text;
};

} // namespace

std::string dumpProgram(const Program& program, std::size_t rows)
{
    return Dump{program, rows}.run();
}

} // namespace plimsoll::tests
