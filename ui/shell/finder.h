// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/find_index.h"
#include "ui/base/job_runner.h"

#include <QPointer>

#include <memory>
#include <vector>

namespace plimsoll::ui {

class FindField;
class PlannerPage;

/// Looks for what is in the field through the shown document's program, off the GUI thread, and
/// takes the timeline from hit to hit.
class Finder : public QObject
{
    Q_OBJECT

public:
    explicit Finder(FindField& field, QObject* parent = nullptr);

    /// Null: nothing to look through. Another page forgets the query.
    void setPage(PlannerPage* page);
    void next() { go(1); }
    void previous() { go(-1); }
    void clear();
    [[nodiscard]] const std::vector<graph::OpId>& hits() const { return m_hits; }

private:
    struct Found
    {
        std::shared_ptr<const graph::FindIndex> index;
        std::vector<graph::OpId> ops;
    };
    void search(const QString& query);
    void take(Found found);
    void go(int by);
    void showHit();

    FindField& m_field;
    QPointer<PlannerPage> m_page;
    std::shared_ptr<const graph::FindIndex> m_index; ///< of the page's program; null: not made yet
    std::vector<graph::OpId> m_hits;
    std::size_t m_position = 0;
    JobRunner<Found> m_searcher;
};

} // namespace plimsoll::ui
