// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/fits_page/fits_pane.h"
#include "ui/fits_page/found_rows.h"

#include <functional>
#include <memory>
#include <vector>

namespace plimsoll::ui {

/// A pane whose search finds rows of that type.
template <typename Row>
class SearchPane : public FitsPane
{
public:
    [[nodiscard]] JobRunnerBase& job() override { return m_job; }

protected:
    using Listener = std::function<void(std::size_t, const Row&)>;
    using Search =
        std::function<base::Result<std::vector<Row>>(const base::JobContext&, const Listener&)>;

    using FitsPane::FitsPane;

    /// For settings(); runs on a thread of its own and returns what is known if it is stopped.
    [[nodiscard]] virtual Search makeSearch() const = 0;
    virtual void showRow(std::size_t place, const Row& row) = 0;

    void startSearch() override
    {
        m_found = std::make_shared<FoundRows<Row>>();
        m_job.start(
            [search = makeSearch(), found = m_found](const base::JobContext& job) {
                return search(
                    job, [&found](std::size_t place, const Row& row) { found->put(place, row); });
            },
            [this](const base::Result<std::vector<Row>>& rows) {
                takeRows();
                ended(rows ? QString{} : QString::fromStdString(base::told(rows.error())));
            });
    }
    void takeRows() override
    {
        for (const auto& [place, row] : m_found->takeNew())
            showRow(place, row);
    }

private:
    std::shared_ptr<FoundRows<Row>> m_found = std::make_shared<FoundRows<Row>>();
    JobRunner<std::vector<Row>> m_job;
};

} // namespace plimsoll::ui
