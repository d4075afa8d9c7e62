// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/waterfall/waterfall_document.h"
#include "ui/base/job_runner.h"
#include "ui/base/selection.h"
#include "ui/base/settings.h"
#include "ui/document_page/document_page.h"
#include "ui/pictures/picture_export.h"

#include <QUndoStack>

#include <optional>

class QTableView;

namespace plimsoll::ui {

class BlockModel;
class WaterfallChart;
class WaterfallSummary;
class WaterfallView;

/// The page of a recording and its prediction: both curves, and the way from the predicted to the
/// measured peak. Compares off the GUI thread while the last picture stays.
class WaterfallPage : public DocumentPage
{
    Q_OBJECT

public:
    WaterfallPage(workspace::DocumentPtr document, Settings& settings, QWidget* parent = nullptr);
    ~WaterfallPage() override;

    [[nodiscard]] const workspace::WaterfallDocument& compared() const { return m_document; }
    /// Null: they aren't compared yet.
    [[nodiscard]] const workspace::WaterfallPicturePtr& picture() const { return m_picture; }
    [[nodiscard]] WaterfallView& view() const { return *m_view; }
    [[nodiscard]] WaterfallChart& chart() const { return *m_chart; }
    [[nodiscard]] WaterfallSummary& summary() const { return *m_summary; }
    [[nodiscard]] BlockModel& blocks() const { return *m_blocks; }
    [[nodiscard]] PictureExport& exporter() { return m_export; }

    // Each is one undo step.
    void setStep(const workspace::ComparedStep& step);
    void setProfile(const workspace::ComparedProfile& profile);

    [[nodiscard]] QString title() const override;
    [[nodiscard]] QUndoStack& undoStack() override { return m_undo; }
    [[nodiscard]] StatusText status() const override;
    [[nodiscard]] QString jobText() const override;
    void cancelJob() override { m_runner.stop(); }
    [[nodiscard]] bool isSettled() const override { return !m_runner.isRunning(); }
    [[nodiscard]] QString cursorText() const override;
    [[nodiscard]] QString factsText() const override;
    void clearSelection() override;
    bool goBack() override;
    [[nodiscard]] bool accepts(readers::FileKind file) const override
    {
        return file == readers::FileKind::Profile || file == readers::FileKind::Graph
               || file == readers::FileKind::Plan;
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
        std::optional<workspace::ComparedStep> step;
        std::optional<workspace::ComparedProfile> profile;
    };

    void buildViews();
    void change(const QString& name, const State& state);
    void apply(const State& state);
    void keepSides();
    void compare();
    void take(const base::Result<workspace::WaterfallPicturePtr>& picture);
    void show(const workspace::WaterfallPicturePtr& picture);
    void showBlocks(std::optional<waterfall::Reason> reason);
    [[nodiscard]] State state() const { return {m_document.prediction(), m_document.profile()}; }

    workspace::WaterfallDocument& m_document;
    Settings& m_settings;
    Selection m_selection;
    QUndoStack m_undo;
    workspace::WaterfallPicturePtr m_picture;
    WaterfallView* m_view = nullptr;
    WaterfallChart* m_chart = nullptr;
    WaterfallSummary* m_summary = nullptr;
    BlockModel* m_blocks = nullptr;
    QTableView* m_table = nullptr;
    JobRunner<workspace::WaterfallPicturePtr> m_runner;
    PictureExport m_export;
};

} // namespace plimsoll::ui
