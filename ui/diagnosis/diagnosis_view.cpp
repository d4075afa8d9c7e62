// SPDX-License-Identifier: Apache-2.0
#include "ui/diagnosis/diagnosis_view.h"

#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/diagnosis/diagnosis_texts.h"

#include <QLabel>

#include <algorithm>

namespace plimsoll::ui {

DiagnosisView::DiagnosisView(QWidget* parent) : QScrollArea{parent}
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Diagnosis"));
    begin();
}

void DiagnosisView::begin()
{
    auto* page = new QWidget; // the old one is deleted by the area
    page->setProperty("ground", QStringLiteral("panel"));
    m_column = makeColumn(page, 6, {12, 10, 12, 10});
    setWidget(page);
    m_headline.clear();
    m_facts.clear();
    m_remedies.clear();
}

void DiagnosisView::addText(const QString& text, bool isMuted)
{
    auto* label = new QLabel{text};
    label->setTextFormat(Qt::PlainText);
    label->setWordWrap(true);
    label->setProperty("muted", isMuted);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_column->addWidget(label);
}

void DiagnosisView::showText(const QString& sentence)
{
    begin();
    m_headline = sentence;
    addText(sentence, true);
    m_column->addStretch(1);
}

void DiagnosisView::addFacts(const doctor::Diagnosis& diagnosis)
{
    auto* facts = new QWidget;
    QFormLayout* form = makeForm(facts, 10, 3);
    m_facts = factsOf(diagnosis);
    for (const auto& [title, value] : m_facts)
        form->addRow(new TextLabel{title, TextRole::Body, Role::Muted},
                     new TextLabel{value, TextRole::Body, Role::Text});
    m_column->addWidget(facts);
}

void DiagnosisView::addRemedies(const doctor::Diagnosis& diagnosis)
{
    m_column->addSpacing(Theme::current().px(6));
    m_column->addWidget(new TextLabel{diagnosis.remedies.empty()
                                          ? tr("Nothing is known that would help.")
                                          : tr("What would help"),
                                      TextRole::Strong});
    for (const doctor::Remedy& remedy : diagnosis.remedies) {
        const QString saving = savingOf(remedy);
        const QString head =
            saving.isEmpty() ? QString{} : tr("%1 · %2").arg(saving, knownText(remedy.known));
        if (!head.isEmpty())
            m_column->addWidget(new TextLabel{head, TextRole::SmallStrong,
                                              remedy.suffices ? Role::Ok : Role::Muted});
        const QString text = fileText(remedy.text);
        addText(text, false);
        m_remedies << (head.isEmpty() ? text : head + u'\n' + text);
    }
    if (diagnosis.replay)
        addText(replayText(*diagnosis.replay), true);
}

void DiagnosisView::show(const doctor::Diagnosis& diagnosis, const QString& when)
{
    begin();
    m_headline = headlineOf(diagnosis, when);
    auto* head = new QLabel{m_headline};
    head->setFont(Theme::current().font(TextRole::Lead));
    head->setWordWrap(true);
    m_column->addWidget(head);
    addFacts(diagnosis);
    addRemedies(diagnosis);
    m_column->addStretch(1);
}

QString DiagnosisView::value(const QString& title) const
{
    const auto at = std::ranges::find(m_facts, title, &std::pair<QString, QString>::first);
    return at == m_facts.end() ? QString{} : at->second;
}

} // namespace plimsoll::ui
