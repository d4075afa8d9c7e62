// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/finder.h"

#include "ui/shell/find_field.h"

#include <utility>

namespace plimsoll::ui {

Finder::Finder(FindField& field, QObject* parent) : QObject{parent}, m_field{field}
{
    connect(&m_field, &QLineEdit::textChanged, this, &Finder::search);
    connect(&m_field, &FindField::hitRequested, this, &Finder::go);
    connect(&m_field, &FindField::cancelled, this, [this] {
        m_field.clear();
        if (DocumentPage* page = m_page.data())
            page->focusCentre();
    });
}

void Finder::setPage(DocumentPage* page)
{
    if (page == m_page)
        return;
    m_page = page;
    m_field.clear();
}

void Finder::search(const QString& query)
{
    m_searcher.stop();
    DocumentPage* page = m_page.data();
    DocumentPage::Search work =
        page == nullptr || query.trimmed().isEmpty() ? nullptr : page->searchFor(query);
    if (!work) {
        m_hits.clear();
        m_field.showNoCount();
        return;
    }
    m_searcher.start(std::move(work), [this, query, page](base::Result<DocumentPage::Hits> found) {
        if (!found || page != m_page || query != m_field.text())
            return;
        m_hits = *std::move(found);
        m_position = 0;
        showHit();
    });
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
    if (DocumentPage* page = m_page.data(); page != nullptr && !m_hits.empty())
        page->showHit(m_hits[m_position]);
}

} // namespace plimsoll::ui
