// SPDX-License-Identifier: Apache-2.0
#include "ui/plan_tables/pin_page.h"

#include "ui/base/help_context.h"
#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QToolButton>

#include <initializer_list>
#include <set>
#include <utility>

namespace plimsoll::ui {

namespace {

constexpr std::string_view kKeep = "keep:";
constexpr std::string_view kRecompute = "recompute:";
constexpr int kMeaningWidth = 150;
constexpr int kPriceWidth = 120;

QString meaningOf(const std::string& pin, const graph::Program& program)
{
    const base::Result<plan::Pin> resolved = plan::resolvePin(pin, program);
    if (!resolved)
        return unknownText();
    base::Bytes bytes;
    for (const graph::StorageId storage : resolved->storages)
        bytes += program.storage(storage).bytes;
    const QString count = countText(resolved->storages.size());
    return (resolved->storages.size() == 1 ? PinPage::tr("%1 value, %2")
                                           : PinPage::tr("%1 values, %2"))
        .arg(count, ui::bytesText(bytes));
}

QString priceText(const workspace::PinPrice& price)
{
    if (price.isWhy)
        return PinPage::tr("no plan fits with it");
    if (!price.price)
        return unknownText();
    return price.price->count() == 0 ? PinPage::tr("costs nothing")
                                     : PinPage::tr("costs %1").arg(ui::timeText(*price.price));
}

void lookLike(QToolButton& button, const QString& picture, const QString& name)
{
    button.setIcon(icon(picture));
    button.setToolTip(name);
    button.setAccessibleName(name);
}

} // namespace

PinPage::PinPage(QWidget* parent) : QWidget{parent}, m_error{makeErrorLabel(this)}
{
    setManualPage(*this, QStringLiteral("window.md#pins"));
    auto* column = makeColumn(this);
    auto* area = new QScrollArea{this};
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setFocusPolicy(Qt::NoFocus);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* content = new QWidget;
    area->setWidget(content);
    content->setAutoFillBackground(false); // show the area's own background, as on the other pages
    column->addWidget(area);
    m_list = makeColumn(content, 6, {12, 8, 12, 8});
    m_list->addWidget(new TextLabel{
        tr("What every plan keeps or recomputes, by module, op or tensor; * matches anything."),
        TextRole::Small, Role::Muted, this});
    m_new = makePinRow();
    m_new.glob->setPlaceholderText(
        QStringLiteral("h.*.mlp, aten.gelu.default, h.0:aten.add.Tensor"));
    m_new.glob->setAccessibleName(tr("Another pin: module, op or tensor"));
    lookLike(*m_new.remove, QStringLiteral("plus"), tr("Pin"));
    m_list->addWidget(m_new.widget);
    m_list->addWidget(m_error);
    m_list->addStretch(1);
    connect(m_new.glob, &QLineEdit::returnPressed, this, &PinPage::readNew);
    connect(m_new.remove, &QToolButton::clicked, this, &PinPage::readNew);
}

PinPage::Row PinPage::makePinRow()
{
    Row row;
    row.widget = new QWidget{this};
    auto* line = makeRow(row.widget, 8);
    row.kind = new QComboBox{row.widget};
    row.kind->addItem(icon(QStringLiteral("keep")), tr("always keep"),
                      QString::fromUtf8(kKeep.data()));
    row.kind->addItem(icon(QStringLiteral("recompute")), tr("always recompute"),
                      QString::fromUtf8(kRecompute.data()));
    row.kind->setAccessibleName(tr("Keep or recompute"));
    row.glob = new QLineEdit{row.widget};
    row.glob->setAccessibleName(tr("Module, op or tensor"));
    row.kind->setAccessibleDescription(tr("Whether plans keep or recompute these values."));
    row.glob->setAccessibleDescription(tr("The values to pin: a module's path, an op's target, "
                                          "both joined by a colon, or a tensor's name."));
    row.meaning = new TextLabel{{}, TextRole::Small, Role::Muted, row.widget};
    row.meaning->setSteady(kMeaningWidth);
    row.price = new TextLabel{{}, TextRole::SmallMedium, Role::Muted, row.widget};
    row.price->setSteady(kPriceWidth);
    row.remove = new QToolButton{row.widget};
    lookLike(*row.remove, QStringLiteral("close"), tr("Remove pin"));
    for (QWidget* part :
         std::initializer_list<QWidget*>{row.kind, row.glob, row.meaning, row.price, row.remove})
        line->addWidget(part, part == row.glob ? 1 : 0);
    return row;
}

void PinPage::fillIn(const Row& row, const std::string& pin)
{
    const bool isKeep = pin.starts_with(kKeep);
    row.kind->setCurrentIndex(isKeep ? 0 : 1);
    row.glob->setText(QString::fromStdString(pin.substr((isKeep ? kKeep : kRecompute).size())));
}

std::string PinPage::textOf(const Row& row)
{
    return row.kind->currentData().toString().toStdString()
           + row.glob->text().trimmed().toStdString();
}

void PinPage::setProgram(const graph::ProgramPtr& program)
{
    if (std::exchange(m_program, program) != program)
        refresh();
}

void PinPage::setPins(const std::vector<std::string>& pins)
{
    if (pins == m_pins && m_rows.size() == pins.size())
        return;
    m_pins = pins;
    m_prices.clear();
    m_error->hide();
    buildRows();
    refresh();
}

void PinPage::buildRows()
{
    for (const Row& row : m_rows) {
        row.widget->disconnect(this);
        row.glob->disconnect(this); // a field being deleted may still emit editingFinished
        row.widget->hide();
        row.widget->deleteLater(); // its button may be the one being clicked
    }
    m_rows.clear();
    for (std::size_t i = 0; i < m_pins.size(); ++i) {
        Row row = makePinRow();
        fillIn(row, m_pins[i]);
        m_list->insertWidget(static_cast<int>(i) + 1, row.widget);
        connect(row.kind, &QComboBox::activated, this, [this, i] { readRow(i); });
        connect(row.glob, &QLineEdit::editingFinished, this, [this, i] { readRow(i); });
        connect(row.remove, &QToolButton::clicked, this, [this, i] {
            std::vector<std::string> others = m_pins;
            others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
            choose(others);
        });
        m_rows.push_back(row);
    }
}

void PinPage::readRow(std::size_t row)
{
    std::vector<std::string> pins = m_pins;
    pins[row] = textOf(m_rows[row]);
    if (pins == m_pins)
        m_error->hide();
    else if (check(pins))
        choose(pins);
}

void PinPage::readNew()
{
    if (m_new.glob->text().trimmed().isEmpty())
        return;
    std::vector<std::string> pins = m_pins;
    pins.push_back(textOf(m_new));
    if (!check(pins))
        return;
    m_new.glob->clear();
    choose(pins);
}

void PinPage::add(const QString& pin)
{
    fillIn(m_new, pin.toStdString());
    readNew();
}

bool PinPage::check(const std::vector<std::string>& pins)
{
    if (!m_program)
        return false;
    QString sentence;
    if (std::set<std::string>{pins.begin(), pins.end()}.size() < pins.size())
        sentence = tr("This is already pinned.");
    if (sentence.isEmpty())
        if (const auto resolved = plan::resolvePins(pins, *m_program); !resolved)
            sentence = QString::fromStdString(resolved.error().message);
    m_error->setText(sentence);
    m_error->setVisible(!sentence.isEmpty());
    return sentence.isEmpty();
}

void PinPage::choose(const std::vector<std::string>& pins)
{
    setPins(pins);
    Q_EMIT pinsChosen(pins);
}

void PinPage::setPrices(const std::vector<workspace::PinPrice>& prices)
{
    if (std::exchange(m_prices, prices) != prices)
        refresh();
}

void PinPage::refresh()
{
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        const bool isKnown = m_prices.size() == m_rows.size();
        m_rows[i].meaning->setText(m_program ? meaningOf(m_pins[i], *m_program) : QString{});
        m_rows[i].price->setText(isKnown ? priceText(m_prices[i]) : QStringLiteral("…"));
        m_rows[i].price->setColor(isKnown && m_prices[i].isWhy ? Role::Danger : Role::Muted);
    }
}

} // namespace plimsoll::ui
