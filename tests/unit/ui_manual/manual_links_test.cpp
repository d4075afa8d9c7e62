// SPDX-License-Identifier: Apache-2.0
// Links of README, of the manual and of every other page beside the code lead somewhere; the
// program carries all pages of the manual, and draws the anchors that links name.
#include "ui/base/theme.h"
#include "ui/manual/manual_look.h"
#include "ui/manual/manual_pages.h"

#include "tests/support/test_main.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QTest>
#include <QTextBlock>
#include <QTextDocument>

#include <algorithm>

namespace {

using namespace plimsoll::ui;

const QString kRoot = QStringLiteral(PLIMSOLL_SOURCE_DIR "/");

QString contentOf(const QString& path)
{
    QFile file{path};
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString{};
}

/// Paths from the root of all Markdown files but those of builds.
QStringList documents()
{
    QStringList paths{QStringLiteral("README.md")};
    for (const char* folder : {"core", "resources", "packaging", "tests"}) {
        QDirIterator files{kRoot + QString::fromLatin1(folder),
                           {QStringLiteral("*.md")},
                           QDir::Files,
                           QDirIterator::Subdirectories};
        while (files.hasNext())
            paths << QDir{kRoot}.relativeFilePath(files.next());
    }
    return paths;
}

bool hasAnchor(const ManualPage& page, const QString& anchor)
{
    return std::ranges::find(page.sections, anchor, &ManualSection::anchor) != page.sections.end();
}

class ManualLinksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void everyLinkLeadsSomewhere();
    void theProgramCarriesEveryPageThatIsLinked();
    void drawnPagesHaveTheAnchorsOfTheirSections();
};

void ManualLinksTest::everyLinkLeadsSomewhere()
{
    QStringList faults;
    for (const QString& path : documents()) {
        for (const QString& link : parseManualPage(path, contentOf(kRoot + path)).links) {
            const QString target = resolvedLink(path, link);
            if (!QUrl{target}.isRelative())
                continue;
            const QString file = target.section(u'#', 0, 0);
            const QString anchor = target.section(u'#', 1);
            if (!QFile::exists(kRoot + file)
                || (!anchor.isEmpty()
                    && !hasAnchor(parseManualPage(file, contentOf(kRoot + file)), anchor)))
                faults << path + QStringLiteral(" links ") + link;
        }
    }
    QVERIFY2(faults.isEmpty(), qPrintable(faults.join(u'\n')));
}

void ManualLinksTest::theProgramCarriesEveryPageThatIsLinked()
{
    const std::vector<ManualPage> pages = readManual();
    QStringList carried;
    for (const ManualPage& page : pages)
        carried << page.path;
    const QDir folder{kRoot + kManualFolder.toString(), QStringLiteral("*.md")};
    for (const QString& name : folder.entryList())
        QVERIFY2(carried.contains(kManualFolder.toString() + name), qPrintable(name));
    QStringList missing;
    for (const ManualPage& page : pages)
        for (const QString& link : page.links) {
            const QString target = resolvedLink(page.path, link).section(u'#', 0, 0);
            if (QUrl{target}.isRelative() && !QFile::exists(manualUrl(target).toString().mid(3)))
                missing << page.path + QStringLiteral(" links ") + link;
        }
    QVERIFY2(missing.isEmpty(), qPrintable(missing.join(u'\n')));
}

void ManualLinksTest::drawnPagesHaveTheAnchorsOfTheirSections()
{
    const Theme theme;
    for (const ManualPage& page : readManual()) {
        QTextDocument document;
        document.setMarkdown(contentOf(manualUrl(page.path).toString().mid(3)));
        styleManual(document);
        QStringList drawn;
        for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
            if (block.blockFormat().headingLevel() > 0)
                drawn << block.begin().fragment().charFormat().anchorNames();
        QStringList expected;
        for (const ManualSection& section : page.sections)
            expected << section.anchor;
        QCOMPARE(drawn, expected);
    }
}

} // namespace

PLIMSOLL_TEST(ManualLinksTest, QApplication)
#include "manual_links_test.moc"
