// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/kept_plans.h"

#include "core/evaluate/certify.h"
#include "core/io/content_hash.h"
#include "core/plan_file/plan_json.h"
#include "core/solve/api/certify_and_insert.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll::workspace {

namespace {

using nlohmann::json;

constexpr int kFormat = 2;
constexpr std::size_t kMostHead = std::size_t{1} << 24U; ///< bytes of the first line

json settingsOf(const Choices& choices)
{
    json options = json::object();
    for (const auto& [name, value] : choices.options)
        std::visit([&, key = name](const auto& plain) { options[key] = plain; }, value);
    json settings{{"device", choices.device.id},
                  {"reserve_bytes", choices.reserve.count()},
                  {"rounding", graph::blockBytes(choices.rounding)},
                  {"planner", choices.planner},
                  {"options", std::move(options)},
                  {"sizes", choices.sizes},
                  {"pins", choices.pins},
                  {"data_parallel",
                   choices.parallel ? plan::dataParallelText(*choices.parallel) : std::string{}}};
    if (const compare::StepTimesPtr times = choices.times())
        settings["times"] = io::contentHash(compare::writeStepTimes(*times));
    return settings;
}

/// What a result must be of to be shown again.
json keyOf(const Choices& choices, const std::string& contentHash)
{
    return {{"format", kFormat},
            {"plimsoll", PLIMSOLL_VERSION},
            {"graph", contentHash},
            {"settings", settingsOf(choices)}};
}

json partOf(const plan::PlannerProgress& part)
{
    json found = json::array();
    for (const plan::ProgressPoint& point : part.found)
        found.push_back({point.peak.count(), point.stepTime.count()});
    return {{"planner", part.planner},
            {"state", static_cast<int>(part.state)},
            {"took_ns", part.took.count()},
            {"reason", part.reason},
            {"call", part.call},
            {"found", std::move(found)}};
}

/// Throws nlohmann's exceptions.
plan::PlannerProgress partFrom(const json& row)
{
    plan::PlannerProgress part;
    part.planner = row.at("planner").get<std::string>();
    const int state = row.at("state").get<int>();
    if (state < 0 || state > static_cast<int>(plan::PlannerState::Refused))
        throw json::other_error::create(500, "unknown state", &row);
    part.state = static_cast<plan::PlannerState>(state);
    part.took = base::Nanoseconds{row.at("took_ns").get<std::int64_t>()};
    part.reason = row.at("reason").get<std::string>();
    part.call = row.at("call").get<std::string>();
    for (const json& point : row.at("found"))
        part.found.push_back({base::Bytes{point.at(0).get<std::int64_t>()},
                              base::Nanoseconds{point.at(1).get<std::int64_t>()}});
    return part;
}

/// What the first line tells besides the key.
struct Head
{
    base::Nanoseconds took;
    std::vector<std::string> leftOut;
    std::size_t points = 0; ///< lines with plans of the frontier: the others are dominated
    std::optional<std::vector<plan::PlannerProgress>> parts;
};

std::optional<Head> headFrom(std::string_view line, const json& key)
{
    if (line.size() > kMostHead)
        return std::nullopt;
    try {
        const json head = json::parse(line);
        for (const auto& [name, value] : key.items())
            if (head.at(name) != value)
                return std::nullopt;
        Head found{base::Nanoseconds{head.at("took_ns").get<std::int64_t>()},
                   head.at("left_out").get<std::vector<std::string>>(),
                   head.at("points").get<std::size_t>(), std::nullopt};
        if (const json& parts = head.at("parts"); !parts.is_null()) {
            found.parts.emplace();
            for (const json& row : parts)
                found.parts->push_back(partFrom(row));
        }
        return found;
    } catch (const json::exception&) {
        return std::nullopt;
    }
}

/// Takes a line off the text.
std::string_view takeLine(std::string_view& text)
{
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

/// Whether planners claim nothing that the checked plans don't bear out: none of them found a plan
/// that is better than all of these.
bool isBorneOut(const std::vector<plan::PlannerProgress>& parts, const plan::Frontier& frontier)
{
    return std::ranges::all_of(parts, [&](const plan::PlannerProgress& part) {
        return std::ranges::all_of(part.found, [&](const plan::ProgressPoint& point) {
            const plan::FrontierPoint best = frontier.at(point.peak);
            return best && best->evaluation().stepTime <= point.stepTime;
        });
    });
}

/// A checked plan that is within the pins.
std::optional<plan::FrontierPoint> pointFrom(std::string_view line, const Planned& planned)
{
    const base::Result<plan::PlanFile> file = plan::readPlan(line, *planned.recorded());
    if (!file)
        return std::nullopt;
    base::Result<plan::VerifiedPlanPtr> verified = plan::certify(planned.problem, file->plan);
    if (!verified)
        return std::nullopt;
    return plan::FrontierPoint{*std::move(verified),
                               std::make_shared<const plan::Provenance>(file->provenance)};
}

/// All plans of the text, of which the first `points` are the frontier; none if one fails or is not
/// in its place.
std::optional<plan::Frontier> frontierFrom(std::string_view text, std::size_t points,
                                           const Planned& planned, const base::JobContext& job)
{
    plan::Frontier frontier;
    for (std::size_t line = 0; !text.empty(); ++line) {
        if (job.stopRequested())
            return std::nullopt;
        std::optional<plan::FrontierPoint> point = pointFrom(takeLine(text), planned);
        const bool isPoint = line < points;
        if (!point || frontier.improvedBy((*point)->evaluation()) != isPoint)
            return std::nullopt;
        if (isPoint)
            frontier.insert(*std::move(point));
        else
            frontier.keepDominated(*std::move(point));
    }
    return frontier;
}

} // namespace

std::string keptPlans(const Planned& planned, const std::string& contentHash)
{
    json head = keyOf(planned.choices, contentHash);
    head["took_ns"] = planned.took.count();
    head["left_out"] = planned.frontier->leftOut();
    head["points"] = planned.frontier->points().size();
    head["parts"] = nullptr;
    if (planned.frontier->parts()) {
        head["parts"] = json::array();
        for (const plan::PlannerProgress& part : planned.frontier->parts()->read())
            head["parts"].push_back(partOf(part));
    }
    constexpr auto kReplace = json::error_handler_t::replace;
    std::string text = head.dump(-1, ' ', false, kReplace) + '\n';
    for (const auto* plans : {&planned.frontier->points(), &planned.frontier->dominated()})
        for (const plan::FrontierPoint& plan : *plans)
            text += plan::toJson(plan).dump(-1, ' ', false, kReplace) + '\n';
    return text;
}

PlannedPtr plannedFrom(std::string_view text, const std::string& contentHash,
                       const graph::ProgramPtr& recorded, const Choices& choices,
                       const base::JobContext& job)
{
    const std::optional<Head> head = headFrom(takeLine(text), keyOf(choices, contentHash));
    if (!head)
        return nullptr;
    base::Result<Planned> planned = boundedStep(recorded, choices, job);
    if (!planned)
        return nullptr;
    std::optional<plan::Frontier> frontier = frontierFrom(text, head->points, *planned, job);
    if (!frontier || (head->parts && !isBorneOut(*head->parts, *frontier)))
        return nullptr;
    for (const std::string& sentence : head->leftOut)
        frontier->leaveOut(sentence);
    if (frontier->points().empty())
        return nullptr;
    if (head->parts)
        frontier->setParts(std::make_shared<const plan::PlannerProgressList>(*head->parts));
    planned->took = head->took;
    planned->setFrontier(std::make_shared<const plan::Frontier>(*std::move(frontier)));
    return std::make_shared<const Planned>(*std::move(planned));
}

} // namespace plimsoll::workspace
