// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/start_page/file_summary.h"

#include <QAbstractButton>

class QLabel;

namespace plimsoll::ui {

class TextLabel;

/// A file that can be opened: the whole widget is one button.
class FileButton : public QAbstractButton
{
    Q_OBJECT

public:
    [[nodiscard]] const QString& path() const { return m_path; }
    void setSummary(const FileSummary& summary);

protected:
    FileButton(QString path, QWidget* parent);
    [[nodiscard]] const FileSummary& summary() const { return m_summary; }

private:
    QString m_path;
    FileSummary m_summary;
};

/// A sample: thumbnail, name, kind, peak.
class FileCard : public FileButton
{
    Q_OBJECT

public:
    /// The narrowest that it can be, unscaled.
    static constexpr int kWidth = 268;

    explicit FileCard(QString path, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
};

/// A recent file in one line.
class FileRow : public FileButton
{
    Q_OBJECT

public:
    explicit FileRow(QString path, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void removeRequested(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
};

/// Says that files can be dropped; the whole window takes them.
class DropZone : public QWidget
{
    Q_OBJECT

public:
    explicit DropZone(QWidget* parent = nullptr);
    void setActive(bool active);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    bool m_active = false;
};

/// A file that could not be read: what happened, and what can be done.
class ErrorBox : public QWidget
{
    Q_OBJECT

public:
    explicit ErrorBox(QWidget* parent = nullptr);
    void setError(const QString& first, const QString& rest, const QString& details);

Q_SIGNALS:
    void openRequested();
    void closed();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    TextLabel* m_first = nullptr;
    QLabel* m_rest = nullptr;
    QString m_details;
};

} // namespace plimsoll::ui
