// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/base/settings.h"
#include "ui/start_page/file_summary.h"

#include <QHash>
#include <QScrollArea>

class QAction;
class QComboBox;
class QGridLayout;
class QHBoxLayout;
class QVBoxLayout;

namespace plimsoll::ui {

class FileButton;

/// The page without an open document: open, drop, samples, recent files, and the error of the last
/// file.
class StartPage : public QScrollArea
{
    Q_OBJECT

public:
    explicit StartPage(Settings& settings, QWidget* parent = nullptr);

    /// A file could not be opened: shows a box above everything else, until it is closed.
    void showError(const QString& first, const QString& rest, const QString& details);
    void hideError();
    [[nodiscard]] bool hasError() const;
    /// A button for a command of the window, to the right of that for opening files.
    void addCommand(QAction& command);
    /// While files are dragged over the window.
    void setDropActive(bool active);
    /// What dropping them does, until they are dropped or leave.
    void setDropOffer(const QString& sentence);

Q_SIGNALS:
    void openRequested();
    void fileChosen(const QString& path);
    /// A page of the manual.
    void manualRequested(const QString& page);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    class DropZone;
    class ErrorBox;
    void buildHead(QVBoxLayout& column);
    void buildGpu(QHBoxLayout& row);
    void showGpus();
    void buildSamples(QVBoxLayout& column);
    /// As many cards in a row as fit.
    void arrangeCards();
    void showRecent();
    void lookInto(const QStringList& paths);
    void show(const FileSummary& summary);

    Settings& m_settings;
    QWidget* m_column = nullptr;
    ErrorBox* m_error = nullptr;
    QComboBox* m_gpu = nullptr;
    QHBoxLayout* m_head = nullptr;
    DropZone* m_drop = nullptr;
    QGridLayout* m_cards = nullptr;
    std::vector<FileButton*> m_samples;
    int m_cardColumns = 0;
    QVBoxLayout* m_rows = nullptr;
    QHash<QString, FileSummary> m_known;
    QStringList m_waiting;
    JobRunner<FileSummary> m_looker;
};

} // namespace plimsoll::ui
