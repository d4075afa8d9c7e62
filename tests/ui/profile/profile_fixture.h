// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/memtrace/columns/column_file.h"
#include "ui/profile_page/docks/allocation_page.h"
#include "ui/profile_page/profile_page.h"

#include "tests/support/recorded_training.h"
#include "tests/ui/window_fixture.h"

#include <QSignalSpy>
#include <QTableView>

namespace plimsoll::tests {

/// A window that opens profiles out of sessions.
class ProfileFixture : protected WindowFixture
{
protected:
    /// A session with a profile of that training.
    QString sessionOf(RecordedTraining training, const char* name = "profile.plimsoll")
    {
        return write(name, memtrace::writeColumns(*training.trace()));
    }
    QString write(const char* name, const std::string& content)
    {
        const std::string path = m_folder->file(name);
        const auto made = session::SessionStore::create(path, [&](session::SessionStore& store) {
            return store
                .addDocument({{}, "profile", "step.pickle", "/tmp/step.pickle", "hash", "{}", "{}"})
                .and_then([&](session::DocumentId id) {
                    return store.saveBlob(id, session::kContent, content);
                });
        });
        return made ? QString::fromStdString(path) : QString{};
    }
    ui::ProfilePage* openProfile(const QString& path)
    {
        QSignalSpy opened{m_window.get(), &ui::MainWindow::opened};
        m_window->openFiles({path});
        return opened.wait(kPatience) ? qobject_cast<ui::ProfilePage*>(m_window->currentPage())
                                      : nullptr;
    }
    static ui::AllocationPage& pageOf(const ui::ProfilePage& page, const char* name)
    {
        for (ui::AllocationPage* view : page.findChildren<ui::AllocationPage*>())
            if (view->table().accessibleName() == QLatin1String{name})
                return *view;
        qFatal("There is no such table.");
    }
    /// Applies a change of the settings and waits for its picture.
    template <typename Change>
    static bool change(ui::ProfilePage& page, Change&& apply)
    {
        workspace::ProfileSettings settings = page.controller().document().settings;
        apply(settings);
        page.controller().change(QStringLiteral("Change"), settings);
        return settles(page);
    }
    /// Whether the picture of the document's settings is shown.
    static bool settles(ui::ProfilePage& page)
    {
        return QTest::qWaitFor(
            [&] {
                return page.isSettled()
                       && page.controller().picture()->settings
                              == page.controller().document().settings;
            },
            kPatience);
    }
};

} // namespace plimsoll::tests
