// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/budget.h"
#include "ui/base/job_runner.h"
#include "ui/base/settings.h"
#include "ui/planner_page/planner_page.h"

#include <QMainWindow>
#include <QPointer>
#include <QUndoGroup>

#include <functional>
#include <variant>
#include <vector>

class QLabel;
class QMenu;
class QStackedWidget;
class QTabBar;

namespace plimsoll::ui {

class Actions;
class Finder;
class SettingsDialog;
class StartPage;
class StatusLine;
class ViewBar;

/// The window: menus, document tabs, start page and one page per document. Composes; the work is
/// the pages'.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    enum class CloseAnswer { Save, Discard, Keep };
    /// Asks what becomes of a document with changes that are in no file.
    using CloseQuestion = std::function<CloseAnswer(const QString& title)>;

    explicit MainWindow(Settings& settings, workspace::Choices defaults, QWidget* parent = nullptr);
    ~MainWindow() override;

    /// Opens files one after the other, each in a tab; a file that is open already is shown.
    void openFiles(const QStringList& paths);
    /// The shown document; null on the start page.
    [[nodiscard]] PlannerPage* currentPage() const;
    [[nodiscard]] const std::vector<PlannerPage*>& pages() const { return m_pages; }
    [[nodiscard]] StartPage& startPage() { return *m_start; }
    [[nodiscard]] Actions& actions() { return *m_actions; }
    [[nodiscard]] bool isOpening() const { return m_opener.isRunning(); }
    void setCloseQuestion(CloseQuestion question) { m_closeQuestion = std::move(question); }
    /// The budget that files opened from now on begin with, a ratio being of the unplanned peak;
    /// for the command line.
    void setFirstBudget(base::Budget budget) { m_firstBudget = budget; }

    void saveTo(PlannerPage& page, const QString& path);
    void exportTo(PlannerPage& page, const QString& path);
    /// Lays a measurement over the shown document's prediction.
    void layMeasurement(const QString& path);
    /// Takes the tab away at once; the page goes once its session is written. If that fails, the
    /// tab comes back.
    void closePage(int index);

Q_SIGNALS:
    /// The window was closed, and all that had to be written is.
    void closed();
    void opened(plimsoll::ui::PlannerPage* page);
    void measurementLaid(plimsoll::ui::PlannerPage* page);
    void openFailed(const QString& path, const QString& sentence);
    void exported(const QString& path);

protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    friend class MenuBuilder;
    /// What a file turned out to be. Without a document to lay it over a measurement is empty.
    /// An error here is that of a measurement.
    using Documents = std::vector<workspace::DocumentPtr>;
    using OpenedFile = std::variant<Documents, workspace::OverlayPtr, base::Error>;
    // main_window.cpp
    void buildFrame();
    void showTab(int index);
    void updateTabs();
    void updateState();
    void goToPanel(int by);
    void showSettings();
    [[nodiscard]] int indexOf(const PlannerPage* page) const;
    void withPage(const std::function<void(PlannerPage&)>& run);
    // file_commands.cpp
    void openNext();
    void addPage(workspace::DocumentPtr opened, const QString& path);
    void addTab(PlannerPage* page);
    void takeOpened(OpenedFile opened, const QString& path, PlannerPage* over);
    void queueFile(const QString& path);
    void showOpenError(const QString& path, const QString& sentence);
    void chooseFiles();
    void save(PlannerPage& page);
    void saveAs(PlannerPage& page);
    void chooseExport(PlannerPage& page);
    void choosePicture(PlannerPage& page);
    void copySnippet(PlannerPage& page);
    void restoreWindow();
    // measure_commands.cpp
    [[nodiscard]] JobRunner<OpenedFile>::Work opening(const QString& path);
    void takeOverlay(const workspace::OverlayPtr& overlay, PlannerPage* over, const QString& path);
    void showMeasurementError(const QString& path, const base::Error& error);
    void chooseMeasurement();
    // device_commands.cpp
    void connectDevices(PlannerPage& page);
    /// A form for a GPU that isn't in the list; the page's document gets it, the settings keep it.
    void askForDevice(PlannerPage& page);
    // closing.cpp
    /// Save: what is pending is or will be written; Keep: it stays open.
    [[nodiscard]] CloseAnswer closeAnswer(PlannerPage& page);
    static void letGo(PlannerPage& page, CloseAnswer answer);
    void connectLeaving(PlannerPage& page);
    void pageAtRest(PlannerPage& page);
    void finishClosing();
    [[nodiscard]] bool isAtRest() const;

    Settings& m_settings;
    workspace::Choices m_defaults;
    std::optional<base::Budget> m_firstBudget;
    CloseQuestion m_closeQuestion;
    QUndoGroup m_undo;
    Actions* m_actions = nullptr;
    QTabBar* m_tabs = nullptr;
    QStackedWidget* m_stack = nullptr;
    StartPage* m_start = nullptr;
    ViewBar* m_bar = nullptr;
    QPointer<SettingsDialog> m_dialog;
    Finder* m_finder = nullptr;
    StatusLine* m_status = nullptr;
    std::vector<PlannerPage*> m_pages;   ///< tab i + 1
    std::vector<PlannerPage*> m_leaving; ///< without a tab, their sessions are being written
    bool m_isClosing = false;            ///< hidden until all is written
    QStringList m_queue;                 ///< files to open
    QStringList m_measurements;          ///< of these: what must be a measurement
    QStringList m_postponed;             ///< measurements that wait for a graph
    JobRunner<OpenedFile> m_opener;
    JobRunner<bool> m_exporter;
};

} // namespace plimsoll::ui
