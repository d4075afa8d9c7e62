// SPDX-License-Identifier: Apache-2.0
// The messages of a planner page: those of the document's strip, and the list of all.
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/document_page/pages_dock.h"
#include "ui/models/problem_model.h"
#include "ui/models/program_texts.h"
#include "ui/planner_page/plan_texts.h"
#include "ui/planner_page/planner_page.h"
#include "ui/planner_page/planner_views.h"
#include "ui/tables/table_look.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTableView>

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

/// "Kernels of the trace (cuda): attention efficient 12×, optimizer foreach 1×."; empty if there
/// are none.
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

/// Lists the assumptions of the step; a size other than the recorded one adds to them.
void addAssumptions(std::vector<Problem>& problems, const graph::Header& header)
{
    if (const QString kernels = kernelsText(header); !kernels.isEmpty())
        problems.push_back({.sentence = kernels});
    for (const std::string& sentence : header.assumed)
        problems.push_back(
            {.sentence = QObject::tr("Assumed by the trace: %1.").arg(fileText(sentence))});
}

/// Lists what the runtime does under a plan that the unplanned step doesn't do.
void addRemarks(std::vector<Problem>& problems, const plan::VerifiedPlan& plan)
{
    if (plan.plan().isCompiledStep())
        return; // batch norm runs without its statistics there
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
    if (first)
        problems.push_back(
            {ProblemKind::Warning,
             QObject::tr("Buffers such as running statistics are updated a second time in each "
                         "step, because the plan recomputes their modules."),
             buffers.size(), first, true, opPlace(program, *first)});
}

/// The entries of the page: what the file reports, what the shown step assumes, what its plan does,
/// and every message of the strip that still holds.
class ProblemLog
{
public:
    /// Faults that the reader tolerated.
    explicit ProblemLog(const workspace::OpenGraph& graph)
    {
        for (const auto& [oddity, count] : graph.statistics)
            m_file.push_back(
                {.kind = ProblemKind::Warning,
                 .sentence = QObject::tr("Read with a difference: %1.").arg(fileText(oddity)),
                 .count = count});
    }

    /// Adds a message of the strip. `op`: its location, if it has one.
    void note(const graph::Program& program, const Message& message, std::optional<graph::OpId> op)
    {
        const QString sentence = QString{message.first + u' ' + message.rest}.trimmed();
        const QString& key = message.id.isEmpty() ? sentence : message.id;
        auto noted = std::ranges::find(m_noted, key, &Noted::key);
        if (noted == m_noted.end())
            noted = m_noted.insert(m_noted.end(), {key, {.count = 0}});
        noted->problem = {.kind = kindOf(message.kind),
                          .sentence = sentence,
                          .count = noted->problem.count + 1,
                          .op = op,
                          .where = op ? opPlace(program, *op) : QString{}};
    }

    /// Removes a message that no longer holds. False: it isn't there.
    bool forget(const QString& id)
    {
        return std::erase_if(m_noted, [&id](const Noted& noted) { return noted.key == id; }) > 0;
    }

    [[nodiscard]] std::vector<Problem> problemsOf(const plan::VerifiedPlan& shown) const
    {
        std::vector<Problem> problems;
        for (const Noted& noted : m_noted)
            problems.push_back(noted.problem);
        addRemarks(problems, shown);
        problems.insert(problems.end(), m_file.begin(), m_file.end());
        addAssumptions(problems, shown.problem().step()->header);
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
    if (state.outcome.best || state.isWaiting || state.isOutdated) {
        strip.withdraw(kBudgetMessage);
        strip.setProperty("budget", QString{});
        return;
    }
    // Repeating a message would undo Dismiss; a new budget makes it a new message.
    const std::optional<base::Bytes> least = state.leastBudget();
    const auto text =
        least ? bytesText(state.budget) + u' ' + bytesText(*least) : bytesText(state.budget);
    if (strip.property("budget").toString() == text && state.isRefined)
        return;
    strip.setProperty("budget", text);
    Message message = infeasibleMessage(state.planned, state.budget, least);
    if (least) {
        const base::Bytes rounded = shownCeiling(*least);
        message.actions.push_back({PlannerPage::tr("Set budget to %1").arg(bytesText(rounded)),
                                   [&document, rounded] { document.commitBudget(rounded); }});
    }
    strip.post(std::move(message));
}

/// The list of all messages: Enter or a double click on a row goes to its location.
struct ProblemList
{
    explicit ProblemList(PlannerPage& page)
        : table{makeTable(model, &page, PlannerPage::tr("Problems"))}
        , view{makeTablePage(table, PlannerPage::tr("Nothing to report."))}
        , log{page.document().document().graph}
    {
        setManualPage(*view, QStringLiteral("window.md#plan-and-runs"));
        table->setTextElideMode(Qt::ElideRight);
        setColumnWidths(*table->horizontalHeader(), ProblemModel::SentenceColumn,
                        {{ProblemModel::CountColumn, 64}, {ProblemModel::WhereColumn, 190}});
        addTableAction(
            *table, PlannerPage::tr("Copy"), QKeySequence::Copy, [rows = model, from = table] {
                if (const QModelIndex index = from->currentIndex(); index.isValid())
                    QGuiApplication::clipboard()->setText(rows->rowAt(index.row()).sentence);
            });
        QObject::connect(table, &QTableView::activated, &page,
                         [&page, rows = model](const QModelIndex& index) {
                             if (const Problem& problem = rows->rowAt(index.row()); problem.op)
                                 page.selectOp(*problem.op, problem.recomputed);
                         });
    }

    void show(PlannerPage& page) const
    {
        std::vector<Problem> problems = log.problemsOf(*page.state().shown);
        table->setColumnHidden(ProblemModel::WhereColumn,
                               std::ranges::none_of(problems, [](const Problem& problem) {
                                   return problem.op.has_value();
                               }));
        model->setProblems(std::move(problems));
        // Remarks aren't problems: an intact file shows no count.
        const int count = model->rowCount() - model->remarkCount();
        page.dockOf(view)->setPageTitle(view, count > 0 ? PlannerPage::tr("Problems %1").arg(count)
                                                        : PlannerPage::tr("Problems"));
    }

    ProblemModel* model = new ProblemModel;
    QTableView* table;
    QWidget* view;
    ProblemLog log;
};

} // namespace

PlannerView makeProblemView(PlannerPage& page)
{
    DocumentController& document = page.document();
    MessageStrip& strip = page.strip();
    const auto list = std::make_shared<ProblemList>(page);
    QObject::connect(&strip, &MessageStrip::posted, &page, [list, &page](const Message& message) {
        // A budget without a plan is located where the bound is reached.
        std::optional<graph::OpId> op;
        if (message.id == kBudgetMessage)
            op = page.document().planned()->peakBound.op;
        list->log.note(*page.document().program(), message, op);
        list->show(page);
    });
    QObject::connect(&strip, &MessageStrip::withdrawn, &page, [list, &page](const QString& id) {
        if (list->log.forget(id))
            list->show(page);
    });
    QObject::connect(&strip, &MessageStrip::moreClicked, &page,
                     [list, &page] { page.dockOf(list->view)->showPage(list->view); });
    QObject::connect(&document, &DocumentController::failed, &page,
                     [&strip](const QString& id, const QString& sentence) {
                         strip.post({id, MessageKind::Danger, failureText(id), sentence, {}});
                     });
    return {list->view, [list, &page, &strip](const PlannerState& state, Changes what) {
                if (what & Change::Choices)
                    for (const char* id : {"size", "plan"}) // of the previous settings
                        strip.withdraw(QString::fromLatin1(id));
                if (what & Change::AtRest)
                    list->show(page);
                // Showing the strip would move the layout during a drag.
                if ((what & Change::Answer) && !state.isDragging)
                    showBudget(strip, page.document(), state);
            }};
}

} // namespace plimsoll::ui
