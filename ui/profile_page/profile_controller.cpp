// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/profile_controller.h"

#include "core/base/try.h"
#include "core/memtrace/columns/column_file.h"
#include "core/workspace/waterfall/compared_step.h"
#include "ui/document_page/change_command.h"

#include <utility>

namespace plimsoll::ui {

ProfileController::ProfileController(workspace::ProfileDocument& document, SessionKeeper& keeper,
                                     QObject* parent)
    : QObject{parent}, m_document{document}, m_keeper{keeper}, m_picture{document.first}
{
    connect(&m_drawer, &JobRunnerBase::progressed, this, [this](int perMille) {
        m_perMille = perMille;
        Q_EMIT drawingChanged();
    });
    connect(&m_drawer, &JobRunnerBase::runningChanged, this, [this] {
        m_perMille = 0;
        Q_EMIT drawingChanged();
    });
    connect(&m_reader, &JobRunnerBase::runningChanged, this, &ProfileController::drawingChanged);
    for (const JobRunnerBase* job :
         {static_cast<JobRunnerBase*>(&m_drawer), static_cast<JobRunnerBase*>(&m_reader)})
        connect(job, &JobRunnerBase::idle, this, &ProfileController::idle);
}

void ProfileController::change(const QString& name, const workspace::ProfileSettings& settings)
{
    if (settings == m_document.settings)
        return;
    m_undo.push(new ChangeCommand{name, [this, before = m_document.settings] { apply(before); },
                                  [this, settings] { apply(settings); }});
}

void ProfileController::stop()
{
    m_drawer.stop();
    m_reader.stop();
}

void ProfileController::cancel()
{
    stop();
    setGraph(m_picture->settings.graph);
}

void ProfileController::useGraph(Graph graph)
{
    if (graph)
        readGraph([graph = std::move(graph)](const base::JobContext&) { return graph; });
    else
        setGraph({});
}

void ProfileController::setGraph(Graph graph)
{
    workspace::ProfileSettings settings = m_document.settings;
    settings.graph = std::move(graph);
    change(settings.graph ? tr("Use of a Graph") : tr("Removal of the Graph"), settings);
}

void ProfileController::useGraphFile(const std::filesystem::path& file)
{
    readGraph([file](const base::JobContext& job) -> base::Result<Graph> {
        return workspace::readComparedStep(file, job).map(
            [](workspace::ComparedStep step) -> Graph {
                return std::make_shared<const workspace::ComparedStep>(std::move(step));
            });
    });
}

void ProfileController::readGraph(std::function<base::Result<Graph>(const base::JobContext&)> read)
{
    // One that isn't of the recording's model changes nothing.
    m_reader.start(
        [read = std::move(read), trace = m_document.trace,
         device = m_picture->deviceIndex](const base::JobContext& job) -> base::Result<Graph> {
            ASSIGN_OR_RETURN(Graph graph, read(job.piece(0, 2)));
            ASSIGN_OR_RETURN([[maybe_unused]] const waterfall::NamedAllocationsPtr names,
                             workspace::namesFrom(*graph, *trace, device, job.piece(1, 2)));
            return graph;
        },
        [this](base::Result<Graph> graph) {
            if (graph)
                setGraph(*std::move(graph));
            else if (graph.error().kind != base::ErrorKind::Cancelled)
                Q_EMIT graphFailed(QString::fromStdString(graph.error().message));
        });
}

void ProfileController::apply(const workspace::ProfileSettings& settings)
{
    if (settings.graph != m_document.settings.graph)
        m_keeper.put("graph", [graph = settings.graph](session::SessionStore& store,
                                                       session::DocumentId id) {
            return graph ? workspace::storeStep(*graph, store, id)
                         : workspace::removeStep(store, id);
        });
    m_document.settings = settings;
    keep();
    Q_EMIT settingsChanged();
    draw();
}

void ProfileController::draw()
{
    m_drawer.start(
        [trace = m_document.trace, last = m_picture,
         settings = m_document.settings](const base::JobContext& job) {
            return workspace::profilePicture(trace, settings, job, last);
        },
        [this](base::Result<workspace::ProfilePicturePtr> picture) {
            // Stopped: a newer one follows, or the page closes.
            if (!picture || (*picture)->recorded != m_document.trace)
                return;
            m_picture = *std::move(picture);
            Q_EMIT pictureChanged();
        });
}

void ProfileController::changeAlarm(std::optional<base::Bytes> alarm)
{
    if (alarm == m_document.alarm)
        return;
    const auto set = [this](std::optional<base::Bytes> to) {
        m_document.alarm = to;
        keep();
        Q_EMIT alarmChanged();
    };
    m_undo.push(new ChangeCommand{tr("Change of the Alarm"),
                                  [set, before = m_document.alarm] { set(before); },
                                  [set, alarm] { set(alarm); }});
}

void ProfileController::take(const workspace::ProfileReading& reading)
{
    m_document.take(reading);
    if (reading.picture->settings != m_document.settings) {
        draw(); // the user has changed them meanwhile
        return;
    }
    m_drawer.stop();
    m_picture = reading.picture;
    Q_EMIT pictureChanged();
}

void ProfileController::keepContent()
{
    m_keeper.put("content",
                 [trace = m_document.trace](session::SessionStore& store, session::DocumentId id) {
                     return store.saveBlob(id, session::kContent, memtrace::writeColumns(*trace));
                 });
}

void ProfileController::setNotes(const QString& text)
{
    if (text.toStdString() == m_document.notesText)
        return;
    m_document.notesText = text.toStdString();
    keep();
    Q_EMIT notesChanged();
}

void ProfileController::keep()
{
    m_document.isChanged = true;
    m_keeper.put("state", [state = m_document.state()](session::SessionStore& store,
                                                       session::DocumentId id) {
        return store.saveState(id, state);
    });
}

} // namespace plimsoll::ui
