// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/plan_document.h"
#include "ui/document_page/document_page.h"

#include <QFlags>

#include <functional>
#include <vector>

class QJsonObject;
class QWidget;

namespace plimsoll::ui {

class JobRunnerBase;
class PlannerPage;

/// What a planner page shows, for the duration of an update.
struct PlannerState
{
    const workspace::PlanDocument& document;
    const workspace::Planned& planned;
    const solve::Outcome& outcome;      ///< the answer at `budget`
    const run::PlanChoice& choice;      ///< its plan, and whether it runs
    const run::PlansByBudget& byBudget; ///< from which budget on each plan is taken
    bool isByRun; ///< whether `byBudget` knows the allocator: else a plan is taken for its peak
    const plan::VerifiedPlanPtr& shown; ///< the plan to draw; never null
    const workspace::AlignedRuns& laid; ///< of the measurement; all null: none is overlaid
    bool isLaying;                      ///< whether those are being aligned
    base::Bytes budget;                 ///< under the pointer while dragging, else the document's
    bool isDragging;
    bool isPlanned;  ///< for the current settings
    bool isDeferred; ///< as DocumentController::isDeferred()
    bool isPlanning;
    bool isOutdated;    ///< what is shown is for other settings than the current ones
    bool isRefined;     ///< the bounds of `outcome` are available
    bool isWaiting;     ///< only the unplanned step can be shown yet
    qint64 planningFor; ///< milliseconds; 0: no job is planning

    /// Whether there is a plan for the current settings, which can be exported.
    [[nodiscard]] bool hasPlan() const { return outcome.best && !isOutdated; }
    /// The smallest budget at which one of the known plans runs; empty while that is unknown.
    [[nodiscard]] std::optional<base::Bytes> leastBudget() const
    {
        return isByRun && !byBudget.empty() ? std::optional{byBudget.front().budget} : std::nullopt;
    }
    /// Whether the frontier is for the current settings and has plans.
    [[nodiscard]] bool hasFrontier() const;
    /// The measured run under the shown plan; null: there is none.
    [[nodiscard]] workspace::MeasuredRunPtr runOfShown() const;
    /// The verified plan, or why there is none.
    [[nodiscard]] StatusText status() const;
};

enum class Change : std::uint16_t {
    Planned = 1U << 0U,  ///< the frontier, the bound or the unplanned step
    Answer = 1U << 1U,   ///< budget, plan or bounds: with each move of a drag
    Choices = 1U << 2U,  ///< device, reserve, planner, options, sizes, pins
    Runs = 1U << 3U,     ///< the list of runs
    Overlay = 1U << 4U,  ///< the measurement, or its runs over the planned step
    Progress = 1U << 5U, ///< a planning job started, progressed or ended
    PinPrices = 1U << 6U,
    AtRest = 1U << 7U, ///< the answer once more, for views that don't follow a drag
};
Q_DECLARE_FLAGS(Changes, Change)
Q_DECLARE_OPERATORS_FOR_FLAGS(Changes)

/// A view of a planner page: takes changes from the page's state, and passes on the user's actions.
/// Knows the document and the selection, but no other view. Only `update` is required.
struct PlannerView
{
    QWidget* widget = nullptr; ///< in the centre or a dock from the start
    std::function<void(const PlannerState&, Changes)> update;
    std::function<bool()> goBack = {}; ///< Esc, one level; false: there was nothing
    // What a session keeps of it.
    std::function<void(QJsonObject&)> store = {};
    std::function<void(const QJsonObject&)> restore = {};
    std::vector<JobRunnerBase*> jobs = {}; ///< that are stopped before the page closes
};

using MakePlannerView = std::function<PlannerView(PlannerPage&)>;

/// A view as a tab of a dock.
struct PlannerViewKind
{
    QString id;
    QString title;
    MakePlannerView make;
    QString narrowTitle = {}; ///< as DocumentPage::addView() takes it
};

struct PlannerDock
{
    DockKind dock;
    std::vector<PlannerViewKind> views; ///< in the order of their tabs
};

/// All views of a planner page.
struct PlannerLayout
{
    MakePlannerView centre;
    std::vector<PlannerDock> docks;
};

} // namespace plimsoll::ui
