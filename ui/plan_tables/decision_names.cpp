// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/decision_names.h"

#include "ui/base/texts.h"
#include "ui/models/program_texts.h"

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

const QString kDot = QStringLiteral(" · ");
const QString kTo = QStringLiteral(" … ");

bool isWholeModule(const PlanEnd& end)
{
    return end.op < 0;
}

/// The name inside the block, or the whole one if that would begin with a number.
std::string_view nameInBlock(const graph::ModulePlace& place)
{
    const std::string_view inside = place.inBlock();
    return inside.empty() || (inside.front() >= '0' && inside.front() <= '9') ? place.name : inside;
}

} // namespace

DecisionNames::DecisionNames(graph::ProgramPtr program)
    : m_program{std::move(program)}, m_places{graph::modulePlaces(*m_program)}
{
    for (const graph::ModulePlace& place : m_places)
        if (place.isInBlock())
            m_families[place.family].insert(place.number);
}

const graph::ModulePlace& DecisionNames::placeOf(const PlanEnd& end) const
{
    return end.module < 0 ? m_nowhere : m_places[static_cast<std::size_t>(end.module)];
}

PlanGroupKey DecisionNames::groupKey(const PlanRow& row) const
{
    const graph::ModulePlace& first = placeOf(row.first);
    const graph::ModulePlace& last = placeOf(row.last);
    if (!first.isInBlock() || first.family != last.family)
        return {};
    const auto target = [this](const PlanEnd& end) {
        return isWholeModule(end) ? 0 : m_program->ops[static_cast<std::size_t>(end.op)].target + 1;
    };
    PlanGroupKey key{.family = first.family,
                     .firstKind = first.kind,
                     .lastKind = last.kind,
                     .firstTarget = target(row.first),
                     .lastTarget = target(row.last),
                     .blocks = last.number - first.number,
                     .isRepeated = row.isRepeated};
    // Regions of whole blocks are of one kind, however many blocks each has.
    if (first.inBlock().empty() && last.inBlock().empty() && isWholeModule(row.first))
        key.blocks = 0;
    return key;
}

QString DecisionNames::endText(const PlanEnd& end, std::string_view path) const
{
    if (isWholeModule(end))
        return fileText(path);
    const QString title = opTitle(*m_program, graph::opAt(end.op));
    return path.empty() ? title : fileText(path) + kDot + title;
}

QString DecisionNames::spanText(const PlanRow& row, std::string_view first,
                                std::string_view last) const
{
    const QString text = endText(row.first, first);
    if (row.first == row.last)
        return text;
    const bool isOneModule = row.first.module == row.last.module;
    const QString end = endText(row.last, isOneModule ? std::string_view{} : last);
    return end.isEmpty() ? text : text + kTo + end;
}

QString DecisionNames::rowText(const PlanRow& row) const
{
    const graph::ModulePlace& first = placeOf(row.first);
    const graph::ModulePlace& last = placeOf(row.last);
    const bool isOneBlock =
        first.isInBlock() && first.family == last.family && first.number == last.number;
    const QString text = spanText(row, first.name, isOneBlock ? nameInBlock(last) : last.name);
    return text.isEmpty() ? QStringLiteral("model") : text;
}

QString DecisionNames::fullText(const PlanRow& row) const
{
    const auto path = [this](const PlanEnd& end) {
        return end.module < 0 ? std::string_view{}
                              : std::string_view{
                                  m_program->modules[static_cast<std::size_t>(end.module)].path};
    };
    return spanText(row, path(row.first), path(row.last));
}

std::set<std::int64_t> DecisionNames::blocksOf(const std::vector<const PlanRow*>& rows) const
{
    std::set<std::int64_t> blocks;
    for (const PlanRow* row : rows)
        for (std::int64_t block = placeOf(row->first).number; block <= placeOf(row->last).number;
             ++block)
            blocks.insert(block);
    return blocks;
}

QString DecisionNames::groupText(const std::vector<const PlanRow*>& rows) const
{
    const std::string_view block = placeOf(rows.front()->first).block();
    const QString range = fileText(graph::blockRanges(block, blocksOf(rows)));
    const QString inside = insideText(*rows.front());
    return inside.isEmpty() ? range : range + kDot + inside;
}

QString DecisionNames::insideText(const PlanRow& row) const
{
    return spanText(row, placeOf(row.first).inBlock(), placeOf(row.last).inBlock());
}

int DecisionNames::blockLength(const PlanRow& row) const
{
    return static_cast<int>(fileText(placeOf(row.first).block()).size());
}

QString DecisionNames::valueText(const PlanRow& row, graph::OpId op) const
{
    const std::optional<graph::ModuleId>& module = m_program->op(op).module;
    const PlanEnd end{module ? static_cast<std::int32_t>(module->index()) : -1,
                      static_cast<std::int32_t>(op.index())};
    const graph::ModulePlace& place = placeOf(end);
    const graph::ModulePlace& first = placeOf(row.first);
    const bool isOneBlock = placeOf(row.last).number == first.number && first.isInBlock()
                            && place.family == first.family && place.number == first.number;
    return endText(end, isOneBlock ? nameInBlock(place) : place.name);
}

bool DecisionNames::coverAllBlocks(const std::vector<const PlanRow*>& rows) const
{
    const auto family = m_families.find(placeOf(rows.front()->first).family);
    return family != m_families.end() && family->second == blocksOf(rows);
}

QString DecisionNames::globForAllBlocks(const QString& glob) const
{
    const std::string path = glob.section(u':', 0, 0).toStdString();
    const auto module = std::ranges::find(m_program->modules, path, &graph::Module::path);
    if (module == m_program->modules.end())
        return glob;
    const graph::ModulePlace& place =
        m_places[static_cast<std::size_t>(module - m_program->modules.begin())];
    const std::string number = std::to_string(place.number);
    const std::size_t end = path.size() - place.name.size() + place.blockEnd;
    if (!place.isInBlock() || !path.substr(0, end).ends_with(number))
        return glob;
    const QString list = QString::fromStdString(path.substr(0, end - number.size()));
    return list + u'*' + QString::fromStdString(path.substr(end))
           + glob.mid(QString::fromStdString(path).size());
}

} // namespace plimsoll::ui
