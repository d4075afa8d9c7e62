// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/start_page/file_summary.h"

#include <QAbstractButton>
#include <QFrame>

class QLabel;
class QPushButton;

namespace plimsoll::ui {

class TextLabel;

/// A sample: thumbnail, name, kind, peak. The whole card is one button.
class FileCard : public QAbstractButton
{
    Q_OBJECT

public:
    /// The narrowest that it can be, unscaled.
    static constexpr int kWidth = 268;

    explicit FileCard(QString path, QWidget* parent = nullptr);
    [[nodiscard]] const QString& path() const { return m_path; }
    void setSummary(const FileSummary& summary);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QString m_path;
    FileSummary m_summary;
};

/// A recent file in one line.
class FileRow : public QAbstractButton
{
    Q_OBJECT

public:
    explicit FileRow(QString path, QWidget* parent = nullptr);
    [[nodiscard]] const QString& path() const { return m_path; }
    void setSummary(const FileSummary& summary);
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void removeRequested(const QString& path);

protected:
    void paintEvent(QPaintEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    QString m_path;
    FileSummary m_summary;
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
