// SPDX-License-Identifier: Apache-2.0
// Links to source lines: found in the user's folders, opened in the user's editor, never by a
// shell.
#include "ui/document_page/source_editor.h"
#include "ui/plan_tables/plan_page.h"
#include "ui/plan_tables/plan_view.h"
#include "ui/shell/settings_dialog.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QFile>
#include <QGuiApplication>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QTest>

namespace {

using namespace plimsoll;
using namespace plimsoll::tests;
using namespace plimsoll::ui;

class SourceTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void readsSources_data();
    void readsSources();
    void commandsHaveEachArgumentOnItsOwn();
    void foldersAreMappedOnce();
    void aClickOpensTheLine();
    void theEditorIsChosenInTheSettings();
    void tellsWhatCannotBeOpened();

private:
    [[nodiscard]] QString path(const char* name) const
    {
        return QString::fromStdString(m_folder->file(name));
    }
    void write(const QString& file, const QByteArray& content)
    {
        QDir{}.mkpath(QFileInfo{file}.path());
        QFile target{file};
        QVERIFY(target.open(QIODevice::WriteOnly) && target.write(content) == content.size());
    }
    /// The plan's first link is clicked.
    void follow(PlannerPage& page)
    {
        auto& table = viewOf<PlanView>(page);
        const QModelIndex link = table.model()->index(0, PlanModel::SourceColumn);
        QVERIFY(link.data(LinkRole).toBool());
        table.scrollTo(link);
        QTest::mouseClick(table.viewport(), Qt::LeftButton, {}, table.visualRect(link).center());
    }
};

void SourceTest::readsSources_data()
{
    QTest::addColumn<QString>("source");
    QTest::addColumn<int>("line"); // 0: it isn't one
    QTest::newRow("relative") << QStringLiteral("torchvision/models/resnet.py:93") << 93;
    QTest::newRow("absolute") << QStringLiteral("/srv/a b:c.py:7") << 7;
    QTest::newRow("no line") << QStringLiteral("model.py") << 0;
    QTest::newRow("line 0") << QStringLiteral("model.py:0") << 0;
    QTest::newRow("huge line") << QStringLiteral("model.py:99999999999") << 0;
    QTest::newRow("words") << QStringLiteral("model.py:12 -c evil") << 0;
    QTest::newRow("leaves its folder") << QStringLiteral("a/../../etc/passwd:1") << 0;
    QTest::newRow("nothing") << QString{} << 0;
}

void SourceTest::readsSources()
{
    QFETCH(QString, source);
    QFETCH(int, line);
    const std::optional<SourceLine> place = parseSource(source);
    QCOMPARE(place ? place->line : 0, line);
    if (place)
        QCOMPARE(place->path + u':' + QString::number(line), source);
}

void SourceTest::commandsHaveEachArgumentOnItsOwn()
{
    const QString file = QStringLiteral("/a b/$(touch x); {line} \"q\".py");
    QCOMPARE(editorCommand(QStringLiteral("code"), {}, file, 7),
             (QStringList{QStringLiteral("code"), QStringLiteral("--goto"),
                          file + QStringLiteral(":7")}));
    QCOMPARE(editorCommand({}, QStringLiteral("\"my editor\" -l {line} --file={file}"), file, 12),
             (QStringList{QStringLiteral("my editor"), QStringLiteral("-l"), QStringLiteral("12"),
                          QStringLiteral("--file=") + file}));
    QVERIFY(editorCommand(QStringLiteral("no such editor"), {}, file, 1).isEmpty());
    for (const SourceEditor& editor : sourceEditors()) {
        const QStringList command = editorCommand(editor.id, {}, file, 3);
        QCOMPARE(command.size(), editor.command.size());
        QVERIFY(command.join(u'\n').contains(file));
    }
}

void SourceTest::foldersAreMappedOnce()
{
    write(path("here/gpt2/model.py"), "x\n");
    const QString there = QStringLiteral("/data/other/computer/gpt2/model.py");
    const std::optional<SourceFolder> folder = mappedFolder(there, path("here"));
    QVERIFY(folder);
    QCOMPARE(folder->from, QStringLiteral("/data/other/computer"));
    QCOMPARE(findSource(there, {*folder}), path("here/gpt2/model.py"));
    write(path("here/t5/model.py"), "x\n");
    QCOMPARE(findSource(QStringLiteral("/data/other/computer/t5/model.py"), {*folder}),
             path("here/t5/model.py"));
    QVERIFY(findSource(QStringLiteral("/data/other/computer/bert/model.py"), {*folder}).isEmpty());
    QVERIFY(!mappedFolder(QStringLiteral("a/b/c.py"), path("here")));
    const std::optional<SourceFolder> whole =
        mappedFolder(QStringLiteral("gpt2/model.py"), path("here"));
    QVERIFY(whole && whole->from.isEmpty());
    QCOMPARE(findSource(path("here/gpt2/model.py"), {}), path("here/gpt2/model.py"));
    m_settings->addSourceFolder(QStringLiteral("a=1/b"), QStringLiteral("/old"));
    m_settings->addSourceFolder(QStringLiteral("a=1/b"), QStringLiteral("/new=2"));
    QCOMPARE(m_settings->sourceFolders(), QStringList{QStringLiteral("a=1/b\n/new=2")});
}

void SourceTest::aClickOpensTheLine()
{
    const QString editor = path("my editor");
    const QString told = path("told");
    write(editor, "#!/bin/sh\nprintf '%s\\n' \"$@\" > '" + told.toUtf8() + ".part'\nmv '"
                      + told.toUtf8() + ".part' '" + told.toUtf8() + "'\n");
    QVERIFY(QFile{editor}.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
    write(path("site/torchvision/models/resnet.py"), "x\n");
    m_settings->addSourceFolder({}, path("site"));
    m_settings->setEditorCommand(u'"' + editor + QStringLiteral("\" --line {line} {file}"));
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    follow(*page);
    QVERIFY(QTest::qWaitFor([&] { return QFile::exists(told); }, 10'000));
    QFile result{told};
    QVERIFY(result.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(result.readAll()),
             QStringLiteral("--line\n269\n") + path("site/torchvision/models/resnet.py") + u'\n');
    QCOMPARE(page->strip().count(), std::size_t{0});
}

void SourceTest::theEditorIsChosenInTheSettings()
{
    SettingsDialog dialog{*m_settings};
    dialog.setAttribute(Qt::WA_DeleteOnClose, false);
    auto* command = dialog.findChild<QLineEdit*>(QStringLiteral("editorCommand"));
    auto* editor = dialog.findChild<QComboBox*>(QStringLiteral("editor"));
    QVERIFY(command != nullptr && editor != nullptr);
    QTest::keyClicks(command, QStringLiteral("gedit +{line} {file}"));
    QTest::keyClick(command, Qt::Key_Return);
    QCOMPARE(m_settings->editorCommand(), QStringLiteral("gedit +{line} {file}"));
    editor->setCurrentIndex(editor->findData(QStringLiteral("kate")));
    Q_EMIT editor->activated(editor->currentIndex());
    QCOMPARE(m_settings->editor(), QStringLiteral("kate"));
    for (QListWidget* pages : dialog.findChildren<QListWidget*>())
        pages->setCurrentItem(pages->findItems(QStringLiteral("Editor"), Qt::MatchExactly).front());
    for (QPushButton* button : dialog.findChildren<QPushButton*>())
        if (button->text() == QStringLiteral("Restore defaults"))
            QTest::mouseClick(button, Qt::LeftButton);
    QCOMPARE(m_settings->editor(), QString{});
    QCOMPARE(m_settings->editorCommand(), QString{});
    QCOMPARE(command->text(), QString{});
    QCOMPARE(editor->currentIndex(), 0);
}

void SourceTest::tellsWhatCannotBeOpened()
{
    write(path("site/torchvision/models/resnet.py"), "x\n");
    m_settings->addSourceFolder({}, path("site"));
    m_settings->setEditorCommand(QStringLiteral("/no/such/editor {file}"));
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    follow(*page);
    QCOMPARE(page->strip().count(), std::size_t{1});
    QCOMPARE(page->strip().shown().first, QStringLiteral("/no/such/editor could not be started."));
    // What it says can be copied.
    QTest::mouseClick(buttonOf(page->strip(), "Copy"), Qt::LeftButton);
    QCOMPARE(QGuiApplication::clipboard()->text(),
             QStringLiteral("/no/such/editor could not be started. Choose another editor in Edit > "
                            "Settings."));
}

} // namespace

PLIMSOLL_TEST(SourceTest, QApplication)
#include "source_test.moc"
