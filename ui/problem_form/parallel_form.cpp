// SPDX-License-Identifier: Apache-2.0
#include "ui/problem_form/parallel_form.h"

#include "core/base/format.h"
#include "core/parallel/rank_program.h"
#include "ui/base/help_context.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>

#include <array>
#include <utility>

namespace plimsoll::ui {

namespace {

/// For example "100GB/s", as the field accepts it.
QString busRateText(double perSecond)
{
    constexpr double kGiga = 1e9;
    return QString::number(perSecond / kGiga, 'g', QLocale::FloatingPointShortest)
           + QStringLiteral("GB/s");
}

QString bucketText(const std::optional<base::Bytes>& bucket)
{
    if (!bucket)
        return {};
    return bucket->count() % base::kMiB == 0
               ? QString::number(bucket->count() / base::kMiB) + QStringLiteral("MiB")
               : QString::number(bucket->count());
}

/// For example "5us".
QString latencyText(base::Nanoseconds time)
{
    constexpr std::int64_t kMicro = 1000;
    return time.count() % kMicro == 0
               ? QString::number(time.count() / kMicro) + QStringLiteral("us")
               : QString::number(time.count()) + QStringLiteral("ns");
}

} // namespace

ParallelForm::ParallelForm(QWidget* parent)
    : QWidget{parent}, m_fields{new QWidget{this}}, m_error{makeErrorLabel(this)}
{
    setManualPage(*this, QStringLiteral("data-parallel.md"));
    const Theme& theme = Theme::current();
    auto* column = makeColumn(this, 2);
    m_isOn = new QCheckBox{tr("Data parallel (DDP)"), this};
    m_isOn->setToolTip(
        plainTip(tr("Plan the step of one of several processes under DistributedDataParallel: its "
                    "gradient buckets take memory, reducing them takes time.")));
    m_isOn->setMinimumHeight(theme.rowHeight(20));
    auto* head = new QFormLayout;
    head->setHorizontalSpacing(theme.px(8));
    auto* blank = new QWidget{this};
    blank->setFixedWidth(theme.px(kFieldLabelWidth)); // in line with the fields
    head->addRow(blank, m_isOn);
    column->addLayout(head);
    auto* form = makeForm(m_fields, 8, 2);
    m_world =
        addEdit(*form, tr("World"), tr("How many processes train together, each on its own GPU."));
    m_bucket = addEdit(*form, tr("Bucket"),
                       tr("DDP's bucket_cap_mb, such as 25MiB. If empty, PyTorch's default: 1 MiB "
                          "for the first and 25 MiB for the others."));
    m_bucket->setPlaceholderText(tr("PyTorch's default"));
    m_bandwidth = addEdit(*form, tr("Bus"),
                          tr("Bytes per second that a ring of the GPUs moves over each link, such "
                             "as 100GB/s. If empty, the GPU's link."));
    m_latency =
        addEdit(*form, tr("Latency"), tr("Latency of one hop of a collective, such as 5us."));
    m_views = addSwitch(*form, tr("Gradients in buckets"),
                        tr("gradient_as_bucket_view: gradients have no copy of their own beside "
                           "the buckets."));
    m_manual = addSwitch(*form, tr("Reduce manually"),
                         tr("plimsoll.ddp reduces each gradient after backward: nothing overlaps, "
                            "and DDP's hooks aren't used."));
    m_zero = new QComboBox{m_fields};
    m_zero->addItems(
        {tr("Off"), tr("1: optimizer's state"), tr("2: gradients, too"), tr("3: parameters, too")});
    addField(*form, tr("ZeRO"), m_zero,
             tr("What the processes shard. 1: ZeroRedundancyOptimizer. 2: "
                "fully_shard(reshard_after_forward=False). 3: fully_shard(), which gathers the "
                "parameters of a block when it needs them. From 2 on there are no buckets: each "
                "block is reduced as one."));
    connect(m_zero, &QComboBox::activated, this, &ParallelForm::choose);
    column->addWidget(m_fields);
    column->addWidget(m_error);
    for (TextLabel*& line : m_spent) {
        line = new TextLabel{{}, TextRole::Small, Role::Muted, this};
        line->setSteady();
        column->addWidget(line);
    }
    connect(m_isOn, &QCheckBox::clicked, this, &ParallelForm::choose);
    setSetting({}, {});
    hide();
}

QLineEdit* ParallelForm::addEdit(QFormLayout& form, const QString& title, const QString& tip)
{
    auto* edit = new QLineEdit{m_fields};
    addField(form, title, edit, tip);
    connect(edit, &QLineEdit::editingFinished, this, &ParallelForm::choose);
    return edit;
}

QCheckBox* ParallelForm::addSwitch(QFormLayout& form, const QString& title, const QString& tip)
{
    auto* box = new QCheckBox{title, m_fields};
    box->setToolTip(plainTip(tip));
    box->setMinimumHeight(Theme::current().rowHeight(20));
    form.addRow(QString{}, box);
    connect(box, &QCheckBox::clicked, this, &ParallelForm::choose);
    return box;
}

void ParallelForm::setRecorded(const graph::Program& recorded)
{
    plan::DataParallel setting;
    setVisible(plan::canRunUnder(recorded, setting).has_value());
    setting.zero = 1;
    m_zero->setEnabled(plan::canRunUnder(recorded, setting).has_value());
}

void ParallelForm::setSetting(const Setting& setting, const plan::Device& device)
{
    m_setting = setting;
    m_device = device;
    m_error->hide();
    fillIn();
}

void ParallelForm::fillIn()
{
    m_isOn->setChecked(m_setting.has_value());
    m_fields->setVisible(m_setting.has_value());
    for (TextLabel* line : m_spent)
        line->setVisible(m_setting.has_value());
    if (!m_setting)
        return;
    m_world->setText(QString::number(m_setting->world));
    m_bucket->setText(bucketText(m_setting->bucket));
    m_bandwidth->setText(busRateText(m_setting->busBandwidth));
    m_latency->setText(latencyText(m_setting->latency));
    m_views->setChecked(m_setting->views);
    m_manual->setChecked(m_setting->manual);
    m_zero->setCurrentIndex(static_cast<int>(m_setting->zero));
    for (QWidget* ofDdp : {static_cast<QWidget*>(m_bucket), static_cast<QWidget*>(m_views),
                           static_cast<QWidget*>(m_manual)})
        ofDdp->setEnabled(!m_setting->isSharded());
}

/// The fields' values in the syntax of the command line.
std::string ParallelForm::line() const
{
    if (!m_setting)
        return "world=8";
    QString text = QStringLiteral("world=") + m_world->text();
    const auto add = [&text](const char* key, const QLineEdit& edit) {
        if (const QString value = edit.text().trimmed(); !value.isEmpty())
            text += u',' + QString::fromUtf8(key) + u'=' + value;
    };
    add("busbw", *m_bandwidth);
    add("latency", *m_latency);
    const int zero = m_zero->currentIndex();
    if (zero > 0)
        text += QStringLiteral(",zero=%1").arg(zero);
    if (zero >= 2) // the other options belong to DDP
        return text.toStdString();
    add("bucket", *m_bucket);
    if (m_views->isChecked())
        text += QStringLiteral(",views");
    if (m_manual->isChecked())
        text += QStringLiteral(",manual");
    return text.toStdString();
}

void ParallelForm::choose()
{
    if (!m_isOn->isChecked()) {
        if (m_setting)
            Q_EMIT settingChosen(std::nullopt);
        return;
    }
    const base::Result<plan::DataParallel> setting = plan::parseDataParallel(line(), m_device);
    if (setting) {
        m_error->hide();
        if (m_setting != *setting)
            Q_EMIT settingChosen(*setting);
        else
            fillIn();
        return;
    }
    m_error->setText(sentenceOf(setting.error()));
    m_error->show();
    fillIn();
}

/// Without the command line's example, which doesn't apply here, and with the field's own label.
QString ParallelForm::sentenceOf(const base::Error& error)
{
    const QString mark = QStringLiteral("\": ");
    const QString whole = fileText(error.message);
    const QString sentence = whole.mid(whole.indexOf(mark) + mark.size());
    const std::array<std::pair<QLatin1String, QString>, 4> labels{
        {{QLatin1String{"world"}, tr("World")},
         {QLatin1String{"bucket"}, tr("Bucket")},
         {QLatin1String{"busbw"}, tr("Bus")},
         {QLatin1String{"latency"}, tr("Latency")}}};
    for (const auto& [name, label] : labels)
        if (sentence.startsWith(name))
            return label + sentence.mid(name.size());
    return sentence;
}

void ParallelForm::showSpent(const plan::Evaluation& evaluation)
{
    if (!evaluation.communication) {
        for (TextLabel* line : m_spent)
            line->setText({});
        return;
    }
    const plan::Communication& spent = *evaluation.communication;
    m_spent[0]->setText(tr("Waits %1 for %3, %2 in all")
                            .arg(ui::timeText(spent.exposed + spent.gatherExposed),
                                 ui::timeText(spent.reduce + spent.gather),
                                 QString::fromStdString(base::counted(
                                     spent.reductions.size() + spent.gatherings.size(),
                                     spent.gatherings.empty() ? "reduction" : "collective"))));
    m_spent[1]->setText(
        tr("Copies and synchronization take %1").arg(ui::timeText(spent.sync + spent.copies)));
}

} // namespace plimsoll::ui
