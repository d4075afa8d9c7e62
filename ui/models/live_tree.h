// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"
#include "core/evaluate/live.h"
#include "ui/base/selection.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

enum class LiveGrouping : std::uint8_t { Module, Class };

/// A group, or one block of memory.
struct LiveNode
{
    QString name;      ///< inside its group: "weight, gradient"; of a group: "h.0"
    QString key;       ///< identifies groups, whatever the step
    QString made = {}; ///< "softmax, forward", "before the step"; empty for groups
    QString glob = {}; ///< the glob that pins it; empty: it can't be pinned
    QString exact = {};
    base::Bytes bytes = {};
    std::optional<timeline::Category> category; ///< empty: a group with several
    std::optional<std::size_t> since = {};      ///< empty: a group, or live before the step
    int parent = -1;                            ///< -1: at the top
    int row = 0;                                ///< among its siblings
    std::vector<int> children = {};             ///< largest first
    std::optional<graph::ModuleId> module = {}; ///< of a group
    bool isGroup = false;
};

/// What is live during one step of a plan, grouped. A value type; built on any thread.
struct LiveTree
{
    std::vector<LiveNode> nodes;
    std::vector<int> top;           ///< largest first
    plan::EvaluationPtr evaluation; ///< that the figures are of
    std::size_t step = 0;
    QString place;     ///< "softmax, backward", of the step
    base::Bytes total; ///< of what is listed
};

using LiveTreePtr = std::shared_ptr<const LiveTree>;

/// Requires a step of the plan's timeline. By module: grouped by the modules that were called,
/// nested as they contain one another; a parameter's gradient and states are listed with it. With a
/// range only what is allocated in it.
[[nodiscard]] LiveTreePtr liveTree(const plan::VerifiedPlan& plan, std::size_t step,
                                   LiveGrouping grouping,
                                   std::optional<StepRange> range = std::nullopt);

} // namespace plimsoll::ui
