// SPDX-License-Identifier: Apache-2.0
#include "ui/base/base_resources.h"

#include <QDir>

// Q_INIT_RESOURCE declares a function of the global namespace, so it can't stand inside ours.
static void registerResources()
{
    Q_INIT_RESOURCE(resources);
}

namespace plimsoll::ui {

void initResources()
{
    registerResources();
}

} // namespace plimsoll::ui
