// SPDX-License-Identifier: Apache-2.0
#include "core/base/format.h"
#include "core/base/unicode.h"
#include "core/plan_file/plan_json.h"
#include "core/plan_file/plan_json_parts.h"
#include "core/writers/formats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

namespace plimsoll::writers {

namespace {

using base::Rounding;
using graph::Program;
using nlohmann::ordered_json;

/// A JSON text of strings, numbers, arrays and objects is also a Python literal. Names may hold
/// characters that make a program look different from what it is.
std::string literal(const ordered_json& value)
{
    return base::escapeHidden(value.dump(-1, ' ', false, ordered_json::error_handler_t::replace),
                              base::Escapes::Python);
}

/// Like literal(), for complete keys of a plan file, which may contain JSON's `true`.
std::string valueLiteral(const ordered_json& value)
{
    return value.is_boolean() ? (value.get<bool>() ? "True" : "False") : literal(value);
}

std::string quoted(const std::string& text)
{
    return literal(ordered_json(text));
}

/// One region per line, nested ones indented below it.
void writeRegion(std::string& out, const ordered_json& region, std::size_t depth)
{
    const std::string indent(4 * depth, ' ');
    out += fmt::format("{}{{\"members\": {}, \"nested\": [", indent, literal(region.at("members")));
    const ordered_json& nested = region.at("nested");
    if (!nested.empty()) {
        out += '\n';
        for (const ordered_json& inner : nested)
            writeRegion(out, inner, depth + 1);
        out += indent;
    }
    out += "]},\n";
}

/// "peak 1.92 GiB (2,066,743,296 B) of 2.05 GiB, in place of 3.10 GiB; step time +12.3 %".
std::string figures(const plan::FrontierPoint& plan)
{
    const plan::Evaluation& evaluation = plan->evaluation();
    const plan::EvaluationPtr base = plan::evaluate(plan->problem(), plan::keepEverything());
    const auto baseTime = static_cast<double>(base->stepTime.count());
    const double ratio =
        baseTime > 0 ? static_cast<double>(evaluation.stepTime.count()) / baseTime : 1.0;
    return fmt::format("peak {} ({}) of {}, in place of {}; step time {}",
                       base::bytesText(evaluation.peak, Rounding::Up),
                       base::exactBytesText(evaluation.peak),
                       base::budgetText(plan->problem().budget, evaluation.peak),
                       base::bytesText(base->peak, Rounding::Up), base::overheadText(ratio));
}

std::string header(const plan::FrontierPoint& plan)
{
    const graph::Header& about = plan->problem().step()->header;
    std::string text = "# SPDX-License-Identifier: Apache-2.0\n";
    const auto line = [&text](const std::string& content) {
        text += fmt::format("# {}\n", base::printable(content, 1000));
    };
    line(fmt::format("A plan made by Plimsoll for {} ({}), batch {}.", about.model,
                     about.modelClass, about.batch));
    line(fmt::format("Evaluated on {}: {}.", plan->problem().device.name, figures(plan)));
    line(fmt::format("Planner {}, torch {}, kernels of {}. Losses and gradients stay the same bit "
                     "for bit.",
                     plan.provenance->asked.planner, about.torch, about.target));
    for (const std::string& sentence : plan->evaluation().notModelled)
        line("Not modelled: " + sentence);
    text += R"(#
# Save this file beside the training script, say as plan.py, and add before the training loop:
#
#     import plan
)";
    text += plan->plan().isCompiledStep() ? R"(#     step = plan.compile_step(model)
#
# In the loop `loss = step(*batch)` then takes the place of forward, loss and backward. If the graph was traced with loss= and targets=, compile_step() needs the same ones.
)"
                                          : R"(#     plan.apply(model)
#
# apply() returns a handle; its remove() restores the model.
)";
    return text;
}

/// How often each module is called in one forward.
std::vector<std::size_t> callCounts(const Program& program)
{
    std::vector<std::size_t> counts(program.modules.size(), 0);
    for (const graph::Call& call : program.calls)
        ++counts[call.module.index()];
    return counts;
}

/// Whether sibling calls of its class have different numbers of tensors, as with a list that grows
/// from call to call, which a few lines of Python couldn't copy.
bool mayGrow(const Program& program, const graph::Call& call)
{
    const std::string& name = program.module(call.module).className;
    return std::ranges::any_of(program.calls, [&](const graph::Call& other) {
        return other.parent == call.parent && program.module(other.module).className == name
               && other.inputs.size() != call.inputs.size();
    });
}

bool fitsSnippet(const Program& program, const std::vector<std::size_t>& counts,
                 const plan::Region& region)
{
    const auto plain = [&](graph::CallId id) {
        const graph::Call& call = program.call(id);
        return counts[call.module.index()] == 1 && !mayGrow(program, call);
    };
    return region.save.empty() && std::ranges::all_of(region.members, plain)
           && std::all_of(
               region.nested.begin(), region.nested.end(),
               [&](const plan::Region& nested) { return fitsSnippet(program, counts, nested); });
}

std::string pathsOf(const Program& program, const plan::Region& region)
{
    std::vector<std::string> paths;
    for (const graph::CallId member : region.members)
        paths.push_back(quoted(program.module(program.call(member).module).path));
    return fmt::format("{}", fmt::join(paths, ", "));
}

/// Inner regions first, so that an outer one wraps their replacements.
void addCalls(std::string& text, const Program& program, const plan::Region& region)
{
    for (const plan::Region& nested : region.nested)
        addCalls(text, program, nested);
    text += fmt::format("recompute({})\n", pathsOf(program, region));
}

constexpr std::string_view kLoop = R"(]:
    module = model.get_submodule(path)
    module.forward = partial(checkpoint, module.forward, use_reentrant=False)
)";

constexpr std::string_view kRecompute = R"(
def recompute(*paths):
    modules = [model.get_submodule(path) for path in paths]
    forwards = [module.forward for module in modules]

    def chain(value, *args, **kwargs):
        for forward in forwards:
            value = forward(value, *args, **kwargs)
        return value

    modules[0].forward = partial(checkpoint, chain, use_reentrant=False)
    for module in modules[1:]:
        module.forward = lambda value, *args, **kwargs: value


)";

constexpr std::string_view kUseModule =
    R"(# This plan needs more than a few lines: export it as plan.py and add
import plan

plan.apply(model)
)";

constexpr std::string_view kUseStep =
    R"(# Export the plan as plan.py and run its step in place of forward, loss and backward:
import plan

step = plan.compile_step(model)  # with loss= and targets= as in the trace, if it had them
# loss = step(*batch)
)";

/// Plans that name ops need the package to retrace the model, and so do plans that freeze
/// statistics: a few lines of Python can't do that.
bool needsPackage(const plan::Plan& plan)
{
    return plan::speaksOfOps(plan) || plan.freezeStats();
}

/// `content` is the plan file's.
std::string packageModule(const plan::FrontierPoint& plan, ordered_json content)
{
    for (const char* figures : {"evaluation", "labels"}) // not needed to apply the plan
        content.erase(figures);
    std::string text = header(plan);
    text += R"(# It needs the package: pip install plimsoll.

import plimsoll

PLAN = {
)";
    for (const auto& [key, value] : content.items())
        text += fmt::format("    {}: {},\n", quoted(key), valueLiteral(value));
    text += plan->plan().isCompiledStep() ? R"(}


def compile_step(model, loss=None, targets=0):
    """The training step without its optimizer: `loss = step(*batch)` runs forward, loss and backward as the plan says and fills
    `.grad`. Raises plimsoll.PlanMismatch at the first batch when plan and model don't fit."""
    return plimsoll.compile_step(model, PLAN, loss=loss, targets=targets)
)"
                                          : R"(}


def apply(model):
    """Makes the model's training steps recompute what the plan says. Returns a handle whose remove() restores the model;
    raises plimsoll.PlanMismatch and changes nothing when plan and model don't fit."""
    return plimsoll.apply(model, PLAN)
)";
    return text;
}

struct Joined
{
    std::string_view docstring;              // of the module added last
    std::set<std::string_view> imports;      // `import x`
    std::set<std::string_view> namedImports; // `from x import y`
    std::string definitions;
};

/// Removes the first line from the text and returns it without its line break.
std::string_view takeLine(std::string_view& text)
{
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

/// Imports are one line each and precede everything but the docstring.
void add(Joined& joined, std::string_view module)
{
    constexpr std::string_view kQuotes = R"(""")";
    const std::size_t begin = module.find(kQuotes);
    const std::size_t end = module.find(kQuotes, begin + kQuotes.size()) + kQuotes.size();
    joined.docstring = module.substr(begin, end - begin);
    module.remove_prefix(end);
    while (!module.empty()) {
        const std::string_view rest = module;
        const std::string_view line = takeLine(module);
        if (line.starts_with("import "))
            joined.imports.insert(line);
        else if (line.starts_with("from ") && !line.starts_with("from ."))
            joined.namedImports.insert(line);
        else if (!line.empty() && !line.starts_with("from .")) {
            joined.definitions += joined.definitions.empty() ? "" : "\n\n";
            joined.definitions += rest;
            return;
        }
    }
}

} // namespace

std::string pythonModule(const plan::FrontierPoint& plan)
{
    const Program& program = *plan->problem().step();
    if (needsPackage(plan->plan()))
        return packageModule(plan, plan::toJson(plan));
    std::string text = header(plan) + "\n";
    text += joinPythonModules(pythonRuntimeModules());
    text += "\n\nREGIONS = [\n";
    for (const ordered_json& region : plan::regionsJson(program, plan->plan()))
        writeRegion(text, region, 1);
    text += fmt::format("]\nMODEL_CLASS = {}\n", quoted(program.header.modelClass));
    text += R"(

def apply(model):
    """Makes the model's training steps recompute what the plan says. Returns a handle whose remove() restores the model;
    raises PlanMismatch and changes nothing when plan and model don't fit."""
    return apply_regions(model, REGIONS, MODEL_CLASS)
)";
    return text;
}

std::string pythonSnippet(const plan::FrontierPoint& plan)
{
    const Program& program = *plan->problem().step();
    const std::vector<plan::Region>& regions = plan->plan().regions();
    std::string text =
        fmt::format("# {}: {}\n", base::printable(program.header.model), figures(plan));
    if (plan->plan().isCompiledStep())
        return text + std::string{kUseStep};
    if (needsPackage(plan->plan()))
        return text + std::string{kUseModule};
    if (regions.empty())
        return text + "# Nothing to recompute: the training step fits as it is.\n";
    const std::vector<std::size_t> counts = callCounts(program);
    if (!std::ranges::all_of(regions, [&](const plan::Region& region) {
            return fitsSnippet(program, counts, region);
        }))
        return text + std::string{kUseModule};
    text += "from functools import partial\n\nfrom torch.utils.checkpoint import checkpoint\n\n";
    const bool single = std::ranges::all_of(regions, [](const plan::Region& region) {
        return region.members.size() == 1 && region.nested.empty();
    });
    if (single) {
        text += "for path in [\n";
        for (const plan::Region& region : regions)
            text += fmt::format("    {},\n", pathsOf(program, region));
        return text + std::string{kLoop};
    }
    text += kRecompute;
    for (const plan::Region& region : regions)
        addCalls(text, program, region);
    return text;
}

std::string joinPythonModules(std::span<const std::string_view> modules)
{
    Joined joined;
    for (const std::string_view module : modules)
        add(joined, module);
    std::string text{joined.docstring};
    text += "\n\n";
    for (const auto* lines : {&joined.imports, &joined.namedImports})
        for (const std::string_view line : *lines)
            (text += line) += '\n';
    return text + "\n\n" + joined.definitions;
}

} // namespace plimsoll::writers
