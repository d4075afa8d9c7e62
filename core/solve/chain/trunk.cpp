// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/trunk.h"

#include "core/base/format.h"
#include "core/base/nearest.h"
#include "core/base/try.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace plimsoll::solve {

using graph::Call;
using graph::CallId;
using graph::OpIndex;

namespace {

/// The cut nearest to the middle: the first element of the right half.
std::optional<std::size_t> cutOf(const std::vector<TrunkElement>& elements,
                                 const TrunkBucket& bucket)
{
    const std::size_t length = bucket.end - bucket.first;
    const std::size_t middle = bucket.first + length / 2;
    for (std::size_t away = 0; away < length; ++away) {
        if (middle + away < bucket.end && middle + away > bucket.first
            && elements[middle + away].maySplitBefore)
            return middle + away;
        if (middle > bucket.first + away && elements[middle - away].maySplitBefore)
            return middle - away;
    }
    return std::nullopt;
}

} // namespace

std::vector<TrunkBucket> splitTrunk(const std::vector<TrunkElement>& elements,
                                    std::vector<TrunkBucket> buckets, std::size_t splits)
{
    for (std::size_t count = 0; buckets.size() < splits; ++count) {
        std::optional<std::size_t> cut;
        std::size_t place = 0;
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            const std::size_t length = buckets[i].end - buckets[i].first;
            if (cut && length <= buckets[place].end - buckets[place].first)
                continue;
            if (const std::optional<std::size_t> here = cutOf(elements, buckets[i])) {
                cut = here;
                place = i;
            }
        }
        if (!cut)
            break;
        const TrunkBucket left{"activation_split_" + std::to_string(count), buckets[place].first,
                               *cut};
        buckets[place].first = *cut;
        buckets.insert(buckets.begin() + static_cast<std::ptrdiff_t>(place), left);
    }
    return buckets;
}

namespace {

class Finder
{
public:
    explicit Finder(const graph::Program& program)
        : m_program{program}, m_forward{static_cast<OpIndex>(program.forwardCount())}
    {
        for (std::size_t i = 0; i < program.calls.size(); ++i)
            if (const Call& call = program.calls[i]; !call.isEmpty() && call.last < m_forward)
                m_children[call.parent ? std::optional{*call.parent} : std::nullopt].push_back(
                    CallId{i});
    }

    [[nodiscard]] std::vector<TrunkElement> run()
    {
        std::vector<CallId> calls = m_children[std::nullopt];
        for (std::optional<std::size_t> place = heaviest(calls); place; place = heaviest(calls))
            expand(calls, *place);
        for (std::size_t i = calls.size(); i-- > 0;)
            if (isStage(calls[i]))
                expand(calls, i);
        std::vector<TrunkElement> layers;
        for (const CallId id : calls) {
            const Call& call = m_program.call(id);
            layers.push_back({m_program.module(call.module).path,
                              !overwritesOlder(call),
                              {call.first, call.last}});
        }
        return layers;
    }

private:
    void expand(std::vector<CallId>& calls, std::size_t place)
    {
        const std::vector<CallId>& children = m_children[calls[place]];
        const auto at = calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(place));
        calls.insert(at, children.begin(), children.end());
    }
    /// The call that has children and more than half of all ops, if any.
    [[nodiscard]] std::optional<std::size_t> heaviest(const std::vector<CallId>& calls) const
    {
        OpIndex all = 0;
        for (const CallId id : calls)
            all += length(id);
        for (std::size_t i = 0; i < calls.size(); ++i)
            if (2 * length(calls[i]) > all && m_children.contains(calls[i]))
                return i;
        return std::nullopt;
    }
    [[nodiscard]] bool isStage(CallId id) const
    {
        const auto children = m_children.find(id);
        if (children == m_children.end() || children->second.size() < 2)
            return false;
        OpIndex next = m_program.call(id).first;
        for (const CallId child : children->second) {
            if (m_program.call(child).first != next)
                return false;
            next = m_program.call(child).last + 1;
        }
        return next == m_program.call(id).last + 1;
    }
    [[nodiscard]] bool overwritesOlder(const Call& call) const
    {
        for (OpIndex op = call.first; op <= call.last; ++op)
            for (const graph::TensorId tensor :
                 m_program.ops[static_cast<std::size_t>(op)].writes) {
                const graph::Storage& storage = m_program.storageOf(tensor);
                const bool isState = storage.storageClass == graph::StorageClass::Parameter
                                     || storage.storageClass == graph::StorageClass::Buffer;
                if (storage.alloc < call.first && !isState)
                    return true;
            }
        return false;
    }
    [[nodiscard]] OpIndex length(CallId id) const
    {
        return m_program.call(id).last - m_program.call(id).first + 1;
    }

    const graph::Program& m_program;
    OpIndex m_forward;
    std::map<std::optional<CallId>, std::vector<CallId>> m_children; ///< with ops, in order
};

} // namespace

std::vector<TrunkElement> trunkLayers(const graph::Program& program)
{
    return Finder{program}.run();
}

namespace {

constexpr std::size_t kNamed = 3;    ///< names that a sentence offers
constexpr std::size_t kLongest = 80; ///< bytes of a name quoted in a message

std::vector<std::string> namesIn(std::string_view text)
{
    std::vector<std::string> names;
    while (!text.empty()) {
        const std::size_t comma = std::min(text.find(','), text.size());
        std::string_view name = text.substr(0, comma);
        text.remove_prefix(std::min(comma + 1, text.size()));
        name.remove_prefix(std::min(name.find_first_not_of(' '), name.size()));
        if (!name.empty())
            names.emplace_back(name.substr(0, name.find_last_not_of(' ') + 1));
    }
    return names;
}

/// Where the layers of each module end, for the layers' own names and those of enclosing modules.
std::map<std::string, std::size_t> endsByName(const std::vector<TrunkElement>& elements)
{
    std::map<std::string, std::size_t> ends;
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::string& path = elements[i].name;
        for (std::size_t dot = path.find('.'); dot != std::string::npos;
             dot = path.find('.', dot + 1))
            ends[path.substr(0, dot)] = i + 1;
        ends[path] = i + 1;
    }
    return ends;
}

base::Error unknownName(const std::string& name, const std::vector<TrunkElement>& elements,
                        const std::map<std::string, std::size_t>& ends,
                        const std::vector<std::string>& modules)
{
    const std::string shown = base::printable(name, kLongest);
    if (elements.empty())
        return {base::ErrorKind::Usage,
                fmt::format("The boundary {} has nothing to end: forward calls no module.", shown)};
    for (const TrunkElement& element : elements)
        if (name.starts_with(element.name + "."))
            return {
                base::ErrorKind::Usage,
                fmt::format("The boundary {} is inside the layer {}, which stays whole: name {}.",
                            shown, element.name, element.name)};
    std::vector<std::string> known;
    known.reserve(ends.size());
    for (const auto& [path, end] : ends)
        known.push_back(path);
    const std::string nearest =
        fmt::format("{}", fmt::join(base::nearestNames(name, known, kNamed), ", "));
    if (std::ranges::find(modules, name) != modules.end())
        return {base::ErrorKind::Usage,
                fmt::format("The boundary {} runs no op between layers of the trunk, so no bucket "
                            "ends there; near it are {}.",
                            shown, nearest)};
    return {base::ErrorKind::Usage,
            fmt::format("The boundary {} is not a module of the model; nearest are {}.", shown,
                        nearest)};
}

} // namespace

base::Result<std::vector<TrunkBucket>> trunkBuckets(const std::string& text,
                                                    const std::vector<TrunkElement>& elements,
                                                    const std::vector<std::string>& modules)
{
    const std::vector<std::string> names = namesIn(text);
    if (names.empty() && !elements.empty())
        return std::vector<TrunkBucket>{{elements.back().name, 0, elements.size()}};
    const std::map<std::string, std::size_t> ends = endsByName(elements);
    std::map<std::size_t, std::string> byEnd; // the first name if several modules end here
    for (const std::string& name : names) {
        const auto end = ends.find(name);
        if (end == ends.end())
            return tl::unexpected{unknownName(name, elements, ends, modules)};
        byEnd.emplace(end->second, name);
    }
    std::vector<TrunkBucket> buckets;
    for (const auto& [end, name] : byEnd) {
        if (end != byEnd.rbegin()->first && !elements[end].maySplitBefore)
            return base::failure(
                base::ErrorKind::Usage,
                fmt::format("The boundary {} is in front of {}, which overwrites what {} returns: "
                            "name {} instead.",
                            name, elements[end].name, elements[end - 1].name, elements[end].name));
        buckets.push_back({name, buckets.empty() ? 0 : buckets.back().end, end});
    }
    return buckets;
}

namespace {

constexpr std::int64_t kMostSplits = 10000;

struct TrunkOptions : OptionReader
{
    explicit TrunkOptions(const OptionReader& given) : OptionReader{given} {}

    std::size_t splits = get<std::size_t>("splits"); ///< 0: every number of them
    std::string boundaries = get<std::string>("boundaries");
};

OptionRecord frozenUnlessToldElse()
{
    OptionRecord record = freezeStatsRecord();
    record.standard = 1; // as plimsoll.trunk.checkpoint_trunk() does
    return record;
}

/// The ops of all buckets but the last.
std::vector<std::vector<OpRun>> groupsOf(const std::vector<TrunkElement>& layers,
                                         const std::vector<TrunkBucket>& buckets)
{
    std::vector<std::vector<OpRun>> groups(buckets.size() - 1);
    for (std::size_t i = 0; i < groups.size(); ++i)
        for (std::size_t layer = buckets[i].first; layer < buckets[i].end; ++layer)
            groups[i].push_back(layers[layer].ops);
    return groups;
}

base::Result<void> addTrunk(const plan::Problem& problem, RunPlans& plans,
                            const base::JobContext& job)
{
    const std::vector<TrunkElement> layers = trunkLayers(*problem.step());
    std::vector<std::string> modules;
    modules.reserve(problem.step()->modules.size());
    for (const graph::Module& module : problem.step()->modules)
        modules.push_back(module.path);
    const TrunkOptions asked{plans.options()};
    ASSIGN_OR_RETURN(const auto whole, trunkBuckets(asked.boundaries, layers, modules));
    if (whole.empty())
        return {}; // forward calls no module
    const auto& [name, first, end] = whole.back();
    if (asked.splits > end)
        return base::failure(
            base::ErrorKind::Usage,
            fmt::format("The model's trunk has {} up to {}, too few for {} buckets: give --splits "
                        "at most {}.",
                        base::counted(end, "layer", "layers"), name, asked.splits, end));
    // One bucket would be the last one, which isn't checkpointed; the number can't fall below the
    // number of boundaries.
    const std::size_t most = asked.splits > 0 ? asked.splits : end;
    std::size_t splits = asked.splits > 0 ? asked.splits : std::max<std::size_t>(2, whole.size());
    for (; splits <= most && !job.stopRequested(); ++splits) {
        const std::vector<TrunkBucket> buckets = splitTrunk(layers, whole, splits);
        if (buckets.size() < splits && asked.splits == 0)
            break; // no cut is left
        RETURN_IF_ERROR(plans.addRuns(groupsOf(layers, buckets)));
        job.report(splits, most);
    }
    return {};
}

} // namespace

std::unique_ptr<const Planner> makeTrunkPlanner()
{
    return makeRunPlanner(
        {"trunk",
         "Trunk",
         "Checkpoints a model's layers in buckets of equal length, except the last one, as VISSL "
         "and plimsoll.trunk.checkpoint_trunk() split trunks.",
         {{.name = "splits",
           .sentence = "Buckets into which the layers are divided; 0 tries every number of them.",
           .lower = 0,
           .standard = 0,
           .upper = kMostSplits},
          textRecord("boundaries", "Boundaries",
                     "Modules after which a bucket ends, separated by commas; what runs after the "
                     "last of them is in no bucket. If empty, the trunk ends with its last layer.",
                     "layer2,layer3.1"),
          frozenUnlessToldElse()},
         "VISSL's checkpoint_trunk().",
         {"Memory and times: layers are divided by their number.",
          "That layers after the last boundary are dropped, as plimsoll.trunk does: they are in "
          "the recorded step, and run."}},
        addTrunk);
}

} // namespace plimsoll::solve
