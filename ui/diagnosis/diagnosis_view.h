// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/doctor/diagnosis.h"

#include <QScrollArea>

#include <utility>
#include <vector>

class QVBoxLayout;

namespace plimsoll::ui {

/// A diagnosis: what happened, the figures of that moment, and what would help.
class DiagnosisView : public QScrollArea
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
    /// What is said of each remedy, in order.
    [[nodiscard]] const QStringList& remedies() const { return m_remedies; }

private:
    void begin();
    void addText(const QString& text, bool isMuted);
    void addFacts(const doctor::Diagnosis& diagnosis);
    void addRemedies(const doctor::Diagnosis& diagnosis);

    QVBoxLayout* m_column = nullptr;
    QString m_headline;
    std::vector<std::pair<QString, QString>> m_facts;
    QStringList m_remedies;
};

} // namespace plimsoll::ui
