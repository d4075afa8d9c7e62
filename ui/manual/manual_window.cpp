// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_window.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"
#include "ui/manual/manual_browser.h"
#include "ui/manual/manual_list.h"
#include "ui/manual/manual_search.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QShortcut>
#include <QToolButton>

namespace plimsoll::ui {

namespace {

constexpr QSize kSize{980, 720};
constexpr int kListWidth = 250;
constexpr int kSearchWidth = 250;

} // namespace

ManualWindow::ManualWindow(QWidget* parent)
    : QWidget{parent, Qt::Window}
    , m_list{new ManualList{readManual(), this}}
    , m_page{new ManualBrowser{this}}
{
    setObjectName(QStringLiteral("manual"));
    setWindowTitle(tr("Manual"));
    setProperty("ground", QStringLiteral("window"));
    setAttribute(Qt::WA_StyledBackground);
    setManualPage(*this, QStringLiteral("index.md"));
    buildBar();
    connect(m_list, &ManualList::chosen, m_page, &ManualBrowser::showPage);
    connect(m_page, &ManualBrowser::pageShown, m_list, &ManualList::goTo);
    connect(m_page, &QTextBrowser::backwardAvailable, m_back, &QWidget::setEnabled);
    connect(m_page, &QTextBrowser::forwardAvailable, m_forward, &QWidget::setEnabled);
    connect(&Theme::current(), &Theme::changed, this, &ManualWindow::rescale);
    rescale();
    resize(Theme::current().px(kSize.width()), Theme::current().px(kSize.height()));
}

void ManualWindow::buildBar()
{
    const Theme& theme = Theme::current();
    const auto button = [this](const QString& name, const QString& iconName,
                               const QKeySequence& key, auto run) {
        auto* made = new QToolButton{this};
        made->setText(name);
        made->setAccessibleName(name);
        made->setToolTip(tr("%1 (%2)").arg(name, key.toString(QKeySequence::NativeText)));
        made->setIcon(icon(iconName));
        connect(made, &QToolButton::clicked, m_page, run);
        connect(new QShortcut{key, this}, &QShortcut::activated, made, &QToolButton::click);
        return made;
    };
    m_back = button(tr("Back"), QStringLiteral("undo"), QKeySequence{QStringLiteral("Alt+Left")},
                    &QTextBrowser::backward);
    m_forward = button(tr("Forward"), QStringLiteral("redo"),
                       QKeySequence{QStringLiteral("Alt+Right")}, &QTextBrowser::forward);
    QToolButton* first = button(tr("First page"), QStringLiteral("home"),
                                QKeySequence{QStringLiteral("Alt+Home")}, [this] { showPage({}); });
    m_back->setEnabled(false);
    m_forward->setEnabled(false);
    m_search = new QLineEdit{this};
    m_search->setPlaceholderText(tr("Search the manual…"));
    m_search->setAccessibleName(tr("Search the manual"));
    m_search->setAccessibleDescription(
        tr("Lists the sections that contain all typed words. Down goes to the list."));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->installEventFilter(this);
    connect(m_search, &QLineEdit::textChanged, this, &ManualWindow::search);
    connect(m_search, &QLineEdit::returnPressed, this, [this] { m_list->chooseCurrent(); });
    connect(new QShortcut{QKeySequence::Find, this}, &QShortcut::activated, m_search, [this] {
        m_search->setFocus();
        m_search->selectAll();
    });

    auto* bar = makeRow(nullptr, 4, {8, 8, 8, 8});
    bar->addWidget(m_search);
    bar->addSpacing(theme.px(8));
    for (QToolButton* each : {m_back, m_forward, first})
        bar->addWidget(each);
    bar->addStretch(1);
    auto* row = makeRow(nullptr, 6);
    row->addWidget(m_list);
    row->addWidget(m_page, 1);
    auto* column = makeColumn(this);
    column->addLayout(bar);
    column->addLayout(row, 1);
    setTabOrder(m_search, m_list);
    setTabOrder(m_list, m_page);
    m_page->setFocus(); // so that arrow keys scroll at once
}

void ManualWindow::rescale()
{
    const Theme& theme = Theme::current();
    m_list->setFixedWidth(theme.px(kListWidth));
    m_search->setFixedWidth(theme.px(kSearchWidth));
    m_list->doItemsLayout();
}

void ManualWindow::showPage(const QString& page)
{
    m_page->showPage(kManualFolder + (page.isEmpty() ? QStringLiteral("index.md") : page));
}

void ManualWindow::search(const QString& text)
{
    const QStringList words = searchWords(text);
    m_page->setMarkedWords(words);
    m_list->search(words);
    if (words.isEmpty())
        m_list->goTo(m_page->target());
}

bool ManualWindow::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress
        && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Down) {
        m_list->setFocus(Qt::TabFocusReason);
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

void ManualWindow::keyPressEvent(QKeyEvent* event)
{
    if (event->key() != Qt::Key_Escape) {
        QWidget::keyPressEvent(event);
        return;
    }
    if (m_search->text().isEmpty())
        close();
    else
        m_search->clear();
}

void showManualForFocus(QWidget& window)
{
    showManual(window, manualPage(QApplication::focusWidget()));
}

void showManual(QWidget& window, const QString& page)
{
    auto* manual = window.findChild<ManualWindow*>(QString{}, Qt::FindDirectChildrenOnly);
    if (manual == nullptr)
        manual = new ManualWindow{&window};
    manual->showPage(page);
    manual->show();
    manual->raise();
    manual->activateWindow();
}

} // namespace plimsoll::ui
