// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"
#include "ui/fits_page/fit_settings.h"

#include <QTimer>
#include <QWidget>

#include <optional>

class QProgressBar;
class QPushButton;
class QTableView;

namespace plimsoll::ui {

class FitsDelegate;
class TextLabel;
class TableModel;

/// A table of the page What Fits, with a button that starts and stops its search. Rows keep their
/// places while they are filled in. Answers for other settings than the current ones stay, dimmed,
/// and the head says which settings they are for. Derived panes define the search and the rows.
class FitsPane : public QWidget
{
    Q_OBJECT

public:
    /// A search for the former settings is stopped.
    void setSettings(const FitSettings& settings);
    /// The row of controls above the table, which the page places.
    [[nodiscard]] QWidget* head() { return m_head; }
    [[nodiscard]] QTableView* table() { return m_table; }
    [[nodiscard]] virtual JobRunnerBase& job() = 0;

protected:
    struct Texts
    {
        QString purpose; ///< one sentence
        QString start;   ///< of the button
        QString name;    ///< of the table
        QString sentence;
        QString take; ///< what can be done with a row
    };
    /// Takes ownership of the model.
    FitsPane(TableModel* model, const Texts& texts, QWidget* parent);
    /// Connects the job. For the derived constructor.
    void followJob();

    /// Starts the search for settings(); it calls ended() on the GUI thread.
    virtual void startSearch() = 0;
    /// Shows the rows that were found since the last call.
    virtual void takeRows() = 0;
    /// Brings the rows up to date with settings(); `isNew`: without answers.
    virtual void updateRows(bool isNew) = 0;
    /// As formerOfDeviceFits().
    [[nodiscard]] virtual QString formerOf(const FitSettings& former,
                                           const FitSettings& now) const = 0;
    [[nodiscard]] virtual QString summary() const = 0;
    /// Why there is nothing to search for; empty: there is.
    [[nodiscard]] virtual QString refusal() const { return {}; }
    /// The user wants what the row shows.
    virtual void takeRow(int row) = 0;

    [[nodiscard]] const FitSettings& settings() const { return *m_settings; }
    void ended(const QString& error);

private:
    void buildHead(const Texts& texts);
    void buildTable(TableModel* model, const Texts& texts);
    void toggle();
    void refresh();
    void sizeButton();
    [[nodiscard]] bool isAsked() const { return m_asked.has_value(); }
    [[nodiscard]] bool isOutdated() const { return !m_former.isEmpty(); }
    [[nodiscard]] QString sentence() const;

    QString m_purpose;
    QString m_start;
    QTableView* m_table = nullptr;
    FitsDelegate* m_delegate = nullptr;
    QWidget* m_head = nullptr;
    TextLabel* m_text = nullptr;
    QPushButton* m_button = nullptr;
    QProgressBar* m_progress = nullptr;
    QTimer m_timer; ///< while searching: shows new rows
    std::optional<FitSettings> m_settings;
    std::optional<FitSettings> m_asked; ///< of the answers that are shown
    QString m_former;                   ///< the settings of these answers, if they are out of date
    QString m_error;                    ///< of the last search; empty: none
    int m_perMille = 0;
};

} // namespace plimsoll::ui
