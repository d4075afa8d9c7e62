// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractItemModel>
#include <QPointer>
#include <QSaveFile>
#include <QTimer>

#include <functional>
#include <memory>

class QTableView;

namespace plimsoll::ui {

class Settings;

/// Writes the rows of a model as CSV (RFC 4180): the heads of the columns, then a line for each
/// row, sizes and times as exact numbers where the model has them (ExactRole). A few thousand rows
/// at a time, so that the window goes on answering. The file appears when all is written.
class TableCsv : public QObject
{
    Q_OBJECT

public:
    TableCsv(const QAbstractItemModel& model, const QString& path, QObject* parent = nullptr);

    void start();
    /// Leaves no file.
    void stop();
    [[nodiscard]] int rowsWritten() const { return m_row; }
    /// Why the file could not be written.
    [[nodiscard]] const QString& error() const { return m_error; }

Q_SIGNALS:
    void progressed(int rows);
    /// Written, stopped, or failed: see error().
    void finished(bool isWritten);

private:
    void writeSome();
    void finish(bool isWritten);
    void fail(const QString& error);

    QPointer<const QAbstractItemModel> m_model;
    QSaveFile m_file;
    QTimer m_next;
    QString m_error;
    int m_row = 0;
};

/// What a page says of an export.
struct CsvNotes
{
    std::function<void(const QString& sentence)> written;
    std::function<void(const QString& error)> failed;
};

/// Adds "Export as CSV…" to the table's context menu. Longer exports show a dialog with Cancel.
void addCsvExport(QTableView& table, Settings& settings, const CsvNotes& notes);

} // namespace plimsoll::ui
