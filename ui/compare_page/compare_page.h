// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/comparison_document.h"
#include "ui/base/job_runner.h"
#include "ui/base/selection.h"
#include "ui/base/settings.h"
#include "ui/document_page/document_page.h"
#include "ui/pictures/picture_export.h"

#include <QUndoStack>

class QStackedWidget;

namespace plimsoll::ui {

class CompareView;
class DifferencesPane;
class PeakModel;
class ProfilePlaces;
class SummaryPane;

/// The page of compared profiles: curves over one axis, and what A and B hold at their peaks.
/// Compares off the GUI thread while the last picture stays.
class ComparePage : public DocumentPage
{
    Q_OBJECT

public:
    ComparePage(workspace::DocumentPtr document, Settings& settings, QWidget* parent = nullptr);
    ~ComparePage() override;

    [[nodiscard]] const workspace::ComparisonDocument& comparison() const { return m_document; }
    /// Null: there was nothing to compare yet.
    [[nodiscard]] const workspace::ComparisonPicturePtr& picture() const { return m_picture; }
    [[nodiscard]] CompareView& view() const { return *m_view; }
    [[nodiscard]] ProfilePlaces& places() const { return *m_places; }
    [[nodiscard]] SummaryPane& summary() const { return *m_summary; }
    [[nodiscard]] DifferencesPane& differences() const { return *m_differences; }
    [[nodiscard]] PeakModel& peaks() const { return *m_peaks; }
    [[nodiscard]] PictureExport& exporter() { return m_export; }

    // Each is one undo step.
    void addProfiles(const workspace::ComparedProfiles& profiles);
    void removeProfile(std::size_t side);
    /// Exchanges two profiles, such as A and B.
    void exchange(std::size_t first, std::size_t second);
    void takeAsA(std::size_t side) { exchange(0, side); }
    void takeAsB(std::size_t side) { exchange(1, side); }
    void setDevice(std::size_t side, std::size_t device);
    void setAxis(memtrace::Axis axis);
    /// Of the table of differences; not undone.
    void setGrouping(memtrace::LiveBy by);
    /// Asks for profiles.
    void chooseMore();

    [[nodiscard]] QString title() const override;
    [[nodiscard]] QUndoStack& undoStack() override { return m_undo; }
    [[nodiscard]] StatusText status() const override;
    [[nodiscard]] QString jobText() const override;
    void cancelJob() override { m_runner.stop(); }
    [[nodiscard]] bool isSettled() const override { return !m_runner.isRunning(); }
    [[nodiscard]] QString cursorText() const override;
    [[nodiscard]] QString factsText() const override;
    void clearSelection() override { m_selection.clear(); }
    bool goBack() override;
    [[nodiscard]] QString findHint() const override { return tr("Find a group at the peaks…"); }
    [[nodiscard]] Search searchFor(const QString& query) override;
    void showHit(std::size_t row) override;
    [[nodiscard]] bool accepts(readers::FileKind file) const override
    {
        return file == readers::FileKind::Profile;
    }
    [[nodiscard]] Addition addition(const QString& path) override;
    void showAdditionError(const QString& path, const base::Error& error) override;
    void beginClose() override;
    [[nodiscard]] bool isIdle() const override
    {
        return DocumentPage::isIdle() && m_runner.isIdle() && m_export.job().isIdle();
    }

private:
    /// What an undo step changes.
    struct State
    {
        workspace::ComparedProfiles profiles;
        memtrace::Axis axis = memtrace::Axis::Time;
    };

    void buildViews();
    void buildPeaks();
    void change(const QString& name, const State& state);
    void apply(const State& state);
    void keepProfiles();
    void compare();
    void take(const base::Result<workspace::ComparisonPicturePtr>& picture);
    /// Warns where recordings of the driver are compared with those of the allocator.
    void tellKinds();
    [[nodiscard]] State state() const { return {m_document.profiles(), m_document.settings.axis}; }

    workspace::ComparisonDocument& m_document;
    Settings& m_settings;
    Selection m_selection;
    QUndoStack m_undo;
    workspace::ComparisonPicturePtr m_picture;
    QStackedWidget* m_stack = nullptr;
    ProfilePlaces* m_places = nullptr;
    CompareView* m_view = nullptr;
    SummaryPane* m_summary = nullptr;
    DifferencesPane* m_differences = nullptr;
    PeakModel* m_peaks = nullptr;
    int m_perMille = 0;
    JobRunner<workspace::ComparisonPicturePtr> m_runner;
    PictureExport m_export;
};

} // namespace plimsoll::ui
