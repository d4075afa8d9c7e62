// SPDX-License-Identifier: Apache-2.0
#include "ui/fits_page/fits_page.h"

#include "ui/base/help_context.h"
#include "ui/base/widgets.h"
#include "ui/fits_page/device_fits_pane.h"
#include "ui/fits_page/largest_sizes_pane.h"

#include <QButtonGroup>
#include <QStackedWidget>
#include <QToolButton>

namespace plimsoll::ui {

FitsPage::FitsPage(QWidget* parent)
    : QWidget{parent}
    , m_group{new QButtonGroup{this}}
    , m_heads{new QStackedWidget{this}}
    , m_panes{new QStackedWidget{this}}
{
    setManualPage(*this, QStringLiteral("window.md#what-fits"));
    auto* column = makeColumn(this);
    auto* row = makeRow(nullptr, 10, {8, 3, 8, 1});
    m_segments = makeRow(nullptr, 2);
    row->addLayout(m_segments);
    row->addWidget(m_heads, 1);
    column->addLayout(row);
    column->addWidget(m_panes, 1);
    m_heads->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    buildPanes();
}

void FitsPage::buildPanes()
{
    // In the order of the Tab key.
    QToolButton* gpus = makeSegment(tr("GPUs"), tr("On which GPUs the step fits"));
    QToolButton* sizes = makeSegment(tr("Sizes"), tr("The largest sizes that run"));
    gpus->setChecked(true);
    m_devices = new DeviceFitsPane{this};
    m_sizes = new LargestSizesPane{this};
    addPane(*m_devices, *gpus);
    addPane(*m_sizes, *sizes);
}

QToolButton* FitsPage::makeSegment(const QString& title, const QString& tip)
{
    auto* button = new QToolButton{this};
    button->setText(title);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    button->setCheckable(true);
    button->setProperty("segment", true);
    m_group->addButton(button);
    m_segments->addWidget(button);
    return button;
}

void FitsPage::addPane(FitsPane& pane, QToolButton& segment)
{
    m_heads->addWidget(pane.head());
    m_panes->addWidget(&pane);
    connect(&segment, &QToolButton::clicked, this, [this, &pane] {
        m_heads->setCurrentWidget(pane.head());
        m_panes->setCurrentWidget(&pane);
    });
}

void FitsPage::setSettings(const FitSettings& settings)
{
    m_devices->setSettings(settings);
    m_sizes->setSettings(settings);
}

std::vector<JobRunnerBase*> FitsPage::jobs()
{
    return {&m_devices->job(), &m_sizes->job()};
}

} // namespace plimsoll::ui
