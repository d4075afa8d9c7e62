// SPDX-License-Identifier: Apache-2.0
#include "ui/compare_page/profile_chooser.h"

#include "core/workspace/profile/profile_document.h"
#include "ui/base/file_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/document_page/document_page.h"
#include "ui/document_page/open_graphs.h"

#include <QLabel>
#include <QListWidget>
#include <QPushButton>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

QStringList askForProfileFiles(QWidget* parent, const Settings& settings)
{
    return chooseFiles(parent, ProfileChooser::tr("Compare with profiles"), settings.lastFolder(),
                       ProfileChooser::tr("Memory profiles (*.pickle *.pickle.gz *.pkl *.plmcap "
                                          "*.json *.json.gz *.sqlite *.csv *.csv.gz);;"
                                          "All files (*)"));
}

} // namespace

workspace::ComparedProfiles openProfiles(const QWidget& window,
                                         const workspace::ComparedProfiles& compared)
{
    workspace::ComparedProfiles found;
    for (const DocumentPage* page : window.findChildren<DocumentPage*>()) {
        const auto* profile =
            dynamic_cast<const workspace::ProfileDocument*>(&page->shownDocument());
        if (profile == nullptr)
            continue;
        const auto isSame = [&](const workspace::ComparedProfile& other) {
            return other.trace == profile->trace;
        };
        if (std::ranges::none_of(compared, isSame))
            found.push_back(workspace::comparedProfile(*profile));
    }
    return found;
}

ProfileChooser::ProfileChooser(workspace::ComparedProfiles open,
                               std::vector<const workspace::PlanDocument*> graphs,
                               ProfileChoice choice, Settings& settings, QWidget* parent)
    : QDialog{parent}
    , m_open{std::move(open)}
    , m_graphs{std::move(graphs)}
    , m_choice{choice}
    , m_settings{settings}
{
    setWindowTitle(tr("Compare With"));
    auto* column = makeColumn(this, 8, {16, 16, 16, 16});
    column->addWidget(new QLabel{m_graphs.empty() ? tr("Profiles that are open:")
                                                  : tr("Profiles and graphs that are open:"),
                                 this});
    m_list = new QListWidget{this};
    m_list->setAccessibleName(tr("Open profiles"));
    for (const workspace::ComparedProfile& profile : m_open) {
        auto* item = new QListWidgetItem{fileText(profile.name), m_list};
        item->setCheckState(m_open.size() == 1 ? Qt::Checked : Qt::Unchecked);
    }
    for (const workspace::PlanDocument* graph : m_graphs) {
        auto* item = new QListWidgetItem{tr("%1, predicted").arg(fileText(graph->name())), m_list};
        item->setCheckState(m_open.empty() && m_graphs.size() == 1 ? Qt::Checked : Qt::Unchecked);
    }
    column->addWidget(m_list, 1);
    auto* buttons = makeRow(nullptr, 8);
    auto* files = new QPushButton{tr("Choose Files…"), this};
    auto* cancel = new QPushButton{tr("Cancel"), this};
    m_compare = new QPushButton{tr("Compare"), this};
    m_compare->setProperty("primary", true);
    m_compare->setDefault(true);
    buttons->addWidget(files);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(m_compare);
    column->addLayout(buttons);
    connect(files, &QPushButton::clicked, this, &ProfileChooser::chooseProfileFiles);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_compare, &QPushButton::clicked, this, &QDialog::accept);
    connect(m_list, &QListWidget::itemChanged, this, &ProfileChooser::followCheck);
    connect(m_list, &QListWidget::itemDoubleClicked, this, [](QListWidgetItem* item) {
        item->setCheckState(item->checkState() == Qt::Checked ? Qt::Unchecked : Qt::Checked);
    });
    resize(Theme::current().px(420), Theme::current().px(260));
    followChecks();
}

void ProfileChooser::chooseProfileFiles()
{
    m_files = askForProfileFiles(this, m_settings);
    if (!m_files.isEmpty())
        accept();
}

/// A prediction is compared with one profile, so a graph is alone.
void ProfileChooser::followCheck(QListWidgetItem* changed)
{
    const auto isGraph = [this](int row) { return row >= static_cast<int>(m_open.size()); };
    const int at = m_list->row(changed);
    if (changed->checkState() == Qt::Checked)
        for (int row = 0; row < m_list->count(); ++row)
            if (row != at && (isGraph(row) || isGraph(at) || m_choice == ProfileChoice::OneProfile))
                m_list->item(row)->setCheckState(Qt::Unchecked);
    followChecks();
}

void ProfileChooser::followChecks()
{
    m_compare->setEnabled(!chosen().isEmpty());
}

ChosenProfiles ProfileChooser::chosen() const
{
    ChosenProfiles chosen{{}, m_files, nullptr};
    for (int row = 0; row < m_list->count(); ++row) {
        if (m_list->item(row)->checkState() != Qt::Checked)
            continue;
        const auto at = static_cast<std::size_t>(row);
        if (at < m_open.size())
            chosen.open.push_back(m_open[at]);
        else
            chosen.graph = m_graphs[at - m_open.size()];
    }
    return chosen;
}

ChosenProfiles chooseProfiles(DocumentPage& page, Settings& settings,
                              const workspace::ComparedProfiles& compared, ProfileChoice choice)
{
    workspace::ComparedProfiles open = openProfiles(*page.window(), compared);
    std::vector<const workspace::PlanDocument*> graphs;
    if (choice == ProfileChoice::ProfilesOrGraph)
        graphs = openGraphs(*page.window());
    if (open.empty() && graphs.empty())
        return {{}, askForProfileFiles(page.window(), settings), nullptr};
    ProfileChooser dialog{std::move(open), std::move(graphs), choice, settings, page.window()};
    return dialog.exec() == QDialog::Accepted ? dialog.chosen() : ChosenProfiles{};
}

} // namespace plimsoll::ui
