// SPDX-License-Identifier: Apache-2.0
#include "ui/document_page/document_page.h"

#include "ui/base/texts.h"

#include <utility>

namespace plimsoll::ui {

DocumentPage::DocumentPage(workspace::DocumentPtr document, QWidget* parent)
    : DockedPage{parent}, m_document{std::move(document)}, m_keeper{*m_document}
{
    connect(&m_keeper, &SessionKeeper::stateChanged, this, &DocumentPage::stateChanged);
    connect(&m_keeper, &SessionKeeper::saved, this, [this](const QString& path, bool first) {
        if (first)
            m_document->isChanged = false;
        strip().withdraw(QStringLiteral("save"));
        Q_EMIT stateChanged();
        Q_EMIT sessionSaved(path, first);
    });
    connect(&m_keeper, &SessionKeeper::failed, this, [this](const QString& sentence) {
        Q_EMIT noted({}); // clears the previous "Saved in" note
        strip().post({QStringLiteral("save"),
                      MessageKind::Danger,
                      tr("The session could not be saved."),
                      sentence,
                      {}});
    });
    connect(&m_keeper, &SessionKeeper::settled, this, &DocumentPage::notifyIdle);
}

DocumentPage::~DocumentPage()
{
    // While it is destroyed it writes pending changes, and may still report a failure.
    m_keeper.disconnect(this);
}

QString DocumentPage::title() const
{
    return fileText(m_document->title());
}

void DocumentPage::requestDocument(workspace::DocumentPtr document, const QStringList& files)
{
    Q_EMIT documentRequested(
        {std::make_shared<workspace::DocumentPtr>(std::move(document)), files});
}

void DocumentPage::saveInto(const session::SessionFilePtr& file, bool isNew)
{
    m_keeper.saveInto(file, isNew);
}

void DocumentPage::showNotes()
{
    for (const std::string& note : m_document->notes)
        strip().post({{}, MessageKind::Warn, tr("Opened with a difference."), fileText(note), {}});
}

void DocumentPage::notifyIdle()
{
    if (isIdle())
        Q_EMIT becameIdle();
}

void DocumentPage::saveView(const std::string& view)
{
    if (view == m_document->view)
        return;
    m_document->view = view;
    m_keeper.put("view", [view](session::SessionStore& store, session::DocumentId id) {
        return store.saveView(id, view);
    });
}

} // namespace plimsoll::ui
