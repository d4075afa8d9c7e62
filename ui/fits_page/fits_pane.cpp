// SPDX-License-Identifier: Apache-2.0
#include "ui/fits_page/fits_pane.h"

#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/models/table_model.h"
#include "ui/tables/table_look.h"

#include <QProgressBar>
#include <QPushButton>
#include <QTableView>

#include <algorithm>
#include <chrono>
#include <utility>

namespace plimsoll::ui {

namespace {
constexpr std::chrono::milliseconds kRowsPeriod{100};
constexpr double kDimmed = 0.65;
} // namespace

/// Paints answers for former settings paler than others.
class FitsDelegate : public TableDelegate
{
public:
    using TableDelegate::TableDelegate;

    /// Whether that has changed.
    [[nodiscard]] bool setDimmed(bool dimmed)
    {
        return std::exchange(m_isDimmed, dimmed) != dimmed;
    }
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override
    {
        painter->setOpacity(m_isDimmed ? kDimmed : 1);
        TableDelegate::paint(painter, option, index);
        painter->setOpacity(1);
    }

private:
    bool m_isDimmed = false;
};

FitsPane::FitsPane(TableModel* model, const Texts& texts, QWidget* parent)
    : QWidget{parent}, m_purpose{texts.purpose}, m_start{texts.start}
{
    buildHead(texts);
    buildTable(model, texts);
    m_timer.setInterval(kRowsPeriod);
    connect(&m_timer, &QTimer::timeout, this, [this] { takeRows(); });
}

void FitsPane::buildHead(const Texts& texts)
{
    m_head = new QWidget{this};
    auto* row = makeRow(m_head, 8);
    m_text = new TextLabel{texts.purpose, TextRole::Small, Role::Muted, m_head};
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row->addWidget(m_text, 1);
    m_button = new QPushButton{texts.start, m_head};
    row->addWidget(m_button);
    connect(m_button, &QPushButton::clicked, this, &FitsPane::toggle);
    connect(&Theme::current(), &Theme::changed, this, &FitsPane::sizeButton);
    sizeButton();
}

void FitsPane::buildTable(TableModel* model, const Texts& texts)
{
    auto* column = makeColumn(this);
    m_progress = new QProgressBar{this};
    m_progress->setRange(0, 1000);
    m_progress->setTextVisible(false);
    m_progress->setAccessibleName(texts.name);
    QSizePolicy policy = m_progress->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // the table must not move
    m_progress->setSizePolicy(policy);
    m_progress->hide();
    column->addWidget(m_progress);
    m_table = makeTable(model, this, texts.name, texts.sentence);
    m_delegate = new FitsDelegate{m_table};
    m_table->setItemDelegate(m_delegate);
    m_table->setTextElideMode(Qt::ElideRight);
    m_table->horizontalHeader()->setSectionsClickable(false);
    const auto take = [this](const QModelIndex& index) {
        if (index.isValid())
            takeRow(index.row());
    };
    connect(m_table, &QTableView::activated, this, take);
    addTableAction(*m_table, texts.take, {}, [this, take] { take(m_table->currentIndex()); });
    column->addWidget(m_table, 1);
}

void FitsPane::followJob()
{
    connect(&job(), &JobRunnerBase::runningChanged, this, [this](bool isRunning) {
        m_perMille = 0;
        if (isRunning)
            m_timer.start();
        else
            m_timer.stop();
        refresh();
    });
    connect(&job(), &JobRunnerBase::progressed, this, [this](int perMille) {
        m_perMille = perMille;
        refresh();
    });
}

void FitsPane::setSettings(const FitSettings& settings)
{
    if (m_settings == settings)
        return;
    m_settings = settings;
    if (!m_error.isEmpty()) { // of the former settings
        m_error.clear();
        m_asked.reset();
    }
    updateRows(!isAsked());
    m_former = isAsked() ? formerOf(*m_asked, settings) : QString{};
    if (isOutdated())
        job().stop();
    refresh();
}

void FitsPane::toggle()
{
    if (job().isRunning()) {
        job().stop();
        return;
    }
    m_asked = m_settings;
    m_former.clear();
    m_error.clear();
    updateRows(true);
    startSearch();
}

void FitsPane::ended(const QString& error)
{
    m_error = isOutdated() ? QString{} : error;
    refresh();
}

QString FitsPane::sentence() const
{
    if (!isAsked())
        return refusal().isEmpty() ? m_purpose : refusal();
    if (!m_error.isEmpty())
        return m_error;
    return isOutdated() ? tr("For %1, before the change: %2").arg(m_former, summary()) : summary();
}

void FitsPane::refresh()
{
    const bool isRunning = job().isRunning();
    m_progress->setVisible(isRunning);
    m_progress->setValue(m_perMille);
    m_text->setText(isRunning ? tr("Planning: %1").arg(percentText(m_perMille / 1000.0))
                              : sentence());
    m_text->setColor(!m_error.isEmpty() ? Role::Danger : isOutdated() ? Role::Warn : Role::Muted);
    if (m_delegate->setDimmed(isOutdated()))
        m_table->viewport()->update();
    m_button->setText(isRunning ? tr("Stop") : m_start);
    m_button->setEnabled(refusal().isEmpty());
}

/// Equally wide with both texts, so that nothing moves when a search starts.
void FitsPane::sizeButton()
{
    const QString shown = m_button->text();
    int width = 0;
    for (const QString& text : {m_start, tr("Stop")}) {
        m_button->setText(text);
        width = std::max(width, m_button->sizeHint().width());
    }
    m_button->setMinimumWidth(width);
    m_button->setText(shown);
}

} // namespace plimsoll::ui
