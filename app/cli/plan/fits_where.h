// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"
#include "app/cli/watch.h"
#include "core/allocator/allocator_settings.h"
#include "core/evaluate/frontier.h"
#include "core/run/will_run.h"
#include "core/workspace/planning.h"

#include <optional>
#include <string>
#include <vector>

namespace plimsoll::cli {

/// A status that isn't known, because the search was stopped.
inline constexpr const char* kNotReached = "not_reached";

/// --devices and --largest: `plan` prints a table of where the step fits, instead of one plan.
class FitsOptions
{
public:
    void addTo(CLI::App& command);
    [[nodiscard]] bool isGiven() const { return m_devices || m_largest; }
    [[nodiscard]] bool isAboutDevices() const { return m_devices.has_value(); }
    /// Throws VerbError (Usage) for an option of `plan` that has no use beside these.
    void check(const CLI::App& command) const;
    /// The devices to compare, of --devices.
    [[nodiscard]] std::vector<plan::Device> devices() const;
    /// The axes to enlarge, of --largest.
    [[nodiscard]] std::vector<std::string> axes(const graph::Program& recorded) const;

private:
    std::optional<std::string> m_devices;
    std::optional<std::string> m_largest;
};

/// What both tables are made from.
struct FitsRequest
{
    graph::ProgramPtr recorded; ///< as read
    allocator::AllocatorSettings settings;
    std::string settingsText;
    TimeLeft timeLeft;
    bool quiet = false;
};

/// The answer of `plan --devices`, without `seconds`. The choices differ in the device.
[[nodiscard]] Answer devicesAnswer(const FitsRequest& request,
                                   const std::vector<workspace::Choices>& choices);

/// The answer of `plan --largest`, without `seconds`.
[[nodiscard]] Answer largestAnswer(const FitsRequest& request, const workspace::Choices& choices,
                                   base::Bytes budget, const std::vector<std::string>& axes);

/// The keys that rows of both tables have about a plan; null without one.
void addPlan(ordered_json& row, const plan::FrontierPoint& plan,
             const plan::VerifiedPlanPtr& unplanned, const std::optional<run::RunStatus>& run);

/// "+3.2 %": how much slower the step is with the plan.
[[nodiscard]] std::string slowdownText(const plan::FrontierPoint& plan,
                                       const plan::VerifiedPlan& unplanned);

} // namespace plimsoll::cli
