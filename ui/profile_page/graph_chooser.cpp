// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/graph_chooser.h"

#include "ui/base/file_dialog.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/document_page/open_graphs.h"
#include "ui/profile_page/profile_page.h"

#include <QLabel>
#include <QListWidget>
#include <QPushButton>

#include <utility>

namespace plimsoll::ui {

namespace {

void useGraphFile(ProfilePage& page)
{
    const QStringList files = chooseFiles(
        page.window(), GraphChooser::tr("Use a graph of the model"), page.settings().lastFolder(),
        GraphChooser::tr("Graphs (*.plimsoll.json *.plimsoll.json.gz *.json "
                         "*.json.gz *.pt2 *.onnx);;All files (*)"),
        QFileDialog::ExistingFile);
    if (!files.isEmpty())
        page.controller().useGraphFile(files.front().toStdString());
}

} // namespace

GraphChooser::GraphChooser(std::vector<const workspace::PlanDocument*> graphs, QWidget* parent)
    : QDialog{parent}, m_graphs{std::move(graphs)}
{
    setWindowTitle(tr("Use Graph of the Model"));
    auto* column = makeColumn(this, 8, {16, 16, 16, 16});
    column->addWidget(new QLabel{tr("Graphs that are open:"), this});
    m_list = new QListWidget{this};
    m_list->setAccessibleName(tr("Open graphs"));
    for (const workspace::PlanDocument* graph : m_graphs)
        m_list->addItem(fileText(graph->name()));
    m_list->setCurrentRow(0);
    column->addWidget(m_list, 1);
    auto* buttons = makeRow(nullptr, 8);
    auto* file = new QPushButton{tr("Choose File…"), this};
    auto* cancel = new QPushButton{tr("Cancel"), this};
    auto* use = new QPushButton{tr("Use"), this};
    use->setProperty("primary", true);
    use->setDefault(true);
    buttons->addWidget(file);
    buttons->addStretch(1);
    buttons->addWidget(cancel);
    buttons->addWidget(use);
    column->addLayout(buttons);
    connect(file, &QPushButton::clicked, this, [this] {
        m_isFileWanted = true;
        accept();
    });
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(use, &QPushButton::clicked, this, &QDialog::accept);
    connect(m_list, &QListWidget::itemDoubleClicked, this, &QDialog::accept);
    resize(Theme::current().px(420), Theme::current().px(220));
}

const workspace::PlanDocument* GraphChooser::chosen() const
{
    return m_isFileWanted || m_list->currentRow() < 0
               ? nullptr
               : m_graphs[static_cast<std::size_t>(m_list->currentRow())];
}

void useGraphOfModel(ProfilePage& page)
{
    std::vector<const workspace::PlanDocument*> graphs = openGraphs(*page.window());
    if (graphs.empty()) {
        useGraphFile(page);
        return;
    }
    GraphChooser chooser{std::move(graphs), page.window()};
    if (chooser.exec() != QDialog::Accepted)
        return;
    const workspace::PlanDocument* chosen = chooser.chosen();
    if (chosen == nullptr) {
        useGraphFile(page);
        return;
    }
    base::Result<workspace::ComparedStep> step = workspace::shownStep(*chosen);
    if (step)
        page.controller().useGraph(
            std::make_shared<const workspace::ComparedStep>(*std::move(step)));
    else
        Q_EMIT page.controller().graphFailed(QString::fromStdString(step.error().message));
}

} // namespace plimsoll::ui
