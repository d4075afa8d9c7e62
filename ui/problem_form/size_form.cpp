// SPDX-License-Identifier: Apache-2.0
#include "ui/problem_form/size_form.h"

#include "core/base/limits.h"
#include "core/graph/resize.h"
#include "ui/base/help_context.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStringList>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::chrono::milliseconds kStepRest{300}; ///< so that a held arrow plans once

/// "Batch"
QString titleOf(const graph::Axis& axis)
{
    QString title = fileText(axis.name);
    if (!title.isEmpty())
        title[0] = title[0].toUpper();
    return title;
}

/// "256, 512, 1024 recorded; steps of 32"
QString hintOf(const graph::Axis& axis)
{
    QStringList recorded;
    for (const std::int64_t size : axis.recorded)
        recorded << QString::number(size);
    const QString text = SizeForm::tr("%1 recorded").arg(recorded.join(QStringLiteral(", ")));
    return axis.step == 1 ? text + SizeForm::tr("; %1 and up").arg(axis.recorded.front())
                          : text + SizeForm::tr("; steps of %1").arg(axis.step);
}

/// A whole number, with or without separators between its digits.
std::optional<std::int64_t> wholeNumber(QString text)
{
    for (const QChar separator : {QChar{u','}, QChar{u' '}, QChar{u'\u00a0'}})
        text.remove(separator);
    bool ok = false;
    const qlonglong number = text.toLongLong(&ok);
    return ok ? std::optional<std::int64_t>{number} : std::nullopt;
}

} // namespace

SizeBox::SizeBox(graph::Axis axis, QWidget* parent)
    : QAbstractSpinBox{parent}, m_axis{std::move(axis)}
{
    setFocusPolicy(Qt::StrongFocus); // scrolling the panel must not change it
    setAccelerated(true);
    m_stepTimer.setSingleShot(true);
    m_stepTimer.setInterval(kStepRest);
    connect(&m_stepTimer, &QTimer::timeout, this, &SizeBox::enter);
    connect(this, &QAbstractSpinBox::editingFinished, this, &SizeBox::enter);
}

void SizeBox::enter()
{
    m_stepTimer.stop();
    lineEdit()->setModified(false);
    Q_EMIT entered(text());
}

bool SizeBox::isBeingEdited() const
{
    return m_stepTimer.isActive() || (hasFocus() && lineEdit()->isModified());
}

void SizeBox::setSize(std::int64_t size)
{
    m_stepTimer.stop();
    m_size = size;
    lineEdit()->setText(QString::number(size));
}

void SizeBox::stepBy(int steps)
{
    const std::int64_t least = m_axis.recorded.front();
    const std::int64_t from = std::clamp(wholeNumber(text()).value_or(m_size), least, base::kHuge);
    const std::int64_t at = (from - least) / m_axis.step;
    const bool isBetween = (from - least) % m_axis.step != 0; // then down goes to the one below
    const std::int64_t most = (base::kHuge - least) / m_axis.step;
    const std::int64_t to =
        std::clamp<std::int64_t>(at + steps + (isBetween && steps < 0 ? 1 : 0), 0, most);
    m_size = least + to * m_axis.step;
    lineEdit()->setText(QString::number(m_size));
    lineEdit()->selectAll();
    m_stepTimer.start();
}

QAbstractSpinBox::StepEnabled SizeBox::stepEnabled() const
{
    const bool isLeast = wholeNumber(text()).value_or(m_size) <= m_axis.recorded.front();
    return isLeast ? StepUpEnabled : StepUpEnabled | StepDownEnabled;
}

SizeForm::SizeForm(QWidget* parent) : QWidget{parent}
{
    setManualPage(*this, QStringLiteral("window.md#planner-form"));
    auto* column = makeColumn(this, 2);
    m_form = makeForm(nullptr, 8, 2);
    column->addLayout(m_form);
    m_error = makeErrorLabel(this);
    column->addWidget(m_error); // a form layout would give it too little height
    m_reset = new QPushButton{tr("As recorded"), this};
    m_reset->setProperty("link", true);
    m_reset->setCursor(Qt::PointingHandCursor);
    m_reset->setAccessibleDescription(tr("Returns to the size at which the step was traced."));
    connect(m_reset, &QPushButton::clicked, this, [this] { Q_EMIT sizesChosen({}); });
    hide();
}

void SizeForm::setRecorded(const graph::ProgramPtr& recorded)
{
    m_recorded = recorded;
    if (!recorded->vary)
        return;
    QStringList names;
    for (const graph::Axis& axis : recorded->vary->axes) {
        addRow(axis);
        names << QStringLiteral("%1 %2").arg(fileText(axis.name)).arg(axis.size);
    }
    m_reset->setToolTip(names.join(QStringLiteral(", ")));
    m_form->addRow(QString{}, m_reset);
    setSizes({});
    setVisible(!m_rows.empty());
}

void SizeForm::addRow(const graph::Axis& axis)
{
    Row row{axis, new SizeBox{axis, this}, new TextLabel{{}, TextRole::Small, Role::Muted, this}};
    const QString title = titleOf(axis);
    row.box->setAccessibleDescription(
        tr("The size at which the step is planned. %1.").arg(hintOf(axis)));
    row.hint->setSteady();
    addField(*m_form, title, row.box,
             tr("%1 of the step. All figures are derived from the recorded sizes.").arg(title));
    m_form->addRow(QString{}, row.hint);
    connect(row.box, &SizeBox::entered, this,
            [this, index = m_rows.size()](const QString& text) { read(index, text); });
    m_rows.push_back(std::move(row));
}

std::int64_t SizeForm::sizeOf(const graph::Axis& axis) const
{
    const auto chosen = m_sizes.find(axis.name);
    return chosen == m_sizes.end() ? axis.size : chosen->second;
}

void SizeForm::show(const Row& row)
{
    const std::int64_t size = sizeOf(row.axis);
    row.box->setSize(size);
    const std::int64_t last = row.axis.recorded.back();
    const bool isBeyond = size > last;
    row.hint->setColor(isBeyond ? Role::Warn : Role::Muted);
    row.hint->setText(isBeyond ? tr("extrapolated: recorded up to %1").arg(last)
                               : hintOf(row.axis));
}

void SizeForm::setSizes(const workspace::Sizes& sizes)
{
    m_sizes = sizes;
    for (const Row& row : m_rows)
        if (!row.box->isBeingEdited())
            show(row);
    m_error->hide();
    m_reset->setVisible(!sizes.empty());
}

void SizeForm::read(std::size_t index, const QString& text)
{
    const Row& row = m_rows[index];
    const std::optional<std::int64_t> size = wholeNumber(text);
    if (size == sizeOf(row.axis)) {
        row.box->setSize(*size); // without separators
        return;
    }
    const base::Result<void> done =
        size ? graph::checkSize(*m_recorded, {row.axis.name, *size})
             : base::failure(base::ErrorKind::Usage, "A size is a whole number, such as 16.");
    if (!done) {
        show(row);
        m_error->setText(fileText(done.error().message));
        m_error->show();
        return;
    }
    m_error->hide();
    Q_EMIT sizesChosen(workspace::withSize(m_sizes, row.axis, *size));
}

} // namespace plimsoll::ui
