// SPDX-License-Identifier: Apache-2.0
#include "ui/problem_form/device_dialog.h"

#include "core/device/device_spec.h"
#include "ui/base/help_context.h"
#include "ui/base/theme.h"
#include "ui/base/widgets.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>

namespace plimsoll::ui {

namespace {

constexpr int kWidth = 420;
constexpr int kUnitWidth = 40;
constexpr int kDigits = 6;

/// For example "82.6T", as the fields accept it.
QString rateText(double perSecond)
{
    if (perSecond == 0)
        return QStringLiteral("0");
    constexpr double kTera = 1e12;
    constexpr double kGiga = 1e9;
    return perSecond >= kTera ? QString::number(perSecond / kTera, 'g', kDigits) + u'T'
                              : QString::number(perSecond / kGiga, 'g', kDigits) + u'G';
}

double rateOf(const plan::Device& device, const char* dtype)
{
    const auto rate = device.flops.find(dtype);
    return rate == device.flops.end() ? 0 : rate->second;
}

} // namespace

DeviceDialog::DeviceDialog(const plan::Device& like, QWidget* parent) : QDialog{parent}
{
    setManualPage(*this, QStringLiteral("formats.md#device-table"));
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowTitle(tr("Other GPU"));
    const Theme& theme = Theme::current();
    auto* column = makeColumn(this, 12, {16, 16, 16, 16});
    auto* form = makeForm(nullptr, 12, 6);
    column->addLayout(form);
    addFields(*form, like);
    m_error = makeErrorLabel(this);
    QSizePolicy policy = m_error->sizePolicy();
    policy.setRetainSizeWhenHidden(true); // the dialog keeps its size
    m_error->setSizePolicy(policy);
    column->addWidget(m_error);
    auto* buttons = new QDialogButtonBox{QDialogButtonBox::Cancel, this};
    m_use = buttons->addButton(tr("Use this GPU"), QDialogButtonBox::AcceptRole);
    for (QPushButton* button : buttons->findChildren<QPushButton*>())
        button->setIcon({});
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        if (const base::Result<plan::Device> made = device()) {
            Q_EMIT chosen(*made);
            accept();
        }
    });
    column->addWidget(buttons);
    setMinimumWidth(theme.px(kWidth));
    readFields();
    m_fields.front().edit->selectAll();
}

void DeviceDialog::addFields(QFormLayout& form, const plan::Device& like)
{
    const QString rate = tr("FLOP/s");
    const QString flow = tr("B/s");
    const QString dense = tr("Peak dense FLOP per second. If empty, as FP32.");
    const auto flops = [&like](const char* dtype) { return rateText(rateOf(like, dtype)); };
    const auto add = [&](const char* key, const QString& title, const QString& unit,
                         const QString& sentence, const QString& text) {
        auto* edit = new QLineEdit{text, this};
        edit->setAccessibleName(title);
        edit->setAccessibleDescription(sentence);
        edit->setToolTip(sentence);
        connect(edit, &QLineEdit::textChanged, this, &DeviceDialog::readFields);
        auto* row = new QHBoxLayout;
        row->addWidget(edit);
        auto* unitLabel = new TextLabel{unit, TextRole::Small, Role::Faint, this};
        unitLabel->setFixedWidth(Theme::current().px(kUnitWidth));
        row->addWidget(unitLabel);
        form.addRow(new TextLabel{title, TextRole::Body, Role::Muted, this}, row);
        m_fields.push_back({key, title, edit});
    };
    add("name", tr("Name"), {}, tr("The name shown in lists."), tr("My GPU"));
    add("memory", tr("Memory"), {}, tr("As reported by the driver, such as 24GiB or 24564MiB."),
        QString::number(like.memory.count() >> 20U) + QStringLiteral("MiB"));
    add("bandwidth", tr("Bandwidth"), flow,
        tr("Memory bandwidth in bytes per second, such as 1008G."), rateText(like.bandwidth));
    add("float32", tr("FP32"), rate, tr("Peak FLOP per second, such as 82.6T."), flops("float32"));
    add("bfloat16", tr("BF16"), rate, dense, flops("bfloat16"));
    add("float16", tr("FP16"), rate, dense, flops("float16"));
    add("float64", tr("FP64"), rate, tr("Peak FLOP per second. If empty, as FP32."),
        flops("float64"));
    add("host", tr("Host link"), flow,
        tr("Bytes per second to or from the host. If empty, 16G, as PCI Express 3.0 x16."),
        rateText(like.hostLink));
    add("link", tr("GPU link"), flow,
        tr("Bytes per second to another GPU. If 0 or empty, transfers go through the host."),
        rateText(like.deviceLink));
    add("latency", tr("Latency"), tr("ns"),
        tr("Nanoseconds between two kernels of an eager program. If empty, 4000."),
        QString::number(like.launchLatency.count()));
    add("workspace", tr("Workspace"), {},
        tr("Of each thread that calls cuBLAS, such as 32MiB. If empty, 8320KiB."),
        QString::number(like.cublasWorkspace.count() >> 10U) + QStringLiteral("KiB"));
}

/// The error message without the command line's example, and with the field's own label.
QString DeviceDialog::sentenceOf(const base::Error& error) const
{
    const std::string& message = error.message;
    const std::size_t colon = message.find("\": ");
    QString sentence =
        QString::fromStdString(colon == std::string::npos ? message : message.substr(colon + 3));
    for (const Field& field : m_fields)
        if (const QString key = QString::fromLatin1(field.key) + u' '; sentence.startsWith(key))
            return field.title + u' ' + sentence.mid(key.size());
    return sentence;
}

base::Result<plan::Device> DeviceDialog::device() const
{
    std::string line;
    for (const Field& field : m_fields) {
        const QString text = field.edit->text().trimmed();
        if (text.contains(u',') || text.contains(u'='))
            return base::failure(base::ErrorKind::Usage,
                                 "Commas and equals signs can't be part of a value.");
        if (!text.isEmpty())
            line += (line.empty() ? "" : ",") + std::string{field.key} + "=" + text.toStdString();
    }
    return plan::parseDeviceSpec(line);
}

void DeviceDialog::readFields()
{
    if (m_error == nullptr) // still constructing the fields
        return;
    const base::Result<plan::Device> made = device();
    m_error->setText(made ? QString{} : sentenceOf(made.error()));
    m_error->setVisible(!made);
    m_use->setEnabled(made.has_value());
}

} // namespace plimsoll::ui
