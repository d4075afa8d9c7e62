// SPDX-License-Identifier: Apache-2.0
#include "ui/tables/table_csv.h"

#include "core/base/csv_field.h"
#include "ui/base/file_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/tables/cell_roles.h"
#include "ui/tables/table_look.h"

#include <QElapsedTimer>
#include <QFileInfo>
#include <QProgressDialog>
#include <QTableView>

namespace plimsoll::ui {

namespace {

constexpr int kSlice = 12;            ///< ms of writing before the window may do something else
constexpr int kRowsAtOnce = 64;       ///< rows between looks at the clock
constexpr int kShowDialogAfter = 400; ///< ms

QByteArray field(const QString& text)
{
    return QByteArray::fromStdString(base::csvField(text.toStdString()));
}

QByteArray head(const QAbstractItemModel& model)
{
    QByteArray line;
    for (int column = 0; column < model.columnCount(); ++column) {
        if (column > 0)
            line += ',';
        line += field(model.headerData(column, Qt::Horizontal).toString());
    }
    return line + "\r\n";
}

QByteArray line(const QAbstractItemModel& model, int row)
{
    QByteArray line;
    for (int column = 0; column < model.columnCount(); ++column) {
        if (column > 0)
            line += ',';
        const QModelIndex cell = model.index(row, column);
        const QVariant exact = cell.data(ExactRole);
        line += exact.isValid() ? exact.toString().toUtf8() : field(cell.data().toString());
    }
    return line + "\r\n";
}

} // namespace

TableCsv::TableCsv(const QAbstractItemModel& model, const QString& path, QObject* parent)
    : QObject{parent}, m_model{&model}, m_file{path}
{
    m_next.setInterval(0);
    connect(&m_next, &QTimer::timeout, this, &TableCsv::writeSome);
    // Rows of another picture would be a table that nobody has seen.
    connect(&model, &QAbstractItemModel::modelReset, this, [this] {
        if (m_next.isActive())
            fail(tr("The table has changed while it was written."));
    });
}

void TableCsv::start()
{
    if (!m_file.open(QIODevice::WriteOnly)) {
        fail(m_file.errorString());
        return;
    }
    m_file.write(head(*m_model));
    m_next.start();
}

void TableCsv::stop()
{
    if (!m_next.isActive())
        return;
    m_file.cancelWriting();
    finish(false);
}

void TableCsv::fail(const QString& error)
{
    m_error = error;
    m_file.cancelWriting();
    finish(false);
}

void TableCsv::finish(bool isWritten)
{
    m_next.stop();
    Q_EMIT finished(isWritten);
}

void TableCsv::writeSome()
{
    if (!m_model) {
        fail(tr("The table was closed while it was written."));
        return;
    }
    QElapsedTimer clock;
    clock.start();
    const int rows = m_model->rowCount();
    while (m_row < rows && clock.elapsed() < kSlice)
        for (const int end = std::min(rows, m_row + kRowsAtOnce); m_row < end; ++m_row)
            m_file.write(line(*m_model, m_row));
    Q_EMIT progressed(m_row);
    if (!m_next.isActive())
        return; // stopped by who was told
    if (m_file.error() != QFileDevice::NoError)
        fail(m_file.errorString());
    else if (m_row >= rows && m_file.commit())
        finish(true);
    else if (m_row >= rows)
        fail(m_file.errorString());
}

void addCsvExport(QTableView& table, Settings& settings, const CsvNotes& notes)
{
    addTableAction(table, TableCsv::tr("Export as CSV…"), {}, [&table, &settings, notes] {
        const QString path = chooseFileToSave(
            table.window(), TableCsv::tr("Export table"),
            settings.saveFolder() + u'/' + table.accessibleName().toLower().replace(u' ', u'_')
                + QStringLiteral(".csv"),
            TableCsv::tr("CSV (*.csv)"));
        if (path.isEmpty())
            return;
        settings.setSaveFolder(QFileInfo{path}.absolutePath());
        auto* csv = new TableCsv{*table.model(), path, &table};
        auto* progress = new QProgressDialog{
            TableCsv::tr("Writing %1…").arg(fileText(QFileInfo{path}.fileName())),
            TableCsv::tr("Cancel"), 0, table.model()->rowCount(), table.window()};
        progress->setWindowModality(Qt::WindowModal);
        progress->setMinimumDuration(kShowDialogAfter);
        QObject::connect(csv, &TableCsv::progressed, progress, &QProgressDialog::setValue);
        QObject::connect(progress, &QProgressDialog::canceled, csv, &TableCsv::stop);
        QObject::connect(csv, &TableCsv::finished, &table,
                         [csv, progress, notes, path](bool isWritten) {
                             const QString name = fileText(QFileInfo{path}.fileName());
                             if (isWritten)
                                 notes.written(TableCsv::tr("Exported %1.").arg(name));
                             else if (!csv->error().isEmpty())
                                 notes.failed(TableCsv::tr("%1: %2").arg(name, csv->error()));
                             progress->deleteLater();
                             csv->deleteLater();
                         });
        csv->start();
    });
}

} // namespace plimsoll::ui
