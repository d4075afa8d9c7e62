// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/diagnosis/diagnosis_texts.h"

#include <QTextBrowser>

#include <optional>

namespace plimsoll::ui {

/// A diagnosis: what happened, the figures of that moment, what would help, who holds what is live,
/// and what other settings of the allocator do. Text that can be copied.
class DiagnosisView : public QTextBrowser
{
    Q_OBJECT

public:
    explicit DiagnosisView(QWidget* parent = nullptr);

    /// `when`: "2.21 s"; empty for a message.
    void show(const doctor::Diagnosis& diagnosis, const QString& when);
    /// A sentence in place of a diagnosis.
    void showText(const QString& sentence);
    [[nodiscard]] const QString& headline() const { return m_headline; }
    /// The value beside a title; empty: it isn't shown.
    [[nodiscard]] QString value(const QString& title) const;
    /// Whether a verified plan has a link that asks for it.
    void setOffersPlan(bool offers) { m_offersPlan = offers; }
    /// What is said of each remedy, in order.
    [[nodiscard]] const QStringList& remedies() const { return m_remedies; }

Q_SIGNALS:
    /// The moment in the headline was clicked.
    void momentWanted();
    /// The link of the verified plan was clicked.
    void planWanted();

protected:
    [[nodiscard]] QMimeData* createMimeDataFromSelection() const override;

private:
    void render();
    [[nodiscard]] QString headlineHtml() const;
    [[nodiscard]] QString remediesHtml();
    [[nodiscard]] QString replayHtml() const;

    std::optional<doctor::Diagnosis> m_diagnosis;
    bool m_offersPlan = false;
    QString m_headline;
    QString m_when; ///< in the headline
    TitledValues m_facts;
    QStringList m_remedies;
};

} // namespace plimsoll::ui
