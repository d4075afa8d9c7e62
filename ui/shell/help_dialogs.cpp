// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/help_dialogs.h"

#include "core/evaluate/certify.h"
#include "core/solve/registry.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"

#include <QAction>
#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>

namespace plimsoll::ui {

namespace {

/// A dialog with a title line, a body and Close.
QDialog* makeSheet(QWidget* parent, const QString& title, QWidget* body)
{
    auto* dialog = new QDialog{parent};
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    auto* column = makeColumn(dialog, 12, {16, 16, 16, 12});
    column->addWidget(new TextLabel{title, TextRole::Head, Role::Text, dialog});
    column->addWidget(body, 1);
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close, dialog};
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    column->addWidget(buttons);
    return dialog;
}

QLabel* paragraph(const QString& text)
{
    auto* label = new QLabel{text};
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setMinimumWidth(Theme::current().px(420));
    return label;
}

QString helpOf(const solve::PlannerDescriptor& descriptor)
{
    QStringList lines{QString::fromStdString(descriptor.sentence),
                      QObject::tr("Based on: %1").arg(QString::fromStdString(descriptor.source))};
    for (const std::string& sentence : descriptor.leavesOut)
        lines << QObject::tr("Leaves out: %1").arg(QString::fromStdString(sentence));
    for (const solve::OptionRecord& option : descriptor.options)
        lines << QStringLiteral("• ")
                     + QString::fromStdString(option.label.empty() ? option.name : option.label)
                     + QStringLiteral(": ") + QString::fromStdString(option.sentence);
    return lines.join(u'\n');
}

} // namespace

void showKeys(QWidget* window)
{
    const Theme& theme = Theme::current();
    auto* list = new QWidget;
    auto* grid = new QGridLayout{list};
    grid->setVerticalSpacing(theme.px(4));
    grid->setHorizontalSpacing(theme.px(24));
    int row = 0;
    for (const QAction* action : window->actions()) {
        if (action->shortcut().isEmpty())
            continue;
        QString text = action->text();
        text.remove(u'&');
        grid->addWidget(new TextLabel{text}, row, 0);
        const QString keys =
            QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText)
                .replace(QStringLiteral("; "), QObject::tr(" or "));
        grid->addWidget(new TextLabel{keys, TextRole::Strong}, row++, 1);
    }
    auto* area = new QScrollArea;
    area->setWidget(list);
    area->setWidgetResizable(true);
    QDialog* dialog = makeSheet(window, QObject::tr("Keys"), area);
    dialog->resize(theme.px(420), theme.px(560));
    dialog->show();
}

void showPlanners(QWidget* parent)
{
    const Theme& theme = Theme::current();
    auto* list = new QWidget;
    auto* column = new QVBoxLayout{list};
    column->setSpacing(theme.px(4));
    for (const auto& planner : solve::planners()) {
        const solve::PlannerDescriptor& descriptor = planner->descriptor();
        column->addWidget(new TextLabel{QString::fromStdString(descriptor.name), TextRole::Strong});
        column->addWidget(paragraph(helpOf(descriptor)));
        column->addSpacing(theme.px(12));
    }
    column->addStretch(1);
    auto* area = new QScrollArea;
    area->setWidget(list);
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    QDialog* dialog = makeSheet(parent, QObject::tr("Planners"), area);
    dialog->setObjectName(QStringLiteral("planners"));
    dialog->resize(theme.px(560), theme.px(620));
    dialog->show();
}

void showNotModelled(QWidget* parent, const plan::VerifiedPlan& plan)
{
    QString text;
    for (const std::string& sentence : plan.evaluation().notModelled)
        text += QStringLiteral("• ") + fileText(sentence) + u'\n';
    if (text.isEmpty())
        text = QObject::tr("Nothing is left out for this step.");
    makeSheet(parent, QObject::tr("What is not modelled"), paragraph(text.trimmed()))->show();
}

void showAbout(QWidget* parent)
{
    const QString text =
        QObject::tr("Plimsoll %1\n\nPlans the memory of one training step: what to keep, what to "
                    "recompute, and what that costs. Everything runs on this computer.\n\nLicence: "
                    "Apache-2.0. Built with Qt %2 (LGPL), simdjson, nlohmann-json, fmt, "
                    "tl::expected, SQLite and zlib.")
            .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion()));
    makeSheet(parent, QObject::tr("About Plimsoll"), paragraph(text))->show();
}

} // namespace plimsoll::ui
