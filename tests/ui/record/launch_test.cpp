// SPDX-License-Identifier: Apache-2.0
// A person starts programs in the window: they run on the stand-in GPU and are recorded, shown
// while they run, and stopped.
#include "ui/base/numbers.h"
#include "ui/base/widgets.h"
#include "ui/profile_page/active_view.h"
#include "ui/record/launch_dialog.h"
#include "ui/record/launch_form.h"
#include "ui/record/output_view.h"
#include "ui/start_page/start_page.h"

#include "tests/integration/cli/cli_runner.h"
#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QAction>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QTimer>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;

class LaunchTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void aProgramIsShownWhileItRuns();
    void stopEndsTheProgram();
    void theProgramOfAScriptIsRecorded();
    void whatIsWrongIsToldBelowItsField();
    void anEarlierRecordingIsKept();
    void aProgramWithoutCudaIsTold();
    void recentProgramsFillTheForm();
    void theLineIsCopied();
    void closingTheWindowEndsTheProgram();

private:
    /// As a person opens it: by the button of the start page.
    LaunchDialog& dialog()
    {
        if (auto* open = m_window->findChild<LaunchDialog*>(); open != nullptr && open->isVisible())
            return *open;
        for (auto* each : m_window->startPage().findChildren<QPushButton*>())
            if (each->text() == QStringLiteral("Record a Program…"))
                each->click();
        return *m_window->findChild<LaunchDialog*>();
    }
    template <typename Field>
    Field& field(const char* name)
    {
        for (auto* each : dialog().form().findChildren<Field*>())
            if (each->accessibleName() == QLatin1String{name})
                return *each;
        qFatal("There is no such field.");
    }
    QPushButton& button(const char* text)
    {
        for (auto* each : dialog().findChildren<QPushButton*>())
            if (each->text() == QLatin1String{text})
                return *each;
        qFatal("There is no such button.");
    }
    void fill(const QString& command)
    {
        field<QLineEdit>("Program").setText(command);
        field<QLineEdit>("Folder").setText(QString::fromStdString(m_folder->path().string()));
        const QString gpu = QStringLiteral(PLIMSOLL_STAND_IN_FOLDER);
        field<QPlainTextEdit>("Variables")
            .setPlainText(QStringLiteral("LD_LIBRARY_PATH=%1\nPLIMSOLL_CUPTI=%1/"
                                         "libstand_in_cupti.so")
                              .arg(gpu));
        field<QLineEdit>("Recording").setText(QStringLiteral("step.plmcap"));
    }
    static QString steps(const char* arguments)
    {
        return QStringLiteral(PLIMSOLL_STAND_IN_FOLDER "/gpu_steps ")
               + QString::fromLatin1(arguments);
    }
    /// The page of what is being recorded; null: it didn't appear.
    ProfilePage* livePage()
    {
        const auto page = [this] { return qobject_cast<ProfilePage*>(m_window->currentPage()); };
        return QTest::qWaitFor([&] { return page() != nullptr; }, kPatience) ? page() : nullptr;
    }
    bool waitForEnd()
    {
        return QTest::qWaitFor([this] { return button("Record").isEnabled(); }, kPatience);
    }
    QByteArray recorded() const
    {
        QFile recording{file("step.plmcap")};
        return recording.open(QIODevice::ReadOnly) ? recording.readAll() : QByteArray{};
    }
    /// What the status bar says.
    QString running() const
    {
        const auto* label =
            m_window->statusBar()->findChild<TextLabel*>(QStringLiteral("activity"));
        return label->isHidden() ? QString{} : label->text();
    }
    /// The next question, by the button with that text.
    static void answer(const char* text)
    {
        QTimer::singleShot(0, qApp, [text] {
            const auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box != nullptr);
            for (QAbstractButton* each : box->buttons())
                if (each->text() == QLatin1String{text})
                    each->click();
        });
    }
    QString file(const char* name) const { return QString::fromStdString(m_folder->file(name)); }
    /// Of the button in the view bar.
    QPushButton* barButton(const char* text) const
    {
        for (auto* each : m_window->findChildren<QPushButton*>())
            if (each->text() == QString::fromUtf8(text) && each->isVisible()
                && each->window() == m_window.get())
                return each;
        return nullptr;
    }
    QStringList faults()
    {
        QStringList sentences;
        for (const auto* label : dialog().form().findChildren<QLabel*>())
            if (label->isVisible() && !label->text().isEmpty())
                sentences << label->text();
        return sentences;
    }
};

void LaunchTest::aProgramIsShownWhileItRuns()
{
    fill(steps("12 16 150"));
    button("Record").click();
    QVERIFY(!button("Record").isEnabled());
    ProfilePage* page = livePage();
    QVERIFY(page != nullptr);
    QVERIFY(page->live().isRecording());
    QVERIFY(page->live().isFollowing());
    QVERIFY2(page->status().text.startsWith(QStringLiteral("Recording · 0:0")),
             qPrintable(page->status().text));
    QVERIFY(barButton("Stop") != nullptr);
    QVERIFY(barButton("Export…") == nullptr);
    const auto& active = tests::viewOf<ActiveView>(*page);
    const base::Bytes first = active.timeline()->peak();
    QVERIFY(first < base::Bytes{12 * 16 * tests::kMiB});
    QTRY_VERIFY_WITH_TIMEOUT(active.timeline()->peak() > first && page->live().isRecording(),
                             kPatience);
    QVERIFY(waitForEnd());
    QTRY_VERIFY_WITH_TIMEOUT(!page->live().isFollowing(), kPatience);
    // The whole recording is shown, as the command line reads it.
    const QJsonObject summary =
        tests::runCli({QStringLiteral("inspect"), QStringLiteral("--json"), file("step.plmcap")})
            .json()
            .value(QStringLiteral("summary"))
            .toObject();
    const auto peak = summary.value(QStringLiteral("peak_reserved_bytes")).toInteger();
    QCOMPARE(peak, qint64{12 * 16 * tests::kMiB});
    QCOMPARE(page->controller().picture()->device().reserved().largest().count(), peak);
    QCOMPARE(active.timeline()->peak().count(), peak);
    QCOMPARE(qint64(page->controller().picture()->device().recordedCount()),
             summary.value(QStringLiteral("events")).toInteger());
    QCOMPARE(running(), QString{});
    QVERIFY(barButton("Export…") != nullptr);
    QVERIFY(barButton("Stop") == nullptr);
    QVERIFY(!page->status().text.startsWith(QStringLiteral("Recording")));
    QVERIFY(dialog().output().toPlainText().startsWith(QStringLiteral("step 1\nstep 2\n")));
    QVERIFY2(dialog().stateText().startsWith(QStringLiteral("The program ended after 0:0")),
             qPrintable(dialog().stateText()));
    QCOMPARE(page->strip().count(), std::size_t{0});
}

void LaunchTest::stopEndsTheProgram()
{
    fill(steps("2 16 10 wait"));
    button("Record").click();
    ProfilePage* page = livePage();
    QVERIFY(page != nullptr);
    QTRY_VERIFY_WITH_TIMEOUT(dialog().output().toPlainText().contains(QStringLiteral("step 2")),
                             kPatience);
    QVERIFY(barButton("Stop") != nullptr);
    barButton("Stop")->click();
    QVERIFY(waitForEnd());
    QTRY_VERIFY(dialog().output().toPlainText().contains(QStringLiteral("interrupted")));
    QVERIFY2(dialog().stateText().startsWith(
                 QStringLiteral("The program ended with exit code 3 after 0:0")),
             qPrintable(dialog().stateText()));
    // What does not heed Ctrl+C ends, too.
    fill(QStringLiteral("sh -c 'trap \"\" INT; echo deaf; sleep 600'"));
    field<QLineEdit>("Recording").setText(QStringLiteral("deaf.plmcap"));
    button("Record").click();
    QTRY_COMPARE_WITH_TIMEOUT(dialog().output().toPlainText(), QStringLiteral("deaf\n"), kPatience);
    button("Stop").click();
    QVERIFY(!button("Record").isEnabled());
    button("End at once").click();
    QVERIFY(waitForEnd());
    QVERIFY2(dialog().stateText().startsWith(QStringLiteral("The program was stopped after 0:0")),
             qPrintable(dialog().stateText()));
}

void LaunchTest::theProgramOfAScriptIsRecorded()
{
    fill(QStringLiteral("sh -c '%1; exit 7'").arg(steps("3 16 400")));
    button("Record").click();
    ProfilePage* page = livePage();
    QVERIFY(page != nullptr);
    QVERIFY(waitForEnd());
    QTRY_VERIFY_WITH_TIMEOUT(!page->live().isFollowing(), kPatience);
    QCOMPARE(page->controller().picture()->device().reserved().largest().count(),
             3 * 16 * tests::kMiB);
    QVERIFY2(dialog().stateText().startsWith(
                 QStringLiteral("The program ended with exit code 7 after 0:0")),
             qPrintable(dialog().stateText()));
}

void LaunchTest::whatIsWrongIsToldBelowItsField()
{
    fill(QStringLiteral("no-such-program-4711"));
    button("Record").click();
    QCOMPARE(faults(), QStringList{QStringLiteral("no-such-program-4711 is in no folder of PATH: "
                                                  "check its name, or give its path.")});
    QVERIFY(dialog().focusWidget() == &field<QLineEdit>("Program"));
    QVERIFY(button("Record").isEnabled());
    fill(steps("1 1 1"));
    QVERIFY(!m_folder->fileWith("step.plmcap", "mine").empty());
    QTest::keyClick(&field<QLineEdit>("Program"), Qt::Key_Return);
    QCOMPARE(faults(), QStringList{file("step.plmcap")
                                   + QStringLiteral(" is there and is no recording: choose another "
                                                    "name.")});
    QVERIFY(dialog().focusWidget() == &field<QLineEdit>("Recording"));
    // What is typed may be right, so that the sentence goes.
    field<QLineEdit>("Recording").setText(QStringLiteral("step2.plmcap"));
    QCOMPARE(faults(), QStringList{});
    field<QPlainTextEdit>("Variables").setPlainText(QStringLiteral("LD_LIBRARY_PATH"));
    button("Record").click();
    QCOMPARE(faults(), QStringList{QStringLiteral("Line 1 is not of the form NAME=VALUE: correct "
                                                  "or remove it.")});
    QVERIFY(m_settings->recentPrograms().isEmpty());
}

void LaunchTest::anEarlierRecordingIsKept()
{
    fill(steps("1 16 10"));
    button("Record").click();
    QVERIFY(waitForEnd());
    const QByteArray before = recorded();
    QVERIFY(!before.isEmpty());
    button("Record").click();
    QCOMPARE(faults(), QStringList{file("step.plmcap")
                                   + QStringLiteral(" is there already: choose another name, or "
                                                    "leave the field empty for a new one.")});
    QVERIFY(button("Record").isEnabled());
    QCOMPARE(recorded(), before);
    // Chosen from the recent ones it is recorded to a new name.
    QTest::keyClick(&field<QComboBox>("Recent programs"), Qt::Key_Home);
    QCOMPARE(field<QLineEdit>("Recording").text(), QString{});
    QCOMPARE(faults(), QStringList{});
    button("Record").click();
    QVERIFY(waitForEnd());
    QVERIFY(QFile::exists(file("recording.plmcap")));
    QCOMPARE(recorded(), before);
}

void LaunchTest::aProgramWithoutCudaIsTold()
{
    fill(QStringLiteral("sh -c 'echo $FROM_HERE; exit 5'"));
    field<QPlainTextEdit>("Variables").setPlainText(QStringLiteral("FROM_HERE=hello there"));
    button("Record").click();
    QVERIFY(waitForEnd());
    QTRY_COMPARE(dialog().output().toPlainText(), QStringLiteral("hello there\n"));
    const QStringList lines = dialog().stateText().split(u'\n');
    QCOMPARE(lines.size(), 2);
    QVERIFY2(lines[0].startsWith(QStringLiteral("The program ended with exit code 5 after 0:00")),
             qPrintable(lines[0]));
    QVERIFY2(lines[1].startsWith(QStringLiteral("The program never started CUDA")),
             qPrintable(lines[1]));
    QVERIFY(m_window->currentPage() == nullptr);
    QVERIFY(!QFile::exists(file("step.plmcap")));
}

void LaunchTest::recentProgramsFillTheForm()
{
    QVERIFY(!field<QComboBox>("Recent programs").isVisible());
    for (const char* command : {"true one", "true two"}) {
        fill(QString::fromLatin1(command));
        button("Record").click();
        QVERIFY(waitForEnd());
    }
    auto& recent = field<QComboBox>("Recent programs");
    QVERIFY(recent.isVisible());
    QCOMPARE(recent.count(), 2);
    QCOMPARE(recent.itemText(0), QStringLiteral("true two"));
    field<QLineEdit>("Program").clear();
    field<QLineEdit>("Folder").clear();
    recent.setFocus();
    QTest::keyClick(&recent, Qt::Key_End);
    QCOMPARE(field<QLineEdit>("Program").text(), QStringLiteral("true one"));
    QCOMPARE(field<QLineEdit>("Folder").text(), QString::fromStdString(m_folder->path().string()));
}

void LaunchTest::theLineIsCopied()
{
    fill(QStringLiteral("python 'my train.py'"));
    field<QPlainTextEdit>("Variables").clear();
    QList<QCheckBox*> options = dialog().form().findChildren<QCheckBox*>();
    QCOMPARE(options.size(), 2);
    options[0]->click();
    options[1]->click(); // they exclude each other
    QVERIFY(options[0]->isChecked() != options[1]->isChecked());
    if (options[1]->text().startsWith(QStringLiteral("Each tensor")))
        options[0]->click();
    button("Copy").click();
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral("cd %1 && plimsoll-cli record -o step.plmcap --snapshot -- python "
                            "'my train.py'")
                 .arg(QString::fromStdString(m_folder->path().string())));
}

void LaunchTest::closingTheWindowEndsTheProgram()
{
    fill(QStringLiteral("sh -c 'trap \"touch ended; exit 0\" INT; echo ready; while :; do sleep "
                        "0.05; done'"));
    button("Record").click();
    QTRY_COMPARE_WITH_TIMEOUT(dialog().output().toPlainText(), QStringLiteral("ready\n"),
                              kPatience);
    QCOMPARE(running(), QString::fromUtf8("sh -c 'trap \"touch ended; exit 0\" INT; … is running"));
    // The window asks before; a person keeps it open at first.
    answer("Keep open");
    m_window->close();
    QVERIFY(m_window->isVisible());
    QVERIFY(!button("Record").isEnabled());
    answer("End the program");
    m_window->close();
    QVERIFY(!m_window->isVisible());
    m_window.reset();
    QVERIFY(QFile::exists(file("ended")));
}

} // namespace

PLIMSOLL_TEST(LaunchTest, QApplication)
#include "launch_test.moc"
