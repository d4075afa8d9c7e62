// SPDX-License-Identifier: Apache-2.0
#include "ui/base/texts.h"

#include "core/base/format.h"

#include <QObject>
#include <QTextDocument>

namespace plimsoll::ui {

namespace {
constexpr std::size_t kLongest = 1000; ///< bytes
} // namespace

QString fileText(std::string_view text)
{
    return QString::fromStdString(base::printable(text, kLongest));
}

QString fileText(const QString& text)
{
    return fileText(std::string_view{text.toStdString()});
}

QString deviceText(int ordinal)
{
    return ordinal < 0 ? QObject::tr("Pinned host memory") : QObject::tr("GPU %1").arg(ordinal);
}

QString plainTip(const QString& text)
{
    return Qt::mightBeRichText(text) ? text.toHtmlEscaped() : text;
}

QString withoutMnemonic(QString text)
{
    return text.replace(u'&', QStringLiteral("&&"));
}

} // namespace plimsoll::ui
