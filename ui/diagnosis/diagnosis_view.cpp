// SPDX-License-Identifier: Apache-2.0
#include "ui/diagnosis/diagnosis_view.h"

#include "ui/base/texts.h"
#include "ui/base/theme.h"

#include <QMimeData>
#include <QRegularExpression>
#include <QScrollBar>
#include <QTextDocumentFragment>
#include <QUrl>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr QChar kBreakMark{0x200b}; // zero-width space

/// Long settings and paths may be broken behind their parts: "expandable_segments:" and "True".
/// DiagnosisView::createMimeDataFromSelection() takes the marks out again.
QString breakable(const QString& text)
{
    static const QRegularExpression kPart{QStringLiteral("(?<=\\w[=:,])(?=\\w)")};
    return QString{text}.replace(kPart, QString{kBreakMark});
}

QString spanOf(Role role, const QString& text)
{
    return QStringLiteral("<span style=\"color:%1\">%2</span>")
        .arg(Theme::current().color(role).name(), breakable(text).toHtmlEscaped());
}

QString linkOf(const QString& target, const QString& text)
{
    return QStringLiteral("<a href=\"%1\" style=\"color:%2\">%3</a>")
        .arg(target, Theme::current().color(Role::Accent).name(), breakable(text).toHtmlEscaped());
}

QString paragraph(const QString& html, int above)
{
    return QStringLiteral("<p style=\"margin-top:%1px;margin-bottom:0px\">%2</p>")
        .arg(Theme::current().px(above))
        .arg(html);
}

QString tableOf(const TitledValues& values)
{
    QString rows;
    for (const auto& [title, value] : values)
        rows += QStringLiteral("<tr><td style=\"padding-right:%1px\">%2</td><td>%3</td></tr>")
                    .arg(Theme::current().px(14))
                    .arg(spanOf(Role::Muted, title), breakable(value).toHtmlEscaped());
    return QStringLiteral("<table cellspacing=\"0\" cellpadding=\"1\">") + rows
           + QStringLiteral("</table>");
}

QString titleOf(const QString& text)
{
    return paragraph(QStringLiteral("<b>%1</b>").arg(breakable(text).toHtmlEscaped()), 12);
}

QString liveHtml(const QString& title, const std::optional<memtrace::LiveGroups>& live,
                 memtrace::LiveBy by)
{
    return live && !live->groups.empty() ? titleOf(title) + tableOf(liveRowsOf(*live, by))
                                         : QString{};
}

} // namespace

DiagnosisView::DiagnosisView(QWidget* parent) : QTextBrowser{parent}
{
    setFrameShape(QFrame::NoFrame);
    setOpenLinks(false);
    setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere); // settings are long words
    setAccessibleName(tr("Diagnosis"));
    document()->setDocumentMargin(Theme::current().px(10));
    connect(&Theme::current(), &Theme::changed, this, &DiagnosisView::render);
    connect(this, &QTextBrowser::anchorClicked, this, [this](const QUrl& link) {
        if (link.fragment() == QStringLiteral("plan"))
            Q_EMIT planWanted();
        else
            Q_EMIT momentWanted();
    });
}

void DiagnosisView::showText(const QString& sentence)
{
    m_diagnosis.reset();
    m_headline = sentence;
    m_facts.clear();
    m_remedies.clear();
    render();
}

void DiagnosisView::show(const doctor::Diagnosis& diagnosis, const QString& when)
{
    m_diagnosis = diagnosis;
    m_headline = headlineOf(diagnosis, when);
    m_when = when;
    m_facts = factsOf(diagnosis);
    render();
    verticalScrollBar()->setValue(0);
}

QString DiagnosisView::headlineHtml() const
{
    QString html = m_headline.toHtmlEscaped();
    if (!m_when.isEmpty())
        html.replace(m_when.toHtmlEscaped(), linkOf(QStringLiteral("#moment"), m_when));
    return html;
}

QString DiagnosisView::replayHtml() const
{
    if (!m_diagnosis->replay)
        return {};
    const TitledValues rows = settingsRowsOf(*m_diagnosis->replay);
    QString html;
    if (!rows.empty())
        html = titleOf(m_diagnosis->isFailure
                           ? tr("Reserved with other settings, the failed allocation included")
                           : tr("Most reserved with other settings"))
               + tableOf(rows);
    return html + paragraph(spanOf(Role::Muted, replayText(*m_diagnosis->replay)), 8);
}

QString DiagnosisView::remediesHtml()
{
    QString html = titleOf(m_diagnosis->remedies.empty() ? tr("Nothing is known that would help.")
                                                         : tr("What would help"));
    m_remedies.clear();
    if (m_diagnosis->isStepUnknown())
        html += paragraph(
            QString::fromUtf8(doctor::kFailsInForward.data(), doctor::kFailsInForward.size())
                .toHtmlEscaped(),
            4);
    for (const doctor::Remedy& remedy : m_diagnosis->remedies) {
        const QString saving = savingOf(*m_diagnosis, remedy);
        const QString head =
            saving.isEmpty() ? QString{} : tr("%1 · %2").arg(saving, knownText(remedy.known));
        const QString text = fileText(remedy.text);
        if (!head.isEmpty())
            html += paragraph(
                QStringLiteral("<b>")
                    + spanOf(remedy.enough != doctor::Enough::NotKnown ? Role::Ok : Role::Muted,
                             head)
                    + QStringLiteral("</b>"),
                9);
        html += paragraph(breakable(text).toHtmlEscaped(), head.isEmpty() ? 9 : 1);
        if (m_offersPlan && remedy.known == doctor::HowKnown::Plan && remedy.saves)
            html += paragraph(linkOf(QStringLiteral("#plan"), tr("Open the plan")), 1);
        m_remedies << (head.isEmpty() ? text : head + u'\n' + text);
    }
    return html;
}

void DiagnosisView::render()
{
    const Theme& theme = Theme::current();
    document()->setDefaultFont(theme.font(TextRole::Body));
    if (!m_diagnosis) {
        setHtml(spanOf(Role::Muted, m_headline));
        return;
    }
    QString html = QStringLiteral("<p style=\"margin-bottom:%1px\"><b>%2</b></p>")
                       .arg(theme.px(6))
                       .arg(headlineHtml());
    html += tableOf(m_facts);
    for (const std::string& note : m_diagnosis->notes)
        html += paragraph(spanOf(Role::Muted, fileText(note)), 6);
    html += remediesHtml();
    html += liveHtml(tr("Live, by class"), m_diagnosis->byClass, memtrace::LiveBy::Class)
            + liveHtml(tr("Live, by frame"), m_diagnosis->byFrame, memtrace::LiveBy::Frame);
    setHtml(html + replayHtml());
}

QMimeData* DiagnosisView::createMimeDataFromSelection() const
{
    auto* copied = new QMimeData;
    copied->setText(textCursor().selection().toPlainText().remove(kBreakMark));
    return copied;
}

QString DiagnosisView::value(const QString& title) const
{
    const auto at = std::ranges::find(m_facts, title, &std::pair<QString, QString>::first);
    return at == m_facts.end() ? QString{} : at->second;
}

} // namespace plimsoll::ui
