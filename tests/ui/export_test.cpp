// SPDX-License-Identifier: Apache-2.0
// Plans written into files: which folder and name are proposed, and each format.
#include "core/plan_file/plan_json.h"
#include "core/writers/formats.h"

#include "tests/support/test_main.h"
#include "tests/ui/window_fixture.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QImage>
#include <QLineEdit>
#include <QPushButton>
#include <QSet>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>
#include <QTimer>

namespace {

using namespace plimsoll;
using namespace plimsoll::tests;
using namespace plimsoll::ui;

class ExportTest : public QObject, private WindowFixture
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openWindow(); }
    void cleanup() { closeWindow(); }
    void proposesWhereToSave();
    void exportsByEnding();
};

/// Proposed in the user's documents at first, then where the last one was written.
void ExportTest::proposesWhereToSave()
{
    // Home if there is no such folder.
    const QByteArray home = qgetenv("HOME");
    const QString own = QString::fromStdString(m_folder->file("home"));
    QVERIFY(QDir{}.mkpath(own));
    qputenv("HOME", own.toUtf8());
    const QString alone = m_settings->saveFolder();
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    QVERIFY(QDir{}.mkpath(documents));
    const QString together = m_settings->saveFolder();
    qputenv("HOME", home);
    QCOMPARE(alone, own);
    QVERIFY(documents.startsWith(own));
    QCOMPARE(together, documents);
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QString proposed;
    QString afterwards;
    QString folder;
    QTimer::singleShot(0, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        if (dialog == nullptr)
            return;
        folder = dialog->directory().absolutePath();
        auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
        auto* kinds = dialog->findChild<QComboBox*>(QStringLiteral("fileTypeCombo"));
        proposed = name->text();
        QTest::keyClick(kinds, Qt::Key_Down); // the format below: Python
        afterwards = name->text();
        name->setText(QString::fromStdString(m_folder->file("mine.py")));
        dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
    });
    QSignalSpy exported{&page->exporter(), &PlanExport::exported};
    trigger("file.export");
    QCOMPARE(proposed, QStringLiteral("resnet18.plan.json"));
    QCOMPARE(afterwards, QStringLiteral("resnet18.plan.py"));
    QVERIFY(exported.count() == 1 || exported.wait(kPatience));
    QCOMPARE(m_settings->saveFolder(),
             QFileInfo{QString::fromStdString(m_folder->file("mine.py"))}.absolutePath());
}

void ExportTest::exportsByEnding()
{
    PlannerPage* page = openPlanned();
    QVERIFY(page != nullptr);
    QSignalSpy exported{&page->exporter(), &PlanExport::exported};
    for (const char* ending : {"json", "py", "csv", "svg", "png", "pdf"}) {
        const QString path = QString::fromStdString(m_folder->file(std::string{"plan."} + ending));
        page->exporter().start(path);
        QVERIFY(exported.wait(kPatience));
        QFile file{path};
        QVERIFY(file.open(QIODevice::ReadOnly));
        const std::string content = file.readAll().toStdString();
        QVERIFY(!content.empty());
        if (std::string_view{ending} == "json") {
            const auto read = plan::readPlan(content, *page->document().document().graph.program);
            QVERIFY(read);
            QVERIFY(read->plan == page->document().outcome().best->plan());
        } else if (std::string_view{ending} == "png") {
            const QImage image = QImage::fromData(QByteArray::fromStdString(content));
            QCOMPARE(image.size(), (QSize{2400, 1120}));
            // The line of the budget, or a label, and areas in the classes' colours.
            QSet<QRgb> colours;
            for (int y = 300; y < 1016; y += 3)
                for (int x = 200; x < 2300; x += 11)
                    colours << image.pixel(x, y);
            QVERIFY(colours.contains(qRgb(0x27, 0x91, 0xcd)));
            QVERIFY(colours.contains(qRgb(0x01, 0x37, 0x77)));
        } else if (std::string_view{ending} == "pdf") {
            QVERIFY(content.starts_with("%PDF-") && content.size() > 10'000);
        }
    }
    page->exporter().start(QStringLiteral("plan.docx"));
    QVERIFY(QTest::qWaitFor([&] { return !page->strip().isHidden(); }, kPatience));
    trigger("file.snippet");
    QCOMPARE(QGuiApplication::clipboard()->text().toStdString(),
             writers::pythonSnippet(page->document().outcome().best));
}

} // namespace

PLIMSOLL_TEST(ExportTest, QApplication)
#include "export_test.moc"
