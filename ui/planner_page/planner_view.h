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

class PlannerPage;

/// What a planner page shows, for the length of an update.
struct PlannerState
{
    const workspace::PlanDocument& document;
    const workspace::Planned& planned;
    const solve::Outcome& outcome;      ///< the answer at `budget`
    const plan::VerifiedPlanPtr& shown; ///< the plan to draw; never null
    const workspace::AlignedRuns& laid; ///< of the measurement; all null: none is laid over
    bool isLaying;                      ///< whether those are being looked for
    base::Bytes budget;                 ///< under the pointer while dragging, else the document's
    bool isDragging;
    bool isPlanned; ///< for the present choices
    bool isPlanning;
    bool isOutdated;    ///< what is shown answers for other choices than the present ones
    bool isRefined;     ///< the bounds of `outcome` are in
    bool isWaiting;     ///< nothing but the unplanned step can be shown yet
    qint64 planningFor; ///< milliseconds; 0: no job plans

    /// Whether there is a plan for what is chosen: it can be exported.
    [[nodiscard]] bool hasPlan() const { return outcome.best && document.budget && !isOutdated; }
    /// Whether the frontier is of the present choices and has plans.
    [[nodiscard]] bool hasFrontier() const;
    /// The measured run that ran under the shown plan; null: none did.
    [[nodiscard]] workspace::MeasuredRunPtr runOfShown() const;
    /// Verified plan, or why there is none.
    [[nodiscard]] StatusText status() const;
};

enum class Change : std::uint16_t {
    Planned = 1U << 0U,  ///< the frontier, the bound or the unplanned step
    Answer = 1U << 1U,   ///< budget, plan or bounds: at each move of a drag
    Choices = 1U << 2U,  ///< device, reserve, planner, options, sizes, pins
    Runs = 1U << 3U,     ///< the list of runs
    Overlay = 1U << 4U,  ///< the measurement, or its runs over what is planned
    Progress = 1U << 5U, ///< a job that plans has begun, come further or ended
    PinPrices = 1U << 6U,
    AtRest = 1U << 7U, ///< the answer again, for what needs not follow a drag
};
Q_DECLARE_FLAGS(Changes, Change)
Q_DECLARE_OPERATORS_FOR_FLAGS(Changes)

/// A view of a planner page: takes what is new from the page's state, and passes on what the user
/// does with it. Knows the document and the selection, no other view. Only `update` must be there.
struct PlannerView
{
    QWidget* widget = nullptr; ///< in the centre or a dock from the start
    std::function<void(const PlannerState&, Changes)> update;
    std::function<bool()> goBack = {}; ///< Esc, one level; false: there was nothing
    // What a session keeps of it.
    std::function<void(QJsonObject&)> store = {};
    std::function<void(const QJsonObject&)> restore = {};
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
