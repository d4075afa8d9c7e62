// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/profile/profile_document.h"
#include "ui/base/job_runner.h"
#include "ui/document_page/session_keeper.h"

#include <QObject>
#include <QUndoStack>

#include <functional>

namespace plimsoll::ui {

/// Changes what is shown of a profile: each change by the user is one undo step, and the picture
/// for it is made off the GUI thread while the last one stays.
class ProfileController : public QObject
{
    Q_OBJECT

public:
    using Graph = std::shared_ptr<const workspace::ComparedStep>;

    /// Both must outlive it.
    ProfileController(workspace::ProfileDocument& document, SessionKeeper& keeper,
                      QObject* parent = nullptr);

    [[nodiscard]] const workspace::ProfileDocument& document() const { return m_document; }
    [[nodiscard]] const workspace::ProfilePicturePtr& picture() const { return m_picture; }
    [[nodiscard]] bool isDrawing() const { return m_drawer.isRunning(); }
    [[nodiscard]] int perMille() const { return m_perMille; }
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }
    [[nodiscard]] bool isReadingGraph() const { return m_reader.isRunning(); }
    /// Stops what runs.
    void stop();
    /// The same for the user: a graph that wasn't compared yet isn't used.
    void cancel();
    [[nodiscard]] bool isIdle() const { return m_drawer.isIdle() && m_reader.isIdle(); }

    /// An undo step with this name.
    void change(const QString& name, const workspace::ProfileSettings& settings);
    /// Of the graph of the model, with whose help allocations are named; null: none. An undo step
    /// once it is found to be of the recording's model, off the GUI thread; else graphFailed().
    void useGraph(Graph graph);
    /// The same for a file, which is read off the GUI thread.
    void useGraphFile(const std::filesystem::path& file);
    /// Of the reserved bytes that are to be told; an undo step.
    void changeAlarm(std::optional<base::Bytes> alarm);
    /// Shows what was read of the document's file since it was opened.
    void take(const workspace::ProfileReading& reading);
    /// Has its session, if it is in one, keep what was read last.
    void keepContent();
    /// Of the user's notes; not in the undo stack, since its field has one.
    void setNotes(const QString& text);

Q_SIGNALS:
    void settingsChanged();
    void pictureChanged();
    void drawingChanged();
    void notesChanged();
    void alarmChanged();
    /// A graph could not be read, or isn't of the model.
    void graphFailed(const QString& sentence);
    void idle();

private:
    void draw();
    void apply(const workspace::ProfileSettings& settings);
    void setGraph(Graph graph);
    void readGraph(std::function<base::Result<Graph>(const base::JobContext&)> read);
    void keep();

    workspace::ProfileDocument& m_document;
    SessionKeeper& m_keeper;
    workspace::ProfilePicturePtr m_picture;
    QUndoStack m_undo;
    int m_perMille = 0;
    JobRunner<workspace::ProfilePicturePtr> m_drawer;
    JobRunner<Graph> m_reader;
};

} // namespace plimsoll::ui
