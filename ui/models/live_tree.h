// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/certify.h"
#include "core/evaluate/live.h"

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
    QString key;       ///< tells groups apart, whatever the step
    QString made = {}; ///< "softmax, forward", "before the step"; empty for groups
    QString glob = {}; ///< what a pin on it is called; empty: nothing that can be pinned
    QString exact = {};
    base::Bytes bytes = {};
    std::optional<timeline::Category> category; ///< empty: a group of several
    std::optional<std::size_t> since = {};      ///< empty: a group, or there before the step
    int parent = -1;                            ///< -1: at the top
    int row = 0;                                ///< among its siblings
    std::vector<int> children = {};             ///< largest first
    bool isGroup = false;
};

/// What is alive during one step of a plan, grouped. A value; built on any thread.
struct LiveTree
{
    std::vector<LiveNode> nodes;
    std::vector<int> top;           ///< largest first
    plan::EvaluationPtr evaluation; ///< that the figures are of
    std::size_t step = 0;
    QString place; ///< "softmax, backward", of the step
    base::Bytes total;
};

using LiveTreePtr = std::shared_ptr<const LiveTree>;

/// Requires a step of the plan's timeline. By module: after the modules that were called, as they
/// contain one another; a parameter's gradient and states stand with it.
[[nodiscard]] LiveTreePtr liveTree(const plan::VerifiedPlan& plan, std::size_t step,
                                   LiveGrouping grouping);

} // namespace plimsoll::ui
