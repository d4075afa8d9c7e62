// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/document_page/document_page.h"

#include <QLineEdit>
#include <QPointer>

namespace plimsoll::ui {

/// Searches the shown document for the typed text, off the GUI thread, and takes its page from hit
/// to hit. Shows the number of hits at the right end.
class FindField : public QLineEdit
{
    Q_OBJECT

public:
    explicit FindField(QWidget* parent = nullptr);

    /// Null: nothing to search. Another page clears the query.
    void setPage(DocumentPage* page);
    /// 1: to the next hit, -1: to the previous one, wrapping around.
    void go(int by);
    /// "3 of 17", "0 hits" in danger, or nothing without a query.
    [[nodiscard]] QString shownCount() const { return m_count; }

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void search(const QString& query);
    void showHit();
    void setCount(const QString& text);
    void relabel();

    QPointer<DocumentPage> m_page;
    DocumentPage::Hits m_hits;
    std::size_t m_position = 0;
    QString m_count;
    bool m_isFault = false; ///< nothing was found
    JobRunner<DocumentPage::Hits> m_searcher;
};

} // namespace plimsoll::ui
