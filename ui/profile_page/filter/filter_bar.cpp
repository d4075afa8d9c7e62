// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/filter/filter_bar.h"

#include "ui/base/icons.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/filter/filter_chip.h"
#include "ui/profile_page/filter/filter_suggestions.h"

#include <QCompleter>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QStringListModel>

#include <algorithm>

namespace plimsoll::ui {

using memtrace::FilterField;

namespace {

FilterField fieldAt(int index)
{
    return static_cast<FilterField>(index);
}

QPushButton* makeLink(const QString& text, QWidget* parent)
{
    auto* button = new QPushButton{text, parent};
    button->setProperty("link", true);
    button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    return button;
}

} // namespace

FilterBar::FilterBar(QWidget* parent) : QWidget{parent}
{
    setProperty("ground", QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    m_row = makeRow(this, 8, {10, 4, 12, 4});
    m_chipRow = makeRow(nullptr, 6);
    m_row->addLayout(m_chipRow);
    m_add = makeLink(tr("Add filter"), this);
    m_add->setIcon(icon(QStringLiteral("filter"), Role::Accent));
    auto* menu = new QMenu{m_add};
    m_field = new QComboBox{this};
    m_field->setAccessibleName(tr("What to filter by"));
    for (int i = 0; i < static_cast<int>(memtrace::kFilterFieldCount); ++i) {
        m_field->addItem(fieldTitle(fieldAt(i)));
        connect(menu->addAction(fieldTitle(fieldAt(i))), &QAction::triggered, this,
                [this, i] { add(fieldAt(i)); });
    }
    m_add->setMenu(menu);
    m_value = new QLineEdit{this};
    m_value->setAccessibleName(tr("Value of the filter"));
    m_value->setCompleter(new QCompleter{new QStringListModel{this}, this});
    m_value->completer()->setCaseSensitivity(Qt::CaseInsensitive);
    m_value->completer()->setFilterMode(Qt::MatchContains);
    m_value->setMinimumWidth(Theme::current().px(150));
    m_count = new TextLabel{QString{}, TextRole::Small, Role::Muted, this};
    m_count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_reset = makeLink(tr("Reset"), this);
    m_row->addWidget(m_field);
    m_row->addWidget(m_value, 1);
    m_row->addWidget(m_add);
    m_row->addWidget(m_count, 1);
    m_row->addWidget(m_reset);
    m_field->installEventFilter(this);
    m_value->installEventFilter(this);
    connect(m_field, &QComboBox::currentIndexChanged, this, &FilterBar::suggest);
    connect(m_value, &QLineEdit::returnPressed, this, &FilterBar::accept);
    connect(m_value, &QLineEdit::textEdited, this, &FilterBar::showCount);
    connect(m_reset, &QPushButton::clicked, this, [this] {
        closeField();
        Q_EMIT filterWanted(tr("Reset of the Filter"), {});
    });
    closeField();
}

void FilterBar::show(const memtrace::Filter& filter, const workspace::ProfilePicturePtr& picture)
{
    m_picture = picture;
    if (filter != m_filter || m_chips.size() != filter.size()) {
        m_filter = filter;
        closeField();
        rebuild();
    }
    m_reset->setVisible(!m_filter.empty());
    showCount();
}

void FilterBar::rebuild()
{
    for (FilterChip* chip : m_chips)
        chip->deleteLater(); // one of them may have sent the change
    m_chips.clear();
    for (std::size_t i = 0; i < m_filter.size(); ++i) {
        auto* chip = new FilterChip{m_filter[i], this};
        m_chipRow->addWidget(chip);
        m_chips.push_back(chip);
        connect(chip, &FilterChip::editWanted, this, [this, i] { edit(i); });
        connect(chip, &FilterChip::removeWanted, this, [this, i] {
            memtrace::Filter filter = m_filter;
            filter.erase(filter.begin() + static_cast<std::ptrdiff_t>(i));
            Q_EMIT filterWanted(tr("Removal of a Filter"), filter);
        });
    }
}

void FilterBar::add(FilterField field)
{
    m_edited.reset();
    m_field->setCurrentIndex(static_cast<int>(field));
    m_value->clear();
    suggest();
    m_field->show();
    m_value->show();
    m_add->hide();
    m_value->setFocus();
    m_value->completer()->setCompletionPrefix({});
    showCount();
}

void FilterBar::edit(std::size_t term)
{
    if (term >= m_filter.size())
        return;
    add(m_filter[term].field);
    m_edited = term;
    m_value->setText(QString::fromStdString(m_filter[term].value));
    m_value->selectAll();
    showCount();
}

void FilterBar::suggest()
{
    m_value->setPlaceholderText(fieldExample(fieldAt(m_field->currentIndex())));
    if (auto* suggestions = qobject_cast<QStringListModel*>(m_value->completer()->model());
        suggestions != nullptr && m_picture)
        suggestions->setStringList(fieldSuggestions(*m_picture, fieldAt(m_field->currentIndex())));
    showCount();
}

void FilterBar::accept()
{
    const memtrace::FilterTerm term{fieldAt(m_field->currentIndex()),
                                    m_value->text().trimmed().toStdString()};
    if (!memtrace::checkTerm(term)) {
        showCount();
        return;
    }
    memtrace::Filter filter = m_filter;
    if (m_edited)
        filter[*m_edited] = term;
    else
        filter.push_back(term);
    const QString name = m_edited ? tr("Change of a Filter") : tr("Addition of a Filter");
    closeField();
    Q_EMIT filterWanted(name, filter);
}

void FilterBar::closeField()
{
    const bool hadFocus = m_value->hasFocus() || m_field->hasFocus();
    m_edited.reset();
    m_field->hide();
    m_value->hide();
    m_add->show();
    if (hadFocus)
        m_add->setFocus();
    showCount();
}

bool FilterBar::goBack()
{
    if (!m_value->isHidden()) {
        closeField();
        return true;
    }
    if (m_filter.empty())
        return false;
    Q_EMIT filterWanted(tr("Reset of the Filter"), {});
    return true;
}

QString FilterBar::text() const
{
    return m_count->text();
}

void FilterBar::showCount()
{
    m_value->setProperty("fault", false);
    if (!m_value->isHidden() && !m_value->text().trimmed().isEmpty()) {
        const memtrace::FilterTerm term{fieldAt(m_field->currentIndex()),
                                        m_value->text().trimmed().toStdString()};
        if (const auto checked = memtrace::checkTerm(term); !checked) {
            m_count->setColor(Role::Danger);
            m_count->setText(QString::fromStdString(checked.error().message));
            return;
        }
    }
    m_count->setColor(Role::Muted);
    if (m_picture && m_picture->settings.filter != m_filter) {
        m_count->setText(tr("Filtering…"));
        return;
    }
    if (!m_picture || !m_picture->isFiltered()) {
        m_count->setText({});
        return;
    }
    const std::size_t count = m_picture->facts.matches.count;
    const std::size_t all = m_picture->device().allocations().size();
    if (count == 0) {
        m_count->setText(tr("0 of %1 allocations match").arg(countText(all)));
        return;
    }
    m_count->setText(tr("%1 of %2 allocations · %3 of %4 at the peak")
                         .arg(countText(count), countText(all),
                              bytesText(m_picture->matchingAtPeak),
                              bytesText(m_picture->timeline->peak())));
}

bool FilterBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride) {
        const auto& key = *static_cast<QKeyEvent*>(event);
        if (key.key() == Qt::Key_Escape) {
            if (event->type() == QEvent::KeyPress)
                closeField();
            event->accept(); // and not a step back of the page
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace plimsoll::ui
