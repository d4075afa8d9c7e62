// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/selection.h"
#include "ui/base/settings.h"
#include "ui/document_page/document_page.h"
#include "ui/pictures/picture_export.h"
#include "ui/profile_page/allocation_selection.h"
#include "ui/profile_page/live/profile_live.h"
#include "ui/profile_page/profile_controller.h"
#include "ui/profile_page/profile_view.h"

#include <utility>
#include <vector>

namespace plimsoll::ui {

/// The page of one recording of memory: passes changes of the document to its views, and the
/// document's state to the window.
class ProfilePage : public DocumentPage
{
    Q_OBJECT

public:
    /// `recorder`: whose recordings the page follows; may be null.
    ProfilePage(workspace::DocumentPtr profile, Settings& settings, const ProfileLayout& layout,
                const std::shared_ptr<Recorder>& recorder = {}, QWidget* parent = nullptr);
    ~ProfilePage() override;

    [[nodiscard]] Settings& settings() { return m_settings; }
    [[nodiscard]] ProfileController& controller() { return m_controller; }
    [[nodiscard]] const ProfileController& controller() const { return m_controller; }
    /// Step and range in the shown timeline.
    [[nodiscard]] Selection& selection() { return m_selection; }
    [[nodiscard]] AllocationSelection& allocation() { return m_allocation; }
    [[nodiscard]] PictureExport& exporter() { return m_export; }
    [[nodiscard]] ProfileLive& live() { return m_live; }
    [[nodiscard]] const ProfileLive& live() const { return m_live; }
    /// The plots, for a picture of them.
    [[nodiscard]] QWidget& plots() const { return *m_views.front().plots; }
    [[nodiscard]] ProfileState state() const;

    [[nodiscard]] QUndoStack& undoStack() override { return m_controller.undoStack(); }
    [[nodiscard]] StatusText status() const override;
    [[nodiscard]] QString jobText() const override;
    [[nodiscard]] QString urgentCommand() const override;
    void cancelJob() override { m_controller.cancel(); }
    [[nodiscard]] bool isSettled() const override
    {
        return !m_controller.isDrawing() && !m_controller.isReadingGraph();
    }
    [[nodiscard]] QString cursorText() const override;
    [[nodiscard]] QString factsText() const override;
    void clearSelection() override;
    /// A regular expression over the frames of stacks: "file:line:name".
    [[nodiscard]] QString findHint() const override
    {
        return tr("Find file, function, expression…");
    }
    [[nodiscard]] Search searchFor(const QString& query) override;
    /// Selects the allocation and goes to where it begins.
    void showHit(std::size_t allocation) override;
    bool goBack() override;
    void beginClose() override;
    [[nodiscard]] bool isIdle() const override;

Q_SIGNALS:
    /// A view asks the plots to go there.
    void stepWanted(std::size_t step);

protected:
    void addToView(QJsonObject& view) const override;
    void restoreFrom(const QJsonObject& view) override;

private:
    void showPicture();
    /// Whether the graph of the model is one: a message if not.
    void tellGraph();
    /// The views that tell of the selected allocation come to the front.
    void showSelected();
    void showGraphFault(const QString& first, const QString& sentence);
    void show(ProfileChanges what);

    Settings& m_settings;
    ProfileController m_controller;
    Selection m_selection;
    AllocationSelection m_allocation;
    PictureExport m_export;
    ProfileLive m_live;
    workspace::ProfilePicturePtr m_shown; ///< whose steps and allocation are selected
    std::vector<ProfileView> m_views;
    bool m_isReselecting = false; ///< what was selected before the recording grew
};

} // namespace plimsoll::ui
