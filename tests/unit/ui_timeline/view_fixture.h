// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"
#include "ui/timeline/timeline_view.h"

#include "tests/unit/ui_timeline/sample_step.h"

#include <QRegularExpression>
#include <QTest>

#include <cmath>
#include <memory>

namespace plimsoll::tests {

/// A step of which a part is recomputed.
inline void fillTimeline(ui::TimelineView& view, std::size_t steps)
{
    view.setTitle(QStringLiteral("Memory"));
    view.setTimeline(sampleStep(steps, 0.35));
}

/// A filled view in the light theme, on the screen.
template <typename View>
class ViewFixture
{
protected:
    void openView(void (*fill)(View&, std::size_t steps))
    {
        QTest::failOnWarning(QRegularExpression{QStringLiteral(".*")});
        m_theme = std::make_unique<ui::Theme>();
        m_theme->setChoice(ui::ThemeChoice::Light);
        m_view = std::make_unique<View>();
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
        if constexpr (requires { m_view->budget(); })
            model.line = m_view->budget();
        ui::TimelineFrame result = ui::frameFor(model, m_view->size(), m_theme->scale());
        result.at = ui::Coordinates{result.layout.plot, 0, 1, m_view->shownBytes()};
        return result;
    }
    /// A place on the line.
    [[nodiscard]] QPoint onLine() const
    {
        const ui::TimelineFrame now = frame();
        return {static_cast<int>(now.layout.plot.left()) + 300,
                static_cast<int>(std::lround(now.at.yOf(*m_view->budget())))};
    }

    std::unique_ptr<ui::Theme> m_theme;
    std::unique_ptr<View> m_view;
};

} // namespace plimsoll::tests
