// SPDX-License-Identifier: Apache-2.0
#include "ui/planner_page/problem_log.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/program_texts.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace plimsoll::ui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("Problems", text);
}

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
        choices << translated("%1 %2 %3×")
                       .arg(fileText(choice.family), fileText(choice.kernel),
                            countText(static_cast<std::size_t>(choice.times)));
    if (choices.isEmpty())
        return {};
    return translated("Kernels of the trace (%1): %2.")
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
        add(translated("Assumed by the trace: %1.").arg(fileText(sentence)));
    return problems;
}

} // namespace

ProblemLog::ProblemLog(const workspace::OpenGraph& graph)
{
    for (const auto& [oddity, count] : graph.statistics) {
        Problem problem;
        problem.kind = ProblemKind::Warning;
        problem.sentence = translated("Read with a difference: %1.").arg(fileText(oddity));
        problem.count = count;
        m_file.push_back(std::move(problem));
    }
}

void ProblemLog::note(const graph::Program& program, const Message& message,
                      std::optional<graph::OpId> op)
{
    const QString sentence = QString{message.first + u' ' + message.rest}.trimmed();
    const QString& key = message.id.isEmpty() ? sentence : message.id;
    auto noted = std::find_if(m_noted.begin(), m_noted.end(),
                              [&](const Noted& other) { return other.key == key; });
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

std::vector<Problem> ProblemLog::problemsOf(const plan::VerifiedPlan& shown) const
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
    problem.sentence = translated("Buffers such as running statistics are updated a second time "
                                  "in each step, because the plan runs their modules again.");
    problem.count = buffers.size();
    problem.op = first;
    problem.recomputed = true;
    problem.where = opPlace(program, *first);
    return {problem};
}

} // namespace plimsoll::ui
