// SPDX-License-Identifier: Apache-2.0
// What a profile page writes: tables as CSV, its views as pictures.
#include "ui/pictures/widget_picture.h"
#include "ui/profile_page/docks/live_groups_page.h"
#include "ui/tables/table_csv.h"

#include "tests/support/test_main.h"
#include "tests/ui/profile/profile_fixture.h"

#include <QFile>
#include <QImage>
#include <QStandardItemModel>
#include <QSvgRenderer>

namespace {

using namespace plimsoll;
using namespace plimsoll::ui;
using tests::kPatience;
using tests::RecordedTraining;

class ProfileExportTest : public QObject, private tests::ProfileFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void writesEachRowWithExactNumbers();
    void quotesAndDefusesTexts();
    void leavesNoFileWhenStoppedOrFailed();
    void offersItForEveryTable();
    void drawsThePlots_data();
    void drawsThePlots();
    void tellsWhatWasWritten();

private:
    [[nodiscard]] QString path(const char* name) const
    {
        return QString::fromStdString(m_folder->file(name));
    }
    static QByteArray read(const QString& path)
    {
        QFile file{path};
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray{};
    }
    /// Whether it was written.
    static bool isWritten(TableCsv& csv)
    {
        QSignalSpy finished{&csv, &TableCsv::finished};
        csv.start();
        return (!finished.isEmpty() || finished.wait(kPatience)) && finished[0][0].toBool();
    }
};

void ProfileExportTest::writesEachRowWithExactNumbers()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    tests::chooseTab(*page, QStringLiteral("Allocations"), QStringLiteral("tables"));
    AllocationPage& all = pageOf(*page, "Allocations");
    QVERIFY(QTest::qWaitFor([&] { return all.isCurrent() && all.model().rowCount() == 60; },
                            kPatience));
    TableCsv csv{all.model(), path("all.csv")};
    QVERIFY(isWritten(csv));
    QCOMPARE(csv.rowsWritten(), 60);
    const QList<QByteArray> lines = read(path("all.csv")).trimmed().split('\n');
    QCOMPARE(lines.size(), 61);
    QCOMPARE(lines[0].trimmed(),
             QByteArray{"Allocation,Size,Lives,Class,Stream,Pool,Source,Address"});
    // Largest first: an activation of 3 MiB, whose life is in nanoseconds.
    const std::uint32_t first = all.model().allocationAt(0);
    const memtrace::DeviceTrace& device = page->controller().picture()->device();
    const std::int64_t life = device.axisTimes()[device.lastStep(first) + std::size_t{1}]
                              - device.axisTimes()[device.firstStep(first)];
    QCOMPARE(lines[1].trimmed(),
             QByteArray{"\"forward, model.py:12\",3145728,"} + QByteArray::number(qint64{life})
                 + ",Activations,default,default,model.py:12,0x"
                 + QByteArray::number(quint64{device.allocations().address[first]}, 16));
}

void ProfileExportTest::quotesAndDefusesTexts()
{
    QStandardItemModel model{1, 3};
    model.setHorizontalHeaderLabels({QStringLiteral("a"), QStringLiteral("b, c"), QString{}});
    model.setItem(0, 0, new QStandardItem{QStringLiteral("=HYPERLINK(\"x\")")});
    model.setItem(0, 1, new QStandardItem{QStringLiteral("two\nlines")});
    model.setItem(0, 2, new QStandardItem{QStringLiteral("µ")});
    TableCsv csv{model, path("texts.csv")};
    QVERIFY(isWritten(csv));
    const QList<QByteArray> lines = read(path("texts.csv")).split('\n');
    QCOMPARE(lines[0], QByteArray{"a,\"b, c\",\r"});
    QVERIFY2(lines[1].startsWith("\"'=HYPERLINK(\"\"x\"\")\","), lines[1].constData());
    QVERIFY(lines[1].endsWith(",\u00b5\r"));
    QCOMPARE(lines.size(), 3); // the line break is not one of the file
}

void ProfileExportTest::leavesNoFileWhenStoppedOrFailed()
{
    QStandardItemModel model{200'000, 2};
    TableCsv stopped{model, path("stopped.csv")};
    QSignalSpy finished{&stopped, &TableCsv::finished};
    connect(&stopped, &TableCsv::progressed, &stopped, &TableCsv::stop);
    stopped.start();
    QVERIFY(finished.wait(kPatience));
    QVERIFY(!finished[0][0].toBool() && stopped.error().isEmpty());
    QVERIFY(stopped.rowsWritten() > 0 && stopped.rowsWritten() < 200'000);
    QVERIFY(!QFile::exists(path("stopped.csv")));
    TableCsv changed{model, path("changed.csv")};
    connect(&changed, &TableCsv::progressed, &model, [&model] { model.clear(); });
    QVERIFY(!isWritten(changed));
    QVERIFY(changed.error().contains(QStringLiteral("changed")));
    QVERIFY(!QFile::exists(path("changed.csv")));
    TableCsv nowhere{model, path("no/such/folder.csv")};
    QVERIFY(!isWritten(nowhere));
    QVERIFY(!nowhere.error().isEmpty());
}

void ProfileExportTest::offersItForEveryTable()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    int tables = 0;
    for (const QTableView* table : page->findChildren<QTableView*>()) {
        int offers = 0;
        for (const QAction* action : table->actions())
            offers += action->text().remove(u'&') == QStringLiteral("Export as CSV…") ? 1 : 0;
        QVERIFY2(offers == 1, qPrintable(table->accessibleName()));
        QCOMPARE(table->contextMenuPolicy(), Qt::ActionsContextMenu);
        ++tables;
    }
    QCOMPARE(tables, 6); // live, largest, all, leaks, segments, events
}

void ProfileExportTest::drawsThePlots_data()
{
    QTest::addColumn<QString>("name");
    QTest::newRow("svg") << QStringLiteral("plots.svg");
    QTest::newRow("png") << QStringLiteral("plots.PNG");
    QTest::newRow("pdf") << QStringLiteral("plots.pdf");
    QTest::newRow("no ending") << QStringLiteral("plots");
}

void ProfileExportTest::drawsThePlots()
{
    QFETCH(QString, name);
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    const base::Result<QByteArray> picture = widgetPicture(page->plots(), name);
    QVERIFY(picture);
    const QSize size = page->plots().size();
    if (name.endsWith(QStringLiteral("PNG"))) {
        const QImage image = QImage::fromData(*picture);
        QCOMPARE(image.size(), size * 2);
    } else if (name.endsWith(QStringLiteral("pdf"))) {
        QVERIFY(picture->startsWith("%PDF-") && picture->contains("%%EOF"));
    } else {
        QSvgRenderer svg{*picture};
        QVERIFY(svg.isValid());
        QCOMPARE(svg.viewBox().size(), size);
        QVERIFY(picture->contains("Active and reserved")); // text stays text
    }
}

void ProfileExportTest::tellsWhatWasWritten()
{
    ProfilePage* page = openProfile(sessionOf({}));
    QVERIFY(page != nullptr);
    auto& live = tests::viewOf<LiveGroupsPage>(*page);
    QVERIFY(QTest::qWaitFor([&] { return live.isCurrent(); }, kPatience));
    QSignalSpy noted{page, &DocumentPage::noted};
    page->exporter().start(page->plots(), path("plots.svg"));
    QVERIFY(noted.wait(kPatience));
    QCOMPARE(noted[0][0].toString(), QStringLiteral("Exported plots.svg."));
    QVERIFY(read(path("plots.svg")).contains("<svg"));
    // Neither a session nor a folder is written over.
    page->exporter().start(page->plots(), path("profile.plimsoll"));
    QVERIFY(QTest::qWaitFor([&] { return page->strip().count() == 1; }, kPatience));
    QVERIFY(session::SessionStore::open(m_folder->file("profile.plimsoll")));
}

} // namespace

PLIMSOLL_TEST(ProfileExportTest, QApplication)
#include "profile_export_test.moc"
