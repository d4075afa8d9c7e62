// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/document_page/document_page.h"

#include <QPointer>

namespace plimsoll::ui {

class FindField;

/// Looks for what is in the field through the shown document, off the GUI thread, and takes its
/// page from hit to hit.
class Finder : public QObject
{
    Q_OBJECT

public:
    explicit Finder(FindField& field, QObject* parent = nullptr);

    /// Null: nothing to look through. Another page forgets the query.
    void setPage(DocumentPage* page);
    /// 1: to the next hit, -1: to the one before, round the ends.
    void go(int by);

private:
    void search(const QString& query);
    void showHit();

    FindField& m_field;
    QPointer<DocumentPage> m_page;
    DocumentPage::Hits m_hits;
    std::size_t m_position = 0;
    JobRunner<DocumentPage::Hits> m_searcher;
};

} // namespace plimsoll::ui
