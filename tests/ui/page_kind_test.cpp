// SPDX-License-Identifier: Apache-2.0
// The window with a kind of page that only this test knows: a list of numbers.
#include "ui/document_page/page_registry.h"
#include "ui/document_page/pages_dock.h"
#include "ui/shell/actions.h"
#include "ui/shell/main_window.h"

#include "tests/support/temp_folder.h"

#include <QAction>
#include <QFile>
#include <QJsonObject>
#include <QLabel>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QUndoStack>

#include <memory>

namespace {

using namespace plimsoll::ui;
namespace base = plimsoll::base;
namespace support = plimsoll::support;
namespace workspace = plimsoll::workspace;

constexpr int kPatience = 20'000; ///< ms

/// A label in the centre and in each of its two docks; says once that it is unsaved.
class NumbersPage : public DocumentPage
{
public:
    NumbersPage(QString file, const QString& numbers, QWidget* parent)
        : DocumentPage{parent}, m_file{std::move(file)}
    {
        setCentre(new QLabel{numbers, this});
        addDock({QStringLiteral("facts"), QStringLiteral("Facts"), Qt::RightDockWidgetArea});
        addView(QStringLiteral("facts"), new QLabel{QStringLiteral("sum")}, QStringLiteral("Facts"),
                QStringLiteral("Facts"));
        addDock({QStringLiteral("list"), QStringLiteral("List")});
        addView(QStringLiteral("list"), new QLabel{numbers}, QStringLiteral("List"));
        addView(QStringLiteral("list"), new QLabel{numbers}, QStringLiteral("Sorted"));
    }

    [[nodiscard]] QString kind() const override { return QStringLiteral("numbers"); }
    [[nodiscard]] QString title() const override { return QStringLiteral("Numbers"); }
    [[nodiscard]] QString name() const override { return QStringLiteral("numbers"); }
    [[nodiscard]] QString originFile() const override { return m_file; }
    [[nodiscard]] bool isInSession() const override { return false; }
    [[nodiscard]] QUndoStack& undoStack() override { return m_undo; }
    [[nodiscard]] StatusText status() const override { return {QStringLiteral("read"), {}}; }
    [[nodiscard]] bool isUnsaved() const override { return m_undo.count() > 0; }
    [[nodiscard]] bool isSaving() const override { return false; }
    [[nodiscard]] bool hasSaveFailed() const override { return false; }
    void saveAs(const QString& /*path*/) override {}
    void saveNow() override {}
    void finishSaving() override {}
    void discardChanges() override { m_undo.clear(); }
    void letGo() override {}
    [[nodiscard]] bool isAtRest() const override { return true; }
    [[nodiscard]] std::string savedView() const override { return m_view; }
    void setSavedView(const std::string& view) override { m_view = view; }

private:
    QString m_file;
    QUndoStack m_undo;
    std::string m_view = "{}";
};

PageKind numbersKind()
{
    PageKind kind;
    kind.id = QStringLiteral("numbers");
    kind.files = {workspace::FileKind::Graph};
    kind.menu = QStringLiteral("&Numbers");
    kind.commands = {{MenuPlace::Own, "numbers.change", QStringLiteral("Change"), "",
                      [](DocumentPage& page) {
                          page.undoStack().push(new QUndoCommand{QStringLiteral("Change")});
                          Q_EMIT page.stateChanged();
                      },
                      "", [](const DocumentPage& page) { return !page.isUnsaved(); }}};
    kind.read = [](const std::filesystem::path& path,
                   const base::JobContext& /*job*/) -> base::Result<PageKind::Factory> {
        const QString name = QString::fromStdString(path.string());
        QFile file{name};
        if (!file.open(QIODevice::ReadOnly))
            return base::failure(base::ErrorKind::File, "No numbers.");
        return [name, numbers = QString::fromUtf8(file.readAll())](QWidget* parent) {
            return new NumbersPage{name, numbers, parent};
        };
    };
    return kind;
}

class PageKindTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void cleanup();
    void opensAndCloses();
    void takesItsCommandsAlong();
    void movesTheSideIntoTabsInANarrowWindow();

private:
    DocumentPage* open();

    std::unique_ptr<support::TempFolder> m_folder;
    std::unique_ptr<Theme> m_theme;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
};

void PageKindTest::init()
{
    QTest::failOnWarning(QRegularExpression{QStringLiteral("^(?!This plugin does not support)")});
    m_folder = std::make_unique<support::TempFolder>();
    m_theme = std::make_unique<Theme>();
    m_settings = std::make_unique<Settings>(QString::fromStdString(m_folder->file("s.ini")));
    m_settings->drive(*m_theme);
    m_window = std::make_unique<MainWindow>(*m_settings, PageRegistry{{numbersKind()}});
    m_window->resize(1440, 900);
    m_window->show();
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
}

void PageKindTest::cleanup()
{
    m_window.reset();
    m_settings.reset();
    m_theme.reset();
    m_folder.reset();
}

DocumentPage* PageKindTest::open()
{
    const QString path = QString::fromStdString(m_folder->file("a.numbers"));
    QFile file{path};
    if (!file.open(QIODevice::WriteOnly) || file.write("1 2 3") != 5)
        return nullptr;
    file.close();
    QSignalSpy opened{m_window.get(), &MainWindow::opened};
    m_window->openFiles({path});
    return opened.wait(kPatience) ? m_window->currentPage() : nullptr;
}

void PageKindTest::opensAndCloses()
{
    DocumentPage* page = open();
    QVERIFY(page != nullptr);
    const auto& tabs = *m_window->findChild<QTabBar*>();
    QCOMPARE(tabs.tabText(1), QStringLiteral("Numbers"));
    QCOMPARE(page->dockActions().size(), 2);
    QCOMPARE(page->panels().size(), 3);
    page->setFocused(true);
    QCOMPARE(page->panels().size(), 1);
    page->setFocused(false);
    QCOMPARE(page->panels().size(), 3);
    int asked = 0;
    m_window->setCloseQuestion([&](const QString&) {
        ++asked;
        return MainWindow::CloseAnswer::Discard;
    });
    m_window->actions().get(QStringLiteral("numbers.change"))->trigger();
    QCOMPARE(tabs.tabText(1), QStringLiteral("● Numbers"));
    m_window->closePage(*page);
    QCOMPARE(asked, 1);
    QVERIFY(m_window->currentPage() == nullptr);
    QCOMPARE(tabs.count(), 1);
}

void PageKindTest::takesItsCommandsAlong()
{
    const QAction& change = *m_window->actions().get(QStringLiteral("numbers.change"));
    QVERIFY(!change.isEnabled()); // on the start page
    DocumentPage* page = open();
    QVERIFY(page != nullptr);
    QVERIFY(change.isEnabled());
    m_window->actions().get(QStringLiteral("numbers.change"))->trigger();
    QVERIFY(!change.isEnabled());
    m_window->actions().get(QStringLiteral("edit.undo"))->trigger();
    QVERIFY(!page->undoStack().canUndo());
    page->undoStack().clear();
}

void PageKindTest::movesTheSideIntoTabsInANarrowWindow()
{
    DocumentPage* page = open();
    QVERIFY(page != nullptr);
    PagesDock& facts = page->dock(QStringLiteral("facts"));
    PagesDock& list = page->dock(QStringLiteral("list"));
    QVERIFY(facts.isVisible());
    QCOMPARE(list.currentPage(), 0);
    m_window->resize(1024, 640);
    QTRY_VERIFY(!facts.isVisible());
    QVERIFY(list.findChild<QTabBar*>()->count() == 3);
    m_window->resize(1440, 900);
    QTRY_VERIFY(facts.isVisible());
    QVERIFY(list.findChild<QTabBar*>()->count() == 2);
    page->storeView();
    QVERIFY(QByteArray::fromStdString(static_cast<NumbersPage*>(page)->savedView())
                .contains("\"docks\""));
}

} // namespace

QTEST_MAIN(PageKindTest)
#include "page_kind_test.moc"
