// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/profile_controller.h"

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
}

void ProfileController::change(const QString& name, const workspace::ProfileSettings& settings)
{
    if (settings == m_document.settings)
        return;
    m_undo.push(new ChangeCommand{name, [this, before = m_document.settings] { apply(before); },
                                  [this, settings] { apply(settings); }});
}

void ProfileController::apply(const workspace::ProfileSettings& settings)
{
    m_document.settings = settings;
    keep();
    Q_EMIT settingsChanged();
    m_drawer.start(
        [last = m_picture, settings](const base::JobContext& job) {
            return workspace::profilePicture(last->trace, settings, job, last);
        },
        [this](base::Result<workspace::ProfilePicturePtr> picture) {
            if (!picture)
                return; // stopped: a newer one follows, or the page closes
            m_picture = *std::move(picture);
            Q_EMIT pictureChanged();
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
