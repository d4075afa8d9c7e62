// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/widgets.h"
#include "ui/fits_page/device_fits_pane.h"
#include "ui/fits_page/fits_page.h"
#include "ui/fits_page/largest_sizes_pane.h"

#include "tests/support/planned_sample.h"
#include "tests/ui/window_fixture.h"

#include <QPushButton>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <algorithm>

namespace plimsoll::tests {

/// A window in which the page What Fits is used as a person does.
class FitsFixture : protected WindowFixture
{
protected:
    static ui::FitsPage& fits(ui::PlannerPage& page) { return viewOf<ui::FitsPage>(page); }
    template <typename Change>
    static void change(ui::PlannerPage& page, const Change& with)
    {
        workspace::Choices choices = page.document().document().choices;
        with(choices);
        page.document().commitChoices(choices);
        QVERIFY(isDone(page));
    }
    /// The button of the table in front.
    static QPushButton& button(ui::PlannerPage& page)
    {
        for (QPushButton* found : fits(page).findChildren<QPushButton*>())
            if (found->isVisible())
                return *found;
        qFatal("The page isn't shown.");
    }
    static QString sentence(ui::PlannerPage& page)
    {
        for (const ui::TextLabel* label : fits(page).findChildren<ui::TextLabel*>())
            if (label->isVisible())
                return label->text();
        return {};
    }
    static bool areIdle(ui::PlannerPage& page)
    {
        return QTest::qWaitFor(
            [&page] { return std::ranges::all_of(fits(page).jobs(), &ui::JobRunnerBase::isIdle); },
            2 * kPatience);
    }
    static void search(ui::PlannerPage& page)
    {
        QTest::mouseClick(&button(page), Qt::LeftButton);
        QVERIFY(areIdle(page));
    }
    static QPoint place(QTableView& table, int row, int column = 0)
    {
        const QModelIndex index = table.model()->index(row, column);
        table.scrollTo(index);
        return table.visualRect(index).center();
    }
    static void doubleClick(QTableView& table, int row)
    {
        const QPoint at = place(table, row);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, at);
        QTest::mouseDClick(table.viewport(), Qt::LeftButton, {}, at);
    }
    /// Shows the page, with one of its tables in front.
    static void show(ui::PlannerPage& page, const char* table)
    {
        page.showView(QStringLiteral("fits"));
        for (QToolButton* segment : fits(page).findChildren<QToolButton*>())
            if (segment->text() == QLatin1String{table})
                QTest::mouseClick(segment, Qt::LeftButton);
    }
};

} // namespace plimsoll::tests
