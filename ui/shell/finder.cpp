// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/finder.h"

#include "ui/planner_page/planner_page.h"
#include "ui/shell/find_field.h"

#include <utility>

namespace plimsoll::ui {

Finder::Finder(FindField& field, QObject* parent) : QObject{parent}, m_field{field}
{
    connect(&m_field, &QLineEdit::textChanged, this, &Finder::search);
    connect(&m_field, &FindField::nextRequested, this, &Finder::next);
    connect(&m_field, &FindField::previousRequested, this, &Finder::previous);
    connect(&m_field, &FindField::cancelled, this, [this] {
        clear();
        if (PlannerPage* page = m_page.data(); page != nullptr)
            page->timeline().setFocus(Qt::OtherFocusReason);
    });
}

void Finder::setPage(PlannerPage* page)
{
    if (page == m_page)
        return;
    m_index.reset();
    m_page = page;
    clear();
}

void Finder::clear()
{
    m_field.clear();
}

void Finder::search(const QString& query)
{
    m_searcher.stop();
    PlannerPage* page = m_page.data();
    if (page == nullptr || query.trimmed().isEmpty()) {
        m_hits.clear();
        m_field.showNoCount();
        return;
    }
    m_searcher.start(
        [program = page->document().document().graph.program, index = m_index,
         text = query.toStdString()](const base::JobContext& job) {
            Found found{index, {}};
            if (!found.index)
                found.index = std::make_shared<const graph::FindIndex>(*program);
            found.ops = found.index->find(text, job);
            return base::Result<Found>{std::move(found)};
        },
        [this, query, page](base::Result<Found> found) {
            if (found && page == m_page && query == m_field.text())
                take(*std::move(found));
        });
}

void Finder::take(Found found)
{
    m_index = std::move(found.index);
    m_hits = std::move(found.ops);
    m_position = 0;
    showHit();
}

void Finder::go(int by)
{
    if (m_hits.empty())
        return;
    const auto count = static_cast<std::ptrdiff_t>(m_hits.size());
    const auto at = static_cast<std::ptrdiff_t>(m_position) + by;
    m_position = static_cast<std::size_t>((at + count) % count);
    showHit();
}

void Finder::showHit()
{
    m_field.showHits(m_position + 1, m_hits.size());
    if (PlannerPage* page = m_page.data(); page != nullptr && !m_hits.empty())
        page->showOp(m_hits[m_position]);
}

} // namespace plimsoll::ui
