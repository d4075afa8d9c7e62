// SPDX-License-Identifier: Apache-2.0
// A GPU that no table has, typed into the form: it counts at once, and is in the list ever after.
#include "core/device/device_spec.h"
#include "core/device/known_devices.h"
#include "ui/base/widgets.h"
#include "ui/plan_panel/budget_panel.h"
#include "ui/problem_form/device_dialog.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using plimsoll::tests::viewOf;

class OtherDeviceTest : public QObject, private tests::WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void theListsLastEntryOpensTheForm();
    void whatIsWrongIsSaidAndCannotBeUsed();
    void aDeviceOfTheFormCountsAndIsKept();
    void linesThatNobodyReadsAreLeftOut();

private:
    [[nodiscard]] static QComboBox& list(PlannerPage& page)
    {
        for (QComboBox* box : viewOf<BudgetPanel>(page).findChildren<QComboBox*>())
            if (box->accessibleName() == QStringLiteral("GPU"))
                return *box;
        qFatal("The panel has no list of GPUs.");
    }
    [[nodiscard]] static QLineEdit& field(DeviceDialog& dialog, const char* name)
    {
        for (QLineEdit* edit : dialog.findChildren<QLineEdit*>())
            if (edit->accessibleName() == QString::fromUtf8(name))
                return *edit;
        qFatal("The form has no such field.");
    }
    [[nodiscard]] static QPushButton& use(DeviceDialog& dialog)
    {
        for (QPushButton* button : dialog.findChildren<QPushButton*>())
            if (button->text().contains(QStringLiteral("Use this GPU")))
                return *button;
        qFatal("The form has no button.");
    }
    /// What is wrong with the form's values, "" when nothing is.
    [[nodiscard]] static QString sentence(DeviceDialog& dialog)
    {
        for (const QLabel* label : dialog.findChildren<QLabel*>())
            if (label->text().endsWith(u'.'))
                return label->text();
        return {};
    }
    [[nodiscard]] DeviceDialog* openForm(PlannerPage& page)
    {
        trigger("plan.otherDevice");
        return page.findChild<DeviceDialog*>();
    }
};

void OtherDeviceTest::theListsLastEntryOpensTheForm()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QComboBox& devices = list(*page);
    const int chosen = devices.currentIndex();
    const int last = devices.count() - 1;
    QCOMPARE(static_cast<std::size_t>(last - 1), plan::builtInDevices().size());
    devices.setCurrentIndex(last);
    Q_EMIT devices.activated(last);
    QCOMPARE(devices.currentIndex(), chosen);
    DeviceDialog* dialog = page->findChild<DeviceDialog*>();
    QVERIFY(dialog != nullptr);
    // Filled in from the chosen one.
    QCOMPARE(field(*dialog, "Memory").text(), QStringLiteral("81920MiB"));
    QCOMPARE(field(*dialog, "Bandwidth").text(), QStringLiteral("2.039T"));
    QCOMPARE(field(*dialog, "FP32").text(), QStringLiteral("19.5T"));
    const plan::Device& like = page->document().document().choices.device;
    QCOMPARE(plan::parseDeviceSpec("memory=1GiB,bandwidth=1,float32=1,host="
                                   + field(*dialog, "Host link").text().toStdString()
                                   + ",link=" + field(*dialog, "GPU link").text().toStdString())
                 ->hostLink,
             like.hostLink);
    QVERIFY(like.deviceLink > 0);
    QVERIFY(field(*dialog, "GPU link").text() != QStringLiteral("0"));
    QVERIFY(use(*dialog).isEnabled());
}

void OtherDeviceTest::whatIsWrongIsSaidAndCannotBeUsed()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    DeviceDialog* dialog = openForm(*page);
    QVERIFY(dialog != nullptr);
    for (const auto& [name, bad, good] :
         {std::tuple{"Bandwidth", "fast", "1G"}, std::tuple{"Memory", "", "1GiB"},
          std::tuple{"FP32", "-1", "1T"}, std::tuple{"Host link", "0", "25G"},
          std::tuple{"GPU link", "-1", "0"}, std::tuple{"Latency", "2e9", "3000"},
          std::tuple{"Name", "a,b", "a"}}) {
        QLineEdit& edit = field(*dialog, name);
        QTest::mouseClick(&edit, Qt::LeftButton);
        edit.selectAll();
        QTest::keyClicks(&edit, QString::fromUtf8(bad));
        if (*bad == '\0')
            QTest::keyClick(&edit, Qt::Key_Backspace);
        QVERIFY2(!use(*dialog).isEnabled(), name);
        // One sentence that calls the field by its name.
        QVERIFY2(sentence(*dialog).endsWith(u'.'), qPrintable(sentence(*dialog)));
        QVERIFY2(*name == 'N'
                     || sentence(*dialog).startsWith(QString::fromUtf8(name), Qt::CaseInsensitive),
                 qPrintable(sentence(*dialog)));
        field(*dialog, name).setText(QString::fromUtf8(good));
        QVERIFY2(use(*dialog).isEnabled(), name);
    }
}

void OtherDeviceTest::aDeviceOfTheFormCountsAndIsKept()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    const base::Nanoseconds before = page->document().planned()->unplanned->evaluation().stepTime;
    DeviceDialog* dialog = openForm(*page);
    QVERIFY(dialog != nullptr);
    field(*dialog, "Name").setText(QStringLiteral("Slow one"));
    field(*dialog, "Memory").setText(QStringLiteral("12GiB"));
    field(*dialog, "Bandwidth").setText(QStringLiteral("100G"));
    field(*dialog, "BF16").clear();
    field(*dialog, "Host link").setText(QStringLiteral("31.5G"));
    field(*dialog, "GPU link").clear();
    use(*dialog).click();
    const plan::Device& device = page->document().document().choices.device;
    QCOMPARE(device.name, std::string{"Slow one"});
    QCOMPARE(device.memory.count(), std::int64_t{12} << 30U);
    QCOMPARE(device.bandwidth, 100e9);
    QCOMPARE(device.flops.at("bfloat16"), device.flops.at("float32"));
    QCOMPARE(device.hostLink, 31.5e9);
    QCOMPARE(device.deviceLink, 0.0);
    QCOMPARE(device.id, plan::deviceSpec(device));
    QVERIFY(device.id.find(",host=31500000000,link=0,latency=") != std::string::npos);
    QTRY_VERIFY_WITH_TIMEOUT(!page->document().isOutdated(), tests::kPatience);
    QVERIFY(page->document().planned()->unplanned->evaluation().stepTime > before * 2);
    QVERIFY(list(*page).currentText().startsWith(QStringLiteral("Slow one")));
    QCOMPARE(m_settings->ownDevices(), QStringList{QString::fromStdString(device.id)});

    // Another document has it in its list, too.
    PlannerPage* other = openPlanned("unet");
    QVERIFY(other != nullptr);
    QVERIFY(list(*other).findText(QStringLiteral("Slow one"), Qt::MatchStartsWith) > 0);
    QVERIFY(!list(*other).currentText().startsWith(QStringLiteral("Slow one")));
}

void OtherDeviceTest::linesThatNobodyReadsAreLeftOut()
{
    m_settings->addOwnDevice(QStringLiteral("name=Old,memory=1GiB,bandwidth=1G,float32=1T"));
    m_settings->addOwnDevice(QStringLiteral("name=New,qubits=7"));
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QVERIFY(list(*page).findText(QStringLiteral("Old"), Qt::MatchStartsWith) > 0);
    QCOMPARE(list(*page).findText(QStringLiteral("New"), Qt::MatchStartsWith), -1);
    for (int i = 0; i < 20; ++i)
        m_settings->addOwnDevice(
            QStringLiteral("name=N%1,memory=1GiB,bandwidth=1G,float32=1T").arg(i));
    QCOMPARE(m_settings->ownDevices().size(), 12);
    QVERIFY(m_settings->ownDevices().front().startsWith(QStringLiteral("name=N19,")));
}

} // namespace

PLIMSOLL_TEST(OtherDeviceTest, QApplication)
#include "other_device_test.moc"
