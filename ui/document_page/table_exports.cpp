// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/table_exports.h"

#include "ui/document_page/document_page.h"
#include "ui/tables/table_csv.h"

#include <QTableView>

namespace plimsoll::ui {

void addTableExports(DocumentPage& page, Settings& settings)
{
    const CsvNotes notes{[&page](const QString& sentence) { Q_EMIT page.noted(sentence); },
                         [&page](const QString& error) {
                             page.strip().post(
                                 {QStringLiteral("export"),
                                  MessageKind::Danger,
                                  DocumentPage::tr("The table could not be exported."),
                                  error,
                                  {}});
                         }};
    for (QTableView* table : page.findChildren<QTableView*>())
        addCsvExport(*table, settings, notes);
}

} // namespace plimsoll::ui
