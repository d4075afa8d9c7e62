// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/start_page.h"

#include "core/device/known_devices.h"
#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/start_page/file_buttons.h"
#include "ui/start_page/samples.h"

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QGridLayout>
#include <QGuiApplication>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

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
        setShape(painter, QPen{Theme::current().color(Role::Border), 1});
        const double radius = Theme::current().px(8);
        painter.drawRoundedRect(QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    }
};

} // namespace

/// Hints that files can be dropped; the whole window accepts them.
class StartPage::DropZone : public QWidget
{
public:
    explicit DropZone(QWidget* parent) : QWidget{parent}
    {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        setAccessibleName(text());
    }
    void setActive(bool active)
    {
        m_active = active;
        setOffer({});
    }
    /// Only while files are dragged.
    void setOffer(const QString& sentence)
    {
        m_offer = m_active ? sentence : QString{};
        setAccessibleName(text());
        update();
    }
    [[nodiscard]] QString text() const
    {
        return m_offer.isEmpty() ? tr("Drop a traced graph, a memory profile or a session here")
                                 : m_offer;
    }
    [[nodiscard]] QSize sizeHint() const override
    {
        return {Theme::current().px(600), Theme::current().px(64)};
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        const auto px = [&](double length) -> double { return theme.px(length); };
        QPainter painter{this};
        QPen pen{theme.color(m_active ? Role::Accent : Role::BorderStrong), m_active ? 2.0 : 1.0};
        if (!m_active)
            pen.setDashPattern({4, 3});
        setShape(painter, pen, theme.color(Role::Raised));
        painter.drawRoundedRect(QRectF{rect()}.adjusted(1, 1, -1, -1), px(6), px(6));
        drawIcon(painter, QRectF{px(24), (height() - px(20)) / 2, px(20), px(20)},
                 QStringLiteral("drop"), theme.color(Role::Accent));
        const double left = px(62);
        const double inner = width() - left - px(12);
        drawLine(painter, QRectF{left, px(12), inner, px(20)}, text(), TextRole::Strong,
                 Role::Text);
        drawLine(painter, QRectF{left, px(32), inner, px(20)},
                 tr("Traced step (.plimsoll.json), memory profile (.pickle, .plmcap), session "
                    "(.plimsoll). "
                    "Recognised "
                    "by content, not by name."),
                 TextRole::Body, Role::Muted);
    }

private:
    bool m_active = false;
    QString m_offer; ///< empty: what can be dropped
};

/// Reports a file that couldn't be read, and what to do about it.
class StartPage::ErrorBox : public QWidget
{
public:
    ErrorBox(StartPage& page, QWidget* parent) : QWidget{parent}
    {
        const Theme& theme = Theme::current();
        auto* row = new QHBoxLayout{this};
        row->setContentsMargins(theme.px(44), theme.px(14), theme.px(12), theme.px(14));
        auto* column = new QVBoxLayout;
        column->setSpacing(theme.px(6));
        m_first = new TextLabel{{}, TextRole::Lead, Role::Text, this};
        m_rest = new QLabel{this};
        m_rest->setWordWrap(true);
        m_rest->setTextInteractionFlags(Qt::TextSelectableByMouse);
        m_rest->setTextFormat(Qt::PlainText);
        column->addWidget(m_first);
        column->addWidget(m_rest);
        column->addWidget(new TextLabel{tr("Your open documents are unchanged."), TextRole::Body,
                                        Role::Muted, this});
        auto* buttons = makeRow(nullptr, 8, {0, 6, 0, 0});
        auto* another = new QPushButton{tr("Choose another file…"), this};
        another->setProperty("primary", true);
        connect(another, &QPushButton::clicked, &page, &StartPage::openRequested);
        auto* copy = new QPushButton{tr("Copy details"), this};
        connect(copy, &QPushButton::clicked, this,
                [this] { QGuiApplication::clipboard()->setText(m_details); });
        buttons->addWidget(another);
        buttons->addWidget(copy);
        buttons->addStretch(1);
        column->addLayout(buttons);
        row->addLayout(column, 1);
        auto* close = new QToolButton{this};
        close->setIcon(icon(QStringLiteral("close")));
        close->setAccessibleName(tr("Dismiss"));
        connect(close, &QToolButton::clicked, this, &QWidget::hide);
        row->addWidget(close, 0, Qt::AlignTop);
    }

    void show(const QString& first, const QString& rest, const QString& details)
    {
        m_first->setText(first);
        m_rest->setText(rest);
        m_details = details;
        setAccessibleName(first);
        setAccessibleDescription(rest);
        QWidget::show();
    }

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        const Theme& theme = Theme::current();
        const auto px = [&](double length) -> double { return theme.px(length); };
        QPainter painter{this};
        setShape(painter, QPen{theme.color(Role::Danger, 0.5), 1}, theme.color(Role::DangerBg));
        painter.drawRoundedRect(QRectF{rect()}.adjusted(0.5, 0.5, -0.5, -0.5), px(6), px(6));
        painter.fillRect(QRectF{0, px(6), px(3), height() - px(12)}, theme.color(Role::Danger));
        drawIcon(painter, QRectF{px(17), px(15), px(16), px(16)}, QStringLiteral("error"),
                 theme.color(Role::Danger));
    }

private:
    TextLabel* m_first = nullptr;
    QLabel* m_rest = nullptr;
    QString m_details;
};

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
    m_error = new ErrorBox{*this, m_column};
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
    buildGpu(*head);
    auto* open =
        new QPushButton{icon(QStringLiteral("open"), Role::OnAccent, Role::OnAccent),
                        tr("Open…") + QStringLiteral("   ") + QStringLiteral("Ctrl+O"), m_column};
    open->setProperty("primary", true);
    open->setMinimumHeight(theme.px(36));
    open->setAccessibleName(tr("Open a file"));
    connect(open, &QPushButton::clicked, this, &StartPage::openRequested);
    head->addWidget(open);
    column.addLayout(head);
    m_head = head;
}

void StartPage::addCommand(QAction& command)
{
    auto* button = new QPushButton{command.icon(), command.text().remove(u'&'), m_column};
    button->setMinimumHeight(Theme::current().px(36));
    button->setToolTip(command.toolTip());
    connect(button, &QPushButton::clicked, &command, &QAction::trigger);
    m_head->addWidget(button);
}

/// For which GPU files are opened.
void StartPage::buildGpu(QHBoxLayout& row)
{
    m_gpu = new QComboBox{m_column};
    m_gpu->setAccessibleName(tr("Your GPU"));
    m_gpu->setToolTip(tr("Files open at the memory of this GPU."));
    m_gpu->setPlaceholderText(tr("Choose your GPU"));
    row.addWidget(m_gpu);
    showGpus();
    connect(m_gpu, &QComboBox::activated, this,
            [this](int at) { m_settings.setGpu(m_gpu->itemData(at).toString()); });
    connect(&m_settings, &Settings::gpuChanged, this, &StartPage::showGpus);
    connect(&m_settings, &Settings::ownDevicesChanged, this, &StartPage::showGpus);
}

void StartPage::showGpus()
{
    m_gpu->clear();
    const auto add = [this](const plan::Device& device) {
        const QString id = QString::fromStdString(device.id);
        if (m_gpu->findData(id) < 0)
            m_gpu->addItem(QString::fromStdString(device.name), id);
    };
    for (const plan::Device& device : plan::builtInDevices())
        add(device);
    QStringList own = m_settings.ownDevices();
    own << m_settings.gpu();
    for (const QString& line : own)
        if (const base::Result<plan::Device> device = plan::findDevice(line.toStdString()))
            add(*device);
    m_gpu->setCurrentIndex(m_gpu->findData(m_settings.gpu()));
}

void StartPage::buildSamples(QVBoxLayout& column)
{
    const Theme& theme = Theme::current();
    auto* title = makeRow(nullptr, 8);
    title->addWidget(new TextLabel{tr("Samples"), TextRole::Head, Role::Text, m_column});
    title->addWidget(new TextLabel{tr("open at once, nothing to install"), TextRole::Body,
                                   Role::Muted, m_column});
    title->addStretch(1);
    auto* own = new QPushButton{tr("How to record your own"), m_column};
    own->setProperty("link", true);
    connect(own, &QPushButton::clicked, this,
            [this] { Q_EMIT manualRequested(QStringLiteral("profiles.md#recording-a-snapshot")); });
    title->addWidget(own);
    column.addLayout(title);
    column.addSpacing(theme.px(8));
    m_cards = new QGridLayout;
    m_cards->setSpacing(theme.px(12));
    for (const QString& path : sampleFiles()) {
        FileButton* card = makeFileCard(path, m_column);
        connect(card, &FileButton::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
        m_samples.push_back(card); // placed once the width is known
    }
    column.addLayout(m_cards);
}

void StartPage::showRecent()
{
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        if (item->widget() != nullptr) {
            // Deleted later: the row may be the one being clicked.
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
        FileButton* row = makeFileRow(path, m_column);
        if (m_known.contains(path))
            row->setSummary(m_known.value(path));
        connect(row, &FileButton::clicked, this, [this, path] { Q_EMIT fileChosen(path); });
        connect(row, &FileButton::removeRequested, &m_settings, &Settings::removeRecentFile);
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
    m_error->show(first, rest, details);
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

void StartPage::setDropOffer(const QString& sentence)
{
    m_drop->setOffer(sentence);
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
    const int fitting = (m_column->width() + gap) / (Theme::current().px(kCardWidth) + gap);
    const int columns = std::clamp(fitting, 1, kCardColumns);
    if (columns == m_cardColumns)
        return;
    m_cardColumns = columns;
    int place = 0;
    for (FileButton* sample : m_samples) {
        m_cards->addWidget(sample, place / columns, place % columns); // moves it
        ++place;
    }
    for (int column = 0; column < kCardColumns; ++column)
        m_cards->setColumnStretch(column, column < columns ? 1 : 0);
}

} // namespace plimsoll::ui
