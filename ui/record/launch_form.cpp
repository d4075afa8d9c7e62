// SPDX-License-Identifier: Apache-2.0
#include "ui/record/launch_form.h"

#include "ui/base/file_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"

#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalBlocker>

namespace plimsoll::ui {

namespace {
constexpr int kEnvironmentLines = 3;
} // namespace

LaunchForm::LaunchForm(Settings& settings, QWidget* parent) : QWidget{parent}, m_settings{settings}
{
    auto* form = makeForm(this, 12, 8);
    buildRecent(*form);
    buildFields(*form);
    buildOptions(*form);
    buildLine(*form);
    listRecent();
    connect(&m_settings, &Settings::recentProgramsChanged, this, &LaunchForm::listRecent);
    if (const QStringList recent = m_settings.recentPrograms(); !recent.isEmpty())
        setSpec(toRunAgain(launchSpecOf(recent.first())));
    updateLine();
    setFocusProxy(m_command);
}

void LaunchForm::buildRecent(QFormLayout& form)
{
    m_recent = new QComboBox{this};
    // No wider for a long command.
    m_recent->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_recent->setMinimumContentsLength(20);
    m_recent->setAccessibleName(tr("Recent programs"));
    m_recent->setPlaceholderText(tr("Programs recorded before"));
    m_recentLabel = makeFieldLabel(tr("Recent"), this);
    form.addRow(m_recentLabel, m_recent);
    connect(m_recent, &QComboBox::activated, this, [this](int row) {
        setSpec(toRunAgain(launchSpecOf(m_recent->itemData(row).toString())));
    });
}

void LaunchForm::buildFields(QFormLayout& form)
{
    const auto field = [this](const QString& placeholder) {
        auto* edit = new QLineEdit{this};
        edit->setPlaceholderText(placeholder);
        connect(edit, &QLineEdit::textChanged, this, &LaunchForm::updateLine);
        connect(edit, &QLineEdit::returnPressed, this, &LaunchForm::accepted);
        return edit;
    };
    m_command = field(QStringLiteral("python train.py --epochs 1"));
    addField(form, tr("Program"), m_command,
             tr("The program and its arguments, with quotes as in a shell. No shell runs: for "
                "pipes and variables write sh -c \"…\"."));
    addFaultRow(form, LaunchField::Command, m_command);
    auto* row = new QWidget{this};
    auto* inRow = makeRow(row, 6);
    m_folder = field(QDir::homePath());
    inRow->addWidget(m_folder, 1);
    auto* choose = new QPushButton{tr("Choose…"), row};
    choose->setAutoDefault(false);
    choose->setAccessibleName(tr("Choose the folder"));
    inRow->addWidget(choose);
    connect(choose, &QPushButton::clicked, this, &LaunchForm::chooseFolder);
    addField(form, tr("Folder"), row, tr("In which the program runs."));
    m_folder->setAccessibleName(tr("Folder"));
    addFaultRow(form, LaunchField::Folder, m_folder);
    m_environment = new QPlainTextEdit{this};
    m_environment->setPlaceholderText(QStringLiteral("CUDA_VISIBLE_DEVICES=0"));
    m_environment->setTabChangesFocus(true);
    m_environment->setFixedHeight(m_environment->fontMetrics().lineSpacing() * kEnvironmentLines
                                  + Theme::current().px(10));
    connect(m_environment, &QPlainTextEdit::textChanged, this, &LaunchForm::updateLine);
    addField(form, tr("Variables"), m_environment,
             tr("Environment variables besides those that Plimsoll has, NAME=VALUE in a line "
                "each."));
    addFaultRow(form, LaunchField::Environment, m_environment);
    m_output = field(QStringLiteral("recording.plmcap"));
    addField(form, tr("Recording"), m_output,
             tr("The file to record to, in the folder; without a name a new one."));
    addFaultRow(form, LaunchField::Output, m_output);
}

void LaunchForm::buildOptions(QFormLayout& form)
{
    m_snapshot = new QCheckBox{tr("PyTorch's memory snapshot, too"), this};
    m_snapshot->setToolTip(tr("Has PyTorch write its snapshot, with the tensors and who allocated "
                              "them, at the end and where memory runs out."));
    m_tensors = new QCheckBox{tr("Each tensor is an allocation (much slower)"), this};
    m_tensors->setToolTip(
        tr("Switches PyTorch's caching allocator off, so that the driver is asked "
           "for every tensor."));
    // PyTorch records nothing without its caching allocator.
    connect(m_tensors, &QCheckBox::toggled, this, [this](bool on) {
        if (on)
            m_snapshot->setChecked(false);
        updateLine();
    });
    connect(m_snapshot, &QCheckBox::toggled, this, [this](bool on) {
        if (on)
            m_tensors->setChecked(false);
        updateLine();
    });
    auto* both = new QWidget{this};
    auto* column = makeColumn(both, 4);
    column->addWidget(m_snapshot);
    column->addWidget(m_tensors);
    form.addRow(makeFieldLabel(tr("Options"), this), both);
}

void LaunchForm::buildLine(QFormLayout& form)
{
    auto* row = new QWidget{this};
    auto* inRow = makeRow(row, 6);
    m_line = new QLineEdit{row};
    m_line->setReadOnly(true);
    m_copy = new QPushButton{tr("Copy"), row};
    m_copy->setAutoDefault(false);
    m_copy->setAccessibleName(tr("Copy the command"));
    inRow->addWidget(m_line, 1);
    inRow->addWidget(m_copy);
    connect(m_copy, &QPushButton::clicked, this,
            [this] { QGuiApplication::clipboard()->setText(m_line->text()); });
    addField(form, tr("In a shell"), row, tr("Records the same without this window."));
    m_line->setAccessibleName(tr("The same as a command for a shell"));
}

void LaunchForm::addFaultRow(QFormLayout& form, LaunchField field, QWidget* widget)
{
    QLabel* label = makeErrorLabel(this);
    form.addRow(nullptr, label);
    m_faults[field] = {widget, label};
}

LaunchSpec LaunchForm::spec() const
{
    return {.command = m_command->text(),
            .folder = m_folder->text(),
            .environment = m_environment->toPlainText(),
            .output = m_output->text(),
            .tensors = m_tensors->isChecked(),
            .snapshot = m_snapshot->isChecked()};
}

void LaunchForm::setSpec(const LaunchSpec& spec)
{
    m_command->setText(spec.command);
    m_folder->setText(spec.folder);
    m_environment->setPlainText(spec.environment);
    m_output->setText(spec.output);
    m_tensors->setChecked(spec.tensors);
    m_snapshot->setChecked(spec.snapshot);
}

void LaunchForm::showFault(const LaunchFault& fault)
{
    hideFaults();
    const auto& [widget, label] = m_faults.at(fault.field);
    label->setText(fault.sentence);
    label->show();
    widget->setFocus();
}

void LaunchForm::hideFaults()
{
    for (const auto& [field, row] : m_faults)
        row.second->hide();
}

void LaunchForm::remember()
{
    m_settings.addRecentProgram(textOf(spec()));
}

void LaunchForm::listRecent()
{
    const QSignalBlocker blocker{m_recent};
    m_recent->clear();
    for (const QString& text : m_settings.recentPrograms())
        if (const LaunchSpec recent = launchSpecOf(text); !recent.command.isEmpty())
            m_recent->addItem(fileText(recent.command), text);
    m_recent->setCurrentIndex(-1);
    m_recent->setVisible(m_recent->count() > 0);
    m_recentLabel->setVisible(m_recent->count() > 0);
}

void LaunchForm::chooseFolder()
{
    const QString start = m_folder->text().isEmpty() ? QDir::homePath() : m_folder->text();
    const QStringList chosen =
        chooseFiles(this, tr("Choose the Folder"), start, {}, QFileDialog::Directory);
    if (!chosen.isEmpty())
        m_folder->setText(chosen.first());
}

void LaunchForm::updateLine()
{
    if (m_line == nullptr)
        return;
    hideFaults(); // what was wrong may be right now
    const QString line = recordLine(spec());
    m_line->setText(line);
    m_line->setPlaceholderText(m_command->text().trimmed().isEmpty()
                                   ? QString{}
                                   : tr("Quotes or variables above aren't complete"));
    m_line->setCursorPosition(0);
    m_copy->setEnabled(!line.isEmpty());
}

} // namespace plimsoll::ui
