// SPDX-License-Identifier: Apache-2.0
#include "ui/record/launch_dialog.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/widgets.h"
#include "ui/record/launch_form.h"
#include "ui/record/output_view.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>

#include <chrono>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr QSize kSize{760, 620};

QLabel* makeSentence(QWidget* parent)
{
    auto* label = new QLabel{parent};
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

LaunchDialog::LaunchDialog(std::shared_ptr<Recorder> recorder, Settings& settings,
                           std::function<void(const QString& file)> open, QWidget* parent)
    : QDialog{parent}, m_recorder{std::move(recorder)}
{
    const Theme& theme = Theme::current();
    setWindowTitle(tr("Record a Program"));
    setManualPage(*this, QStringLiteral("profiles.md#recording-a-program"));
    resize(theme.px(kSize.width()), theme.px(kSize.height()));
    auto* column = makeColumn(this, 10, {14, 14, 14, 14});
    m_missing = makeSentence(this);
    m_missing->setText(Recorder::missingPart());
    column->addWidget(m_missing);
    m_form = new LaunchForm{settings, this};
    column->addWidget(m_form);
    m_state = makeSentence(this);
    m_state->setAccessibleName(tr("State of the program"));
    m_output = new OutputView{this};
    column->addWidget(m_state);
    column->addWidget(m_output, 1);
    buildButtons();
    m_second.setInterval(std::chrono::seconds{1});
    connect(&m_second, &QTimer::timeout, this, &LaunchDialog::showState);
    connect(m_form, &LaunchForm::accepted, this, &LaunchDialog::launch);
    connect(m_recorder.get(), &Recorder::outputAdded, m_output, &OutputView::add);
    connect(m_recorder.get(), &Recorder::stateChanged, this, &LaunchDialog::showState);
    connect(m_recorder.get(), &Recorder::found, this, std::move(open));
    showState();
    m_form->setFocus();
}

LaunchDialog::~LaunchDialog()
{
    m_recorder->disconnect(this);
}

void LaunchDialog::buildButtons()
{
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Close, this};
    m_record = new QPushButton{tr("Record"), buttons};
    m_record->setProperty("primary", true);
    buttons->addButton(m_record, QDialogButtonBox::ActionRole);
    m_stop = buttons->addButton(tr("Stop"), QDialogButtonBox::ActionRole);
    for (QPushButton* button : buttons->findChildren<QPushButton*>()) {
        button->setAutoDefault(false);
        button->setIcon({});
    }
    connect(m_record, &QPushButton::clicked, this, &LaunchDialog::launch);
    connect(m_stop, &QPushButton::clicked, m_recorder.get(), &Recorder::stop);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    layout()->addWidget(buttons);
}

void LaunchDialog::launch()
{
    if (m_recorder->isRunning())
        return;
    m_form->hideFaults();
    m_output->startOver();
    if (const std::optional<LaunchFault> fault = m_recorder->start(m_form->spec()))
        m_form->showFault(*fault);
    else
        m_form->remember();
}

QString LaunchDialog::stateText() const
{
    return m_state->text();
}

void LaunchDialog::showState()
{
    const bool isRunning = m_recorder->isRunning();
    m_missing->setVisible(!isRunning && !m_missing->text().isEmpty());
    m_form->setEnabled(!isRunning);
    m_record->setEnabled(!isRunning);
    m_stop->setEnabled(isRunning);
    m_stop->setText(isRunning && m_recorder->isStopping() ? tr("End at once") : tr("Stop"));
    QStringList lines{m_recorder->endSentence()};
    if (isRunning)
        lines = {
            m_recorder->isStopping()
                ? tr("The program is being stopped; it has run for %1.").arg(m_recorder->clock())
                : tr("The program has run for %1.").arg(m_recorder->clock())};
    lines << m_recorder->warnings();
    m_state->setText(lines.join(u'\n'));
    m_state->setVisible(!m_state->text().isEmpty());
    if (isRunning)
        m_second.start();
    else
        m_second.stop();
}

} // namespace plimsoll::ui
