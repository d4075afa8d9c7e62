// SPDX-License-Identifier: Apache-2.0
// A kind of document that only this test knows, a list of numbers drawn as a curve: it opens, has a
// page with two docks and a command, is kept in a session beside a graph, and comes back.
#include "ui/document_page/session_keeper.h"

#include "tests/support/planned_sample.h"
#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QAction>
#include <QLabel>
#include <QPainter>
#include <QSignalSpy>
#include <QTabBar>
#include <QTest>
#include <QUndoStack>

#include <algorithm>
#include <sstream>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;

class Numbers final : public workspace::Document
{
public:
    Numbers(std::filesystem::path path, std::string text)
        : m_path{std::move(path)}, m_name{m_path.stem().string()}, m_text{std::move(text)}
    {
    }
    [[nodiscard]] std::string_view kind() const override { return "numbers"; }
    [[nodiscard]] const std::string& name() const override { return m_name; }
    [[nodiscard]] const std::filesystem::path& origin() const override { return m_path; }
    [[nodiscard]] const std::string& contentHash() const override { return m_text; }
    [[nodiscard]] std::string state() const override { return doubled ? R"({"doubled":1})" : "{}"; }
    [[nodiscard]] std::unique_ptr<const Document> copy() const override
    {
        return std::make_unique<Numbers>(*this);
    }
    [[nodiscard]] base::Result<void> store(session::SessionStore& store,
                                           session::DocumentId id) const override
    {
        return store.saveBlob(id, session::kContent, m_text);
    }
    [[nodiscard]] std::vector<int> values() const
    {
        std::istringstream text{m_text};
        std::vector<int> all;
        for (int value = 0; text >> value;)
            all.push_back(doubled ? 2 * value : value);
        return all;
    }

    bool doubled = false;

private:
    std::filesystem::path m_path;
    std::string m_name;
    std::string m_text;
};

workspace::DocumentKind numbersKind()
{
    return {"numbers",
            [](const readers::ReaderDescriptor& format) { return format.id == "numbers"; },
            [](readers::FileValue value, io::Source& source, const base::JobContext&) {
                return base::Result<workspace::DocumentPtr>{std::make_unique<Numbers>(
                    source.path(), std::get<readers::FileText>(value)->bytes)};
            },
            [](const session::SessionStore& store, const session::SavedDocument& saved,
               const base::JobContext&) {
                return store.blob(saved.id, session::kContent).map([&](std::string text) {
                    auto numbers = std::make_unique<Numbers>(saved.sourcePath, std::move(text));
                    numbers->doubled = saved.state != "{}";
                    return workspace::DocumentPtr{std::move(numbers)};
                });
            }};
}

readers::ReaderDescriptor numbersFormat()
{
    return {.id = "numbers",
            .name = "Numbers",
            .kind = readers::FileKind::Profile,
            .extensions = {".numbers"},
            .read = [](io::Source& source, const base::JobContext& job) {
                return source.whole(job).map(
                    [](readers::FileText text) { return readers::FileValue{std::move(text)}; });
            }};
}

class Curve : public QWidget
{
public:
    explicit Curve(const Numbers& numbers) : m_numbers{numbers} {}

protected:
    void paintEvent(QPaintEvent* /*event*/) override
    {
        QPolygonF line;
        for (const int value : m_numbers.values())
            line << QPointF(10.0 * static_cast<double>(line.size()), height() - value);
        QPainter{this}.drawPolyline(line);
    }

private:
    const Numbers& m_numbers;
};

class NumbersPage : public DocumentPage
{
public:
    NumbersPage(workspace::DocumentPtr document, QWidget* parent)
        : DocumentPage{std::move(document), parent}
    {
        setCentre(new Curve{numbers()});
        addDock({QStringLiteral("facts"), QStringLiteral("Facts"), Qt::RightDockWidgetArea});
        addView(QStringLiteral("facts"), m_sum = new QLabel, QStringLiteral("Sum"),
                QStringLiteral("Sum"));
        addDock({QStringLiteral("list"), QStringLiteral("List")});
        addView(QStringLiteral("list"), new QLabel{QStringLiteral("list")}, QStringLiteral("List"));
        show();
    }
    [[nodiscard]] Numbers& numbers() const { return static_cast<Numbers&>(kept()); }
    [[nodiscard]] QString sum() const { return m_sum->text(); }
    [[nodiscard]] QUndoStack& undoStack() override { return m_undo; }
    [[nodiscard]] StatusText status() const override { return {QStringLiteral("read"), {}}; }
    void doubleAll()
    {
        numbers().doubled = numbers().isChanged = true;
        keeper().put("state", [state = numbers().state()](session::SessionStore& store,
                                                          session::DocumentId id) {
            return store.saveState(id, state);
        });
        show();
    }

private:
    void show()
    {
        int sum = 0;
        for (const int value : numbers().values())
            sum += value;
        m_sum->setText(QString::number(sum));
        Q_EMIT stateChanged();
    }
    QLabel* m_sum = nullptr;
    QUndoStack m_undo;
};

PageKind numbersPageKind()
{
    return {QStringLiteral("numbers"),
            [](workspace::DocumentPtr document, QWidget* parent) -> DocumentPage* {
                return new NumbersPage{std::move(document), parent};
            },
            {},
            QStringLiteral("&Numbers"),
            {{MenuPlace::Own, "numbers.double", QStringLiteral("Double"), "",
              [](DocumentPage& page) { static_cast<NumbersPage&>(page).doubleAll(); }}}};
}

class SecondKindTest : public QObject, private tests::WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        openWindow({1440, 900}, std::nullopt, [](PageRegistry& registry) {
            registry.documents.formats.add(numbersFormat());
            registry.documents.kinds.insert(registry.documents.kinds.begin(), numbersKind());
            registry.kinds.push_back(numbersPageKind());
        });
    }
    void cleanup() { closeWindow(); }
    void opensWithDocksAndACommand();
    void isKeptBesideAGraph();

private:
    NumbersPage* openNumbers()
    {
        const std::string path = m_folder->fileWith("a.numbers", "1 2 3");
        QSignalSpy opened{m_window.get(), &MainWindow::opened};
        m_window->openFiles({QString::fromStdString(path)});
        return opened.wait(tests::kPatience) ? dynamic_cast<NumbersPage*>(m_window->currentPage())
                                             : nullptr;
    }
};

void SecondKindTest::opensWithDocksAndACommand()
{
    const QAction& twice = *m_window->findChild<QAction*>(QStringLiteral("numbers.double"));
    QVERIFY(!twice.isEnabled()); // on the start page
    NumbersPage* page = openNumbers();
    QVERIFY(page != nullptr);
    QCOMPARE(m_window->findChild<QTabBar*>()->tabText(1), QStringLiteral("a"));
    QCOMPARE(page->dockActions().size(), 2);
    QCOMPARE(page->panels().size(), 3);
    QVERIFY(twice.isEnabled());
    QVERIFY(!m_window->findChild<QAction*>(QStringLiteral("plan.now"))->isEnabled());
    trigger("numbers.double");
    QCOMPARE(page->sum(), QStringLiteral("12"));
    QVERIFY(page->isUnsaved());
    m_window->resize(1024, 640); // the side becomes a tab below
    QTRY_VERIFY(!page->dock(QStringLiteral("facts")).isVisible());
    QCOMPARE(page->dock(QStringLiteral("list")).findChild<QTabBar*>()->count(), 2);
}

void SecondKindTest::isKeptBesideAGraph()
{
    const QString session = QString::fromStdString(m_folder->file("both.plimsoll"));
    PlannerPage* plan = openPlanned();
    QVERIFY(plan != nullptr);
    m_window->saveTo(*plan, session);
    QVERIFY(QTest::qWaitFor([&] { return plan->isInSession() && !plan->isUnsaved(); },
                            tests::kPatience));
    NumbersPage* page = openNumbers();
    QVERIFY(page != nullptr);
    page->saveInto(plan->sessionFile());
    QVERIFY(QTest::qWaitFor([&] { return page->isInSession(); }, tests::kPatience));
    trigger("numbers.double"); // after it was added: written by itself
    plan->document().commitBudget(base::Bytes{std::int64_t{2300} << 20});
    QVERIFY(QTest::qWaitFor([&] { return !page->isUnsaved() && !plan->isUnsaved(); },
                            tests::kPatience));
    const base::Bytes budget = plan->document().budget();
    m_window->closePage(*page);
    m_window->closePage(*plan);
    QTRY_VERIFY(m_window->pages().empty());

    QSignalSpy opened{m_window.get(), &MainWindow::opened};
    m_window->openFiles({session});
    QVERIFY(QTest::qWaitFor([&] { return opened.size() == 2; }, tests::kPatience));
    auto* planAgain = dynamic_cast<PlannerPage*>(m_window->pages().at(0));
    auto* pageAgain = dynamic_cast<NumbersPage*>(m_window->pages().at(1));
    QVERIFY(planAgain != nullptr && pageAgain != nullptr);
    QCOMPARE(planAgain->document().budget(), budget);
    QCOMPARE(pageAgain->sum(), QStringLiteral("12"));
    QCOMPARE(pageAgain->title(), QStringLiteral("a"));
    QVERIFY(planAgain->sessionFile() == pageAgain->sessionFile());
}

} // namespace

PLIMSOLL_TEST(SecondKindTest, QApplication)
#include "second_kind_test.moc"
