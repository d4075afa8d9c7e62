// SPDX-License-Identifier: Apache-2.0
#include "ui/base/help_context.h"

#include <QVariant>
#include <QWidget>

namespace plimsoll::ui {

namespace {
constexpr const char* kProperty = "manualPage";
} // namespace

void setManualPage(QWidget& widget, const QString& page)
{
    widget.setProperty(kProperty, page);
}

QString manualPage(const QWidget* widget)
{
    for (; widget != nullptr; widget = widget->parentWidget())
        if (QString page = widget->property(kProperty).toString(); !page.isEmpty())
            return page;
    return {};
}

} // namespace plimsoll::ui
