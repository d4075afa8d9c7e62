// SPDX-License-Identifier: Apache-2.0
// The messages of a planner page: what the strip says of the document, and the list of all.
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/program_texts.h"
#include "ui/plan_tables/problem_page.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"

#include <QObject>

#include <algorithm>
#include <memory>
#include <set>

namespace plimsoll::ui {

namespace {

constexpr QLatin1String kBudgetMessage{"budget"}; ///< as infeasibleMessage() has it

ProblemKind kindOf(MessageKind kind)
{
    switch (kind) {
    case MessageKind::Danger: return ProblemKind::Fault;
    case MessageKind::Warn: return ProblemKind::Warning;
    case MessageKind::Offer: break;
    }
    return ProblemKind::Remark;
}

/// "Kernels of the trace (cuda): attention efficient 12×, optimizer foreach 1×."; empty without
/// any.
QString kernelsText(const graph::Header& header)
{
    QStringList choices;
    for (const graph::KernelChoice& choice : header.kernels)
        choices << QObject::tr("%1 %2 %3×")
                       .arg(fileText(choice.family), fileText(choice.kernel),
                            countText(static_cast<std::size_t>(choice.times)));
    if (choices.isEmpty())
        return {};
    return QObject::tr("Kernels of the trace (%1): %2.")
        .arg(fileText(header.target), choices.join(QStringLiteral(", ")));
}

/// What the step takes for granted: at another size than the recorded one that is more.
std::vector<Problem> assumptionsOf(const graph::Header& header)
{
    std::vector<Problem> problems;
    const auto add = [&](const QString& sentence) {
        problems.emplace_back();
        problems.back().sentence = sentence;
    };
    if (const QString kernels = kernelsText(header); !kernels.isEmpty())
        add(kernels);
    for (const std::string& sentence : header.assumed)
        add(QObject::tr("Assumed by the trace: %1.").arg(fileText(sentence)));
    return problems;
}

/// What the runtime does with a plan that the unplanned step doesn't do.
std::vector<Problem> remarksOn(const plan::VerifiedPlan& plan)
{
    if (plan.plan().isCompiledStep())
        return {}; // it repeats batch norm without its statistics
    const graph::Program& program = *plan.problem().step();
    std::set<graph::StorageId> buffers;
    std::optional<graph::OpId> first;
    for (const plan::Step& step : plan.evaluation().schedule->steps) {
        if (step.region < 0)
            continue;
        for (const graph::TensorId tensor : program.op(step.op).writes)
            if (program.storageOf(tensor).storageClass == graph::StorageClass::Buffer) {
                buffers.insert(program.tensor(tensor).storage);
                first = first.value_or(step.op);
            }
    }
    if (!first)
        return {};
    Problem problem;
    problem.kind = ProblemKind::Warning;
    problem.sentence = QObject::tr("Buffers such as running statistics are updated a second time "
                                   "in each step, because the plan runs their modules again.");
    problem.count = buffers.size();
    problem.op = first;
    problem.recomputed = true;
    problem.where = opPlace(program, *first);
    return {problem};
}

/// What the page lists: what the file brought along, what the shown step assumes and its plan does,
/// and every message that the strip has shown.
class ProblemLog
{
public:
    /// What the reader tolerated.
    explicit ProblemLog(const workspace::OpenGraph& graph)
    {
        for (const auto& [oddity, count] : graph.statistics) {
            Problem problem;
            problem.kind = ProblemKind::Warning;
            problem.sentence = QObject::tr("Read with a difference: %1.").arg(fileText(oddity));
            problem.count = count;
            m_file.push_back(std::move(problem));
        }
    }

    /// Counts a message of the strip. `op`: where it belongs, if it has a place.
    void note(const graph::Program& program, const Message& message, std::optional<graph::OpId> op)
    {
        const QString sentence = QString{message.first + u' ' + message.rest}.trimmed();
        const QString& key = message.id.isEmpty() ? sentence : message.id;
        auto noted = std::ranges::find(m_noted, key, &Noted::key);
        if (noted == m_noted.end()) {
            noted = m_noted.insert(m_noted.end(), {key, {}});
            noted->problem.count = 0;
        }
        Problem& problem = noted->problem;
        problem.kind = kindOf(message.kind);
        problem.sentence = sentence;
        problem.op = op;
        problem.where = op ? opPlace(program, *op) : QString{};
        ++problem.count;
    }

    [[nodiscard]] std::vector<Problem> problemsOf(const plan::VerifiedPlan& shown) const
    {
        std::vector<Problem> problems;
        for (const Noted& noted : m_noted)
            problems.push_back(noted.problem);
        const std::vector<Problem> remarks = remarksOn(shown);
        problems.insert(problems.end(), remarks.begin(), remarks.end());
        problems.insert(problems.end(), m_file.begin(), m_file.end());
        const std::vector<Problem> assumed = assumptionsOf(shown.problem().step()->header);
        problems.insert(problems.end(), assumed.begin(), assumed.end());
        return problems;
    }

private:
    struct Noted
    {
        QString key;
        Problem problem;
    };
    std::vector<Problem> m_file;
    std::vector<Noted> m_noted; ///< a row per message; its last wording
};

QString failureText(const QString& id)
{
    return id == QStringLiteral("size")
               ? PlannerPage::tr("The model can't be resized to this value.")
               : PlannerPage::tr("Planning failed.");
}

/// A budget without a plan.
void showBudget(MessageStrip& strip, DocumentController& document, const PlannerState& state)
{
    if (state.outcome.best || state.isWaiting || state.isOutdated || !state.document.budget) {
        strip.withdraw(kBudgetMessage);
        strip.setProperty("budget", QString{});
        return;
    }
    // The same message twice would undo a Dismiss; a new budget is a new message.
    const auto text = bytesText(state.budget);
    if (strip.property("budget").toString() == text && state.isRefined)
        return;
    strip.setProperty("budget", text);
    Message message = infeasibleMessage(state.planned, state.budget);
    const base::Bytes rounded = shownCeiling(state.planned.smallestPeak);
    message.actions.push_back({PlannerPage::tr("Set budget to %1").arg(bytesText(rounded)),
                               [&document, rounded] { document.commitBudget(rounded); }});
    strip.post(std::move(message));
}

void showProblems(ProblemPage& list, const ProblemLog& log, PlannerPage& page)
{
    list.setProblems(log.problemsOf(*page.state().shown));
    // Remarks are no problems: a file in order shows no number.
    const int count = list.model()->rowCount() - list.model()->remarkCount();
    page.dockOf(&list)->setPageTitle(&list, count > 0 ? PlannerPage::tr("Problems %1").arg(count)
                                                      : PlannerPage::tr("Problems"));
}

} // namespace

PlannerView makeProblemView(PlannerPage& page)
{
    auto* list = new ProblemPage;
    DocumentController& document = page.document();
    MessageStrip& strip = page.strip();
    const auto log = std::make_shared<ProblemLog>(document.document().graph);
    QObject::connect(list, &ProblemPage::placeChosen, &page, [&page](const Problem& problem) {
        page.selectOp(*problem.op, problem.recomputed);
    });
    QObject::connect(&strip, &MessageStrip::posted, &page, [=, &page](const Message& message) {
        // A budget without a plan has its place where the bound is reached.
        std::optional<graph::OpId> op;
        if (message.id == kBudgetMessage)
            op = page.document().planned()->peakBound.op;
        log->note(*page.document().program(), message, op);
        showProblems(*list, *log, page);
    });
    QObject::connect(&strip, &MessageStrip::moreClicked, &page,
                     [list, &page] { page.dockOf(list)->showPage(list); });
    QObject::connect(&document, &DocumentController::failed, &page,
                     [&strip](const QString& id, const QString& sentence) {
                         strip.post({id, MessageKind::Danger, failureText(id), sentence, {}});
                     });
    return {list, [=, &page, &strip](const PlannerState& state, Changes what) {
                if (what & Change::Choices)
                    for (const char* id : {"size", "plan"}) // of the previous settings
                        strip.withdraw(QString::fromLatin1(id));
                if (what & Change::AtRest)
                    showProblems(*list, *log, page);
                // A strip would move the layout under the hand that drags.
                if ((what & Change::Answer) && !state.isDragging)
                    showBudget(strip, page.document(), state);
            }};
}

} // namespace plimsoll::ui
