// SPDX-License-Identifier: Apache-2.0
#include "ui/manual/manual_look.h"

#include "ui/base/theme.h"
#include "ui/manual/manual_pages.h"

#include <QHash>
#include <QImage>
#include <QTextBlock>
#include <QTextDocument>
#include <QTextFrame>
#include <QTextTable>

#include <algorithm>
#include <vector>

namespace plimsoll::ui {

namespace {

constexpr double kLineHeight = 140; ///< percent
constexpr int kBodyPixels = 13;

QFont bodyFont()
{
    QFont font = Theme::current().font(TextRole::Body);
    font.setPixelSize(Theme::current().px(kBodyPixels));
    return font;
}

bool isCode(const QTextBlock& block)
{
    const QTextBlockFormat format = block.blockFormat();
    return format.hasProperty(QTextFormat::BlockCodeFence)
           || format.hasProperty(QTextFormat::BlockCodeLanguage) || format.nonBreakableLines();
}

QTextCharFormat codeFormat()
{
    const Theme& theme = Theme::current();
    QFont font = theme.font(TextRole::Code);
    font.setPixelSize(theme.px(kBodyPixels - 1));
    QTextCharFormat format;
    format.setFont(font);
    format.setForeground(theme.color(Role::Text));
    return format;
}

void select(QTextCursor& cursor, const QTextBlock& block)
{
    cursor.setPosition(block.position());
    cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
}

void styleHeading(QTextCursor& cursor, const QTextBlock& block, const QString& anchor)
{
    const Theme& theme = Theme::current();
    const int level = block.blockFormat().headingLevel();
    QTextBlockFormat format;
    format.setTopMargin(theme.px(level == 1 ? 0 : level == 2 ? 20 : 14));
    format.setBottomMargin(theme.px(6));
    cursor.mergeBlockFormat(format);
    select(cursor, block);
    QTextCharFormat text;
    QFont font = bodyFont();
    font.setPixelSize(theme.px(level == 1 ? 22 : level == 2 ? 17 : 14));
    font.setWeight(QFont::DemiBold);
    text.setFont(font);
    text.setForeground(theme.color(Role::Text));
    text.setAnchor(true);
    text.setAnchorNames({anchor});
    cursor.mergeCharFormat(text);
}

void styleCode(QTextCursor& cursor, const QTextBlock& block)
{
    const Theme& theme = Theme::current();
    const bool isFirst = !isCode(block.previous());
    const bool isLast = !isCode(block.next());
    QTextBlockFormat format;
    format.setBackground(theme.color(Role::Raised));
    format.setTopMargin(isFirst ? theme.px(6) : 0);
    format.setBottomMargin(isLast ? theme.px(10) : 0);
    format.setTextIndent(theme.px(8));
    // Long lines of code may wrap, drawings may not.
    format.setNonBreakableLines(!block.blockFormat().hasProperty(QTextFormat::BlockCodeLanguage));
    cursor.mergeBlockFormat(format);
    select(cursor, block);
    cursor.mergeCharFormat(codeFormat());
}

void styleText(QTextCursor& cursor, const QTextBlock& block)
{
    const Theme& theme = Theme::current();
    QTextBlockFormat format;
    const bool isCell = cursor.currentTable() != nullptr;
    format.setLineHeight(kLineHeight, QTextBlockFormat::ProportionalHeight);
    format.setTopMargin(0);
    format.setBottomMargin(isCell ? 0 : theme.px(block.textList() != nullptr ? 4 : 9));
    cursor.mergeBlockFormat(format);
    // Changing formats invalidates the iteration: collect the places first, then set the colours.
    struct Piece
    {
        int begin, end;
        bool isLink, isFixed;
    };
    std::vector<Piece> pieces;
    for (auto it = block.begin(); !it.atEnd(); ++it) {
        const QTextFragment piece = it.fragment();
        const QTextCharFormat& has = piece.charFormat();
        pieces.push_back({piece.position(), piece.position() + piece.length(),
                          !has.anchorHref().isEmpty(), has.fontFixedPitch()});
    }
    for (const Piece& piece : pieces) {
        cursor.setPosition(piece.begin);
        cursor.setPosition(piece.end, QTextCursor::KeepAnchor);
        QTextCharFormat look = piece.isFixed ? codeFormat() : QTextCharFormat{};
        look.setForeground(theme.color(piece.isLink ? Role::Accent : Role::Text));
        if (piece.isLink)
            look.setFontUnderline(false);
        if (piece.isFixed && !piece.isLink)
            look.setBackground(theme.color(Role::Raised));
        cursor.mergeCharFormat(look);
    }
}

/// Qt begins a table that follows code with an empty line in its first cell.
void removeEmptyLine(const QTextTableCell& cell)
{
    QTextCursor cursor = cell.firstCursorPosition();
    if (cursor.block().length() == 1 && cell.firstPosition() < cell.lastPosition())
        cursor.deleteChar();
}

void styleTable(QTextTable& table)
{
    const Theme& theme = Theme::current();
    QTextTableFormat format = table.format();
    format.setBorder(1);
    format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
    format.setBorderBrush(theme.color(Role::Border));
    format.setBorderCollapse(true);
    format.setCellSpacing(0);
    format.setCellPadding(theme.px(5));
    format.setTopMargin(theme.px(4));
    format.setBottomMargin(theme.px(10));
    format.setWidth(QTextLength{QTextLength::PercentageLength, 100});
    format.setHeaderRowCount(1);
    table.setFormat(format);
    removeEmptyLine(table.cellAt(0, 0));
    for (int column = 0; column < table.columns(); ++column) {
        QTextTableCell cell = table.cellAt(0, column);
        QTextCursor text = cell.firstCursorPosition();
        text.setPosition(cell.lastPosition(), QTextCursor::KeepAnchor);
        QTextCharFormat bold;
        bold.setFontWeight(QFont::DemiBold);
        text.mergeCharFormat(bold);
        QTextCharFormat head = cell.format();
        head.setBackground(theme.color(Role::Raised));
        cell.setFormat(head);
    }
}

} // namespace

void styleManual(QTextDocument& document)
{
    document.setUndoRedoEnabled(false);
    document.setDefaultFont(bodyFont());
    document.setDocumentMargin(Theme::current().px(20));
    QTextCursor cursor{&document};
    cursor.beginEditBlock();
    QHash<QString, int> taken;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        cursor.setPosition(block.position());
        if (block.blockFormat().headingLevel() > 0)
            styleHeading(cursor, block, anchorOf(block.text(), taken));
        else if (isCode(block))
            styleCode(cursor, block);
        else
            styleText(cursor, block);
    }
    for (QTextFrame* child : document.rootFrame()->childFrames())
        if (auto* table = qobject_cast<QTextTable*>(child))
            styleTable(*table);
    cursor.endEditBlock();
}

bool isManualStyled(const QTextDocument& document)
{
    // Every page begins with a heading.
    const QTextBlock first = document.begin();
    return !first.begin().atEnd() && first.begin().fragment().charFormat().isAnchor();
}

void fitPictures(QTextDocument& document, const QString& path, int width, qreal pixelRatio)
{
    struct Picture
    {
        int position;
        QTextImageFormat format;
    };
    std::vector<Picture> pictures;
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next())
        for (auto it = block.begin(); !it.atEnd(); ++it)
            if (it.fragment().charFormat().isImageFormat())
                pictures.push_back(
                    {it.fragment().position(), it.fragment().charFormat().toImageFormat()});
    QTextCursor cursor{&document};
    for (Picture& picture : pictures) {
        const QString file = resolvedLink(path, picture.format.name());
        const QImage whole{manualUrl(file).toString().mid(3)};
        if (whole.isNull())
            continue;
        const int shown = std::min(width, whole.width());
        QImage scaled =
            whole.scaledToWidth(std::min(whole.width(), static_cast<int>(shown * pixelRatio)),
                                Qt::SmoothTransformation);
        document.addResource(QTextDocument::ImageResource, QUrl{picture.format.name()}, scaled);
        picture.format.setWidth(shown);
        picture.format.setHeight(static_cast<double>(shown) * whole.height() / whole.width());
        cursor.setPosition(picture.position);
        cursor.setPosition(picture.position + 1, QTextCursor::KeepAnchor);
        cursor.setCharFormat(picture.format);
    }
}

} // namespace plimsoll::ui
