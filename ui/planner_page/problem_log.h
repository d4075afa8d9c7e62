// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"
#include "ui/base/message_strip.h"
#include "ui/models/problem_model.h"

#include <vector>

namespace plimsoll::ui {

/// What a document's Problems page lists: what the file brought along, what the shown step assumes
/// and its plan does, and every message that the strip has shown.
class ProblemLog
{
public:
    /// What the reader tolerated.
    explicit ProblemLog(const workspace::OpenGraph& graph);

    /// Counts a message of the strip. `op`: where it belongs, if it has a place.
    void note(const graph::Program& program, const Message& message, std::optional<graph::OpId> op);
    [[nodiscard]] std::vector<Problem> problemsOf(const plan::VerifiedPlan& shown) const;

private:
    struct Noted
    {
        QString key;
        Problem problem;
    };
    std::vector<Problem> m_file;
    std::vector<Noted> m_noted; ///< a row per message; its last wording
};

/// What the runtime does with a plan that the unplanned step doesn't do.
[[nodiscard]] std::vector<Problem> remarksOn(const plan::VerifiedPlan& plan);

} // namespace plimsoll::ui
