// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/timeline_view.h"

#include "tests/unit/ui_timeline/filled_view.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <memory>

namespace plimsoll::tests {

/// A filled view in the light theme, on the screen.
class ViewFixture
{
protected:
    void openView()
    {
        QTest::failOnWarning(QRegularExpression{QStringLiteral(".*")});
        m_theme = std::make_unique<ui::Theme>();
        m_theme->setChoice(ui::ThemeChoice::Light);
        m_view = std::make_unique<ui::TimelineView>();
        m_view->resize(1117, 520);
        fill(*m_view, 1000);
        m_view->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_view.get()));
    }
    void closeView()
    {
        m_view.reset();
        m_theme.reset();
    }

    /// Where the view draws the whole step.
    [[nodiscard]] ui::TimelineFrame frame() const
    {
        ui::TimelineModel model;
        model.budget = m_view->budget();
        ui::TimelineFrame result = ui::frameFor(model, m_view->size(), m_theme->scale());
        result.at = ui::Coordinates{result.layout.plot, 0, 1, m_view->axisTop()};
        return result;
    }
    /// A place on the budget line.
    [[nodiscard]] QPoint onLine() const
    {
        const ui::TimelineFrame now = frame();
        return {static_cast<int>(now.layout.plot.left()) + 300,
                static_cast<int>(std::lround(now.at.yOf(*m_view->budget())))};
    }

    std::unique_ptr<ui::Theme> m_theme;
    std::unique_ptr<ui::TimelineView> m_view;
};

} // namespace plimsoll::tests
