// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_panel/allocator_form.h"

#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>

namespace plimsoll::ui {

AllocatorForm::AllocatorForm(QWidget* parent) : QWidget{parent}, m_error{makeErrorLabel(this)}
{
    auto* column = makeColumn(this, 2);
    auto* form = makeForm(nullptr, 8, 2);
    m_expandable = new QCheckBox{tr("PyTorch's expandable segments"), this};
    m_expandable->setToolTip(
        tr("With PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True, the allocator maps memory as it "
           "goes and leaves fewer gaps."));
    m_expandable->setMinimumHeight(Theme::current().rowHeight(20));
    form->addRow(QString{}, m_expandable);
    m_edit = new QLineEdit{this};
    m_edit->setPlaceholderText(tr("PyTorch's defaults"));
    addField(*form, tr("Allocator"), m_edit,
             tr("Your PYTORCH_CUDA_ALLOC_CONF, such as max_split_size_mb:128. Whether a plan runs, "
                "and what is reserved, is computed with these settings."));
    column->addLayout(form);
    column->addWidget(m_error);
    connect(m_expandable, &QCheckBox::clicked, this, [this](bool isOn) {
        choose(
            QString::fromStdString(allocator::withExpandableSegments(m_text.toStdString(), isOn)));
    });
    connect(m_edit, &QLineEdit::editingFinished, this, [this] {
        if (m_edit->text() != m_text)
            choose(m_edit->text());
    });
}

void AllocatorForm::setText(const QString& text)
{
    const auto parsed = allocator::parseAllocatorSettings(text.toStdString());
    m_text = parsed ? text : QString{};
    m_settings = parsed.value_or(allocator::AllocatorSettings{});
    m_expandable->setChecked(m_settings.expandableSegments);
    m_edit->setText(m_text);
    m_error->hide();
    Q_EMIT settingsChanged();
}

void AllocatorForm::choose(const QString& text)
{
    if (const auto parsed = allocator::parseAllocatorSettings(text.toStdString()); !parsed) {
        m_error->setText(fileText(parsed.error().message));
        m_error->show();
        m_edit->setText(m_text);
        return;
    }
    m_error->hide();
    if (text.trimmed() == m_text)
        m_edit->setText(m_text);
    else
        Q_EMIT textChosen(m_text, text.trimmed());
}

} // namespace plimsoll::ui
