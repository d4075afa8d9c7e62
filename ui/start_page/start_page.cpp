// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/start_page.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/start_page/start_widgets.h"

#include <QGridLayout>
#include <QPainter>
#include <QPushButton>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr int kColumnWidth = 1120;
constexpr int kCardColumns = 3;
constexpr qsizetype kShownRecent = 8;

class Emblem : public QWidget
{
public:
    explicit Emblem(QWidget* parent) : QWidget{parent}
    {
        const int side = Theme::current().px(52);
        setFixedSize(side, side);
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter{this};
        applicationIcon().paint(&painter, rect());
    }
};

/// The frame around the recent files.
class RowFrame : public QWidget
{
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPainter painter{this};
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(QPen{Theme::current().color(Role::Border), 1});
        painter.setBrush(Qt::NoBrush);
        const double radius = Theme::current().px(8);
        painter.drawRoundedRect(QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    }
};

} // namespace

StartPage::StartPage(Settings& settings, QWidget* parent)
    : QScrollArea{parent}, m_settings{settings}
{
    setManualPage(*this, QStringLiteral("index.md"));
    const Theme& theme = Theme::current();
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* page = new QWidget{this};
    page->setProperty("ground", QStringLiteral("panel"));
    auto* across = new QHBoxLayout{page};
    across->setContentsMargins(theme.px(24), 0, theme.px(24), theme.px(16));
    m_column = new QWidget{page};
    m_column->setProperty("ground", QStringLiteral("panel"));
    across->addStretch(1);
    across->addWidget(m_column);
    across->addStretch(1);
    auto* column = makeColumn(m_column, 0, {0, 20, 0, 0});
    m_error = new ErrorBox{m_column};
    m_error->hide();
    column->addWidget(m_error);
    column->addSpacing(theme.px(14));
    buildHead(*column);
    column->addSpacing(theme.px(20));
    m_drop = new DropZone{m_column};
    column->addWidget(m_drop);
    column->addSpacing(theme.px(16));
    buildSamples(*column);
    column->addSpacing(theme.px(20));
    column->addWidget(new TextLabel{tr("Recent"), TextRole::Head, Role::Text, m_column});
    column->addSpacing(theme.px(8));
    auto* frame = new RowFrame{m_column};
    m_rows = new QVBoxLayout{frame};
    m_rows->setContentsMargins(1, theme.px(4), 1, theme.px(4));
    m_rows->setSpacing(0);
    column->addWidget(frame);
    column->addStretch(1);
    setAccessibleName(tr("Start"));
    setWidget(page);
    connect(m_error, &ErrorBox::openRequested, this, &StartPage::openRequested);
    connect(m_error, &ErrorBox::closed, this, &StartPage::hideError);
    connect(&m_settings, &Settings::recentFilesChanged, this, &StartPage::showRecent);
    showRecent();
    lookInto(sampleFiles());
}

void StartPage::buildHead(QVBoxLayout& column)
{
    const Theme& theme = Theme::current();
    auto* head = makeRow(nullptr, 16);
    head->addWidget(new Emblem{m_column});
    auto* names = makeColumn(nullptr, 2);
    names->addWidget(new TextLabel{tr("Plimsoll"), TextRole::Name, Role::Text, m_column});
    names->addWidget(new TextLabel{tr("Plan GPU memory for deep learning"), TextRole::Body,
                                   Role::Muted, m_column});
    head->addLayout(names);
    head->addStretch(1);
    auto* open =
        new QPushButton{icon(QStringLiteral("open"), Role::OnAccent, Role::OnAccent),
                        tr("Open…") + QStringLiteral("   ") + QStringLiteral("Ctrl+O"), m_column};
    open->setProperty("primary", true);
    open->setMinimumHeight(theme.px(36));
    open->setAccessibleName(tr("Open a file"));
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    head->addWidget(open);
    column.addLayout(head);
}

void StartPage::buildSamples(QVBoxLayout& column)
{
    const Theme& theme = Theme::current();
    auto* title = makeRow(nullptr, 8);
    title->addWidget(new TextLabel{tr("Samples"), TextRole::Head, Role::Text, m_column});
    title->addWidget(new TextLabel{tr("open at once, nothing to install"), TextRole::Body,
                                   Role::Muted, m_column});
    title->addStretch(1);
    column.addLayout(title);
    column.addSpacing(theme.px(8));
    m_cards = new QGridLayout;
    m_cards->setSpacing(theme.px(12));
    for (const QString& path : sampleFiles()) {
        auto* card = new FileCard{path, m_column};
        connect(card, &FileCard::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
        m_cards->addWidget(card, m_cards->count(), 0); // arranged once the width is known
    }
    column.addLayout(m_cards);
}

void StartPage::showRecent()
{
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget() != nullptr) {
            // Deleted later: the row may be the one that was clicked.
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
    const QStringList files = m_settings.recentFiles().mid(0, kShownRecent);
    if (files.isEmpty()) {
        auto* empty =
            new TextLabel{tr("Files you open appear here."), TextRole::Body, Role::Faint, this};
        empty->setMinimumHeight(Theme::current().rowHeight(36));
        empty->setAlignment(Qt::AlignHCenter | Qt::AlignVCenter);
        m_rows->addWidget(empty);
        return;
    }
    for (const QString& path : files) {
        auto* row = new FileRow{path, m_column};
        if (m_known.contains(path))
            row->setSummary(m_known.value(path));
        connect(row, &FileRow::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
        connect(row, &FileRow::removeRequested, &m_settings, &Settings::removeRecentFile);
        m_rows->addWidget(row);
    }
    lookInto(files);
}

void StartPage::lookInto(const QStringList& paths)
{
    for (const QString& path : paths)
        if (!m_waiting.contains(path))
            m_waiting << path;
    if (m_looker.isRunning() || m_waiting.isEmpty())
        return;
    m_looker.start(
        [path = m_waiting.first()](const base::JobContext& job) {
            return base::Result<FileSummary>{summarize(path, job)};
        },
        [this](const base::Result<FileSummary>& summary) {
            if (!m_waiting.isEmpty())
                m_waiting.removeFirst();
            if (summary)
                show(*summary);
            lookInto({});
        });
}

void StartPage::show(const FileSummary& summary)
{
    m_known.insert(summary.path, summary);
    for (FileButton* button : m_column->findChildren<FileButton*>())
        if (button->path() == summary.path)
            button->setSummary(summary);
}

void StartPage::showError(const QString& first, const QString& rest, const QString& details)
{
    m_error->setError(first, rest, details);
    m_error->show();
    ensureVisible(0, 0);
}

void StartPage::hideError()
{
    m_error->hide();
}

bool StartPage::hasError() const
{
    return !m_error->isHidden();
}

void StartPage::setDropActive(bool active)
{
    m_drop->setActive(active);
}

void StartPage::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    const Theme& theme = Theme::current();
    m_column->setFixedWidth(std::min(theme.px(kColumnWidth), width() - 2 * theme.px(24)));
    arrangeCards();
}

void StartPage::arrangeCards()
{
    const int gap = m_cards->spacing();
    const int fitting = (m_column->width() + gap) / (Theme::current().px(FileCard::kWidth) + gap);
    const int columns = std::clamp(fitting, 1, kCardColumns);
    if (columns == m_cardColumns)
        return;
    m_cardColumns = columns;
    const QList<FileCard*> cards = m_column->findChildren<FileCard*>();
    for (int i = 0; i < cards.size(); ++i)
        m_cards->addWidget(cards.at(i), i / columns, i % columns); // moves it
    for (int column = 0; column < kCardColumns; ++column)
        m_cards->setColumnStretch(column, column < columns ? 1 : 0);
}

} // namespace plimsoll::ui
