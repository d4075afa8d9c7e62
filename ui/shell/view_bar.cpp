// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/view_bar.h"

#include "ui/base/icons.h"
#include "ui/base/theme.h"
#include "ui/shell/find_field.h"

#include <QAction>
#include <QEvent>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>

namespace plimsoll::ui {

namespace {
constexpr int kFoldWidth = 1100;
} // namespace

ViewBar::ViewBar(QWidget* parent) : QWidget{parent}
{
    auto* row = new QHBoxLayout{this};
    for (QToolButton** button : {&m_undo, &m_redo, &m_fit}) {
        *button = new QToolButton{this};
        (*button)->setToolButtonStyle(Qt::ToolButtonIconOnly);
        row->addWidget(*button);
    }
    m_room = new QWidget{this};
    row->addWidget(m_room, 1);
    m_find = new FindField{this};
    m_find->installEventFilter(this);
    row->addWidget(m_find);
    m_findButton = new QToolButton{this};
    m_findButton->setToolButtonStyle(Qt::ToolButtonIconOnly);
    row->addWidget(m_findButton);
    m_export = new QPushButton{icon(QStringLiteral("export"), Role::OnAccent, Role::OnAccent),
                               tr("Export…"), this};
    m_export->setProperty("primary", true);
    m_export->setFocusPolicy(Qt::TabFocus); // the focus ring is for keyboard users
    row->addWidget(m_export);
    connect(m_find, &QLineEdit::textChanged, this, &ViewBar::fold);
    connect(&Theme::current(), &Theme::changed, this, &ViewBar::relabel);
    relabel();
}

void ViewBar::relabel()
{
    const Theme& theme = Theme::current();
    setFixedHeight(theme.rowHeight(40));
    layout()->setContentsMargins(theme.px(10), 0, theme.px(10), 1);
    layout()->setSpacing(theme.px(6));
    std::vector<QToolButton*> buttons = m_switches;
    buttons.insert(buttons.end(), {m_undo, m_redo, m_fit, m_findButton});
    for (QToolButton* button : buttons)
        button->setIconSize({theme.px(16), theme.px(16)});
    fold();
}

void ViewBar::setActions(const QWidget& window)
{
    const auto action = [&window](const char* id) {
        return window.findChild<QAction*>(QString::fromLatin1(id));
    };
    m_undo->setDefaultAction(action("edit.undo"));
    m_redo->setDefaultAction(action("edit.redo"));
    m_findButton->setDefaultAction(action("edit.find"));
    QAction* fit = action("view.whole"); // a shared command, which the window may not have
    m_fit->setVisible(fit != nullptr);
    if (fit != nullptr)
        m_fit->setDefaultAction(fit);
}

void ViewBar::addSwitch(QAction& action)
{
    auto* button = new QToolButton{this};
    button->setDefaultAction(&action);
    button->setProperty("segment", true);
    static_cast<QHBoxLayout*>(layout())->insertWidget(static_cast<int>(m_switches.size()), button);
    m_switches.push_back(button);
    // First in the tab order, before what was made earlier.
    std::vector<QWidget*> order{m_switches.begin(), m_switches.end()};
    order.insert(order.end(), {m_undo, m_redo, m_fit, m_find, m_findButton, m_export});
    for (std::size_t i = 1; i < order.size(); ++i)
        setTabOrder(order[i - 1], order[i]);
    relabel();
}

void ViewBar::setExport(QAction* exporting)
{
    if (m_exporting == exporting && exporting != nullptr)
        return;
    if (m_exporting) {
        m_exporting->disconnect(this);
        m_export->disconnect(m_exporting);
    }
    m_exporting = exporting;
    m_export->setVisible(exporting != nullptr);
    if (exporting == nullptr)
        return;
    connect(m_export, &QPushButton::clicked, exporting, &QAction::trigger);
    connect(exporting, &QAction::changed, this, &ViewBar::followExport);
    followExport();
}

void ViewBar::followExport()
{
    const bool isEnabled = m_exporting->isEnabled();
    m_export->setEnabled(isEnabled);
    m_export->setToolTip(m_exporting->toolTip());
    const QStringList button = m_exporting->data().toStringList(); // PageCommand::button
    m_export->setText(button.isEmpty() ? tr("Export…") : button.first());
    m_export->setIcon(icon(button.isEmpty() ? QStringLiteral("export") : button.last(),
                           isEnabled ? Role::OnAccent : Role::Faint,
                           isEnabled ? Role::OnAccent : Role::Faint));
}

void ViewBar::fold()
{
    const bool narrow = width() < Theme::current().px(kFoldWidth);
    const bool folded = narrow && m_find->text().isEmpty() && !m_find->hasFocus();
    m_find->setVisible(!folded);
    for (QToolButton* button : m_switches)
        button->setToolButtonStyle(narrow ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    m_findButton->setVisible(folded);
}

void ViewBar::beginFind()
{
    m_find->show();
    m_findButton->hide();
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

bool ViewBar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_find && event->type() == QEvent::FocusOut)
        // Deferred until the focus has arrived.
        QMetaObject::invokeMethod(this, &ViewBar::fold, Qt::QueuedConnection);
    return QWidget::eventFilter(watched, event);
}

void ViewBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fold();
}

void ViewBar::paintEvent(QPaintEvent* /*event*/)
{
    const Theme& theme = Theme::current();
    QPainter painter{this};
    painter.fillRect(rect(), theme.color(Role::Panel));
    painter.fillRect(QRect{0, height() - 1, width(), 1}, theme.color(Role::Border));
}

} // namespace plimsoll::ui
