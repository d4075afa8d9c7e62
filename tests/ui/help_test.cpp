// SPDX-License-Identifier: Apache-2.0
// The page about planners, from the menu.
#include "core/solve/registry.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QDialog>
#include <QLabel>
#include <QTest>

namespace {

using namespace plimsoll::tests;

class HelpTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow({1024, 700}); }
    void cleanup() { closeWindow(); }
    void tellsAboutEveryPlanner();
};

void HelpTest::tellsAboutEveryPlanner()
{
    trigger("help.planners");
    const auto* dialog = m_window->findChild<QDialog*>(QStringLiteral("planners"));
    QVERIFY(dialog != nullptr && dialog->isVisible());
    QString said;
    for (const QLabel* label : dialog->findChildren<QLabel*>())
        said += label->text() + u'\n';
    for (const auto& planner : plimsoll::solve::planners()) {
        const plimsoll::solve::PlannerDescriptor& descriptor = planner->descriptor();
        for (const std::string& text : {descriptor.sentence, descriptor.source})
            QVERIFY2(said.contains(QString::fromStdString(text)), text.c_str());
        for (const std::string& text : descriptor.leavesOut)
            QVERIFY2(said.contains(QString::fromStdString(text)), text.c_str());
        for (const plimsoll::solve::OptionRecord& option : descriptor.options)
            QVERIFY2(said.contains(QString::fromStdString(option.sentence)), option.name.c_str());
    }
}

} // namespace

PLIMSOLL_TEST(HelpTest, QApplication)
#include "help_test.moc"
