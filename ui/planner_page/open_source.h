// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace plimsoll::ui {

class PlannerPage;

/// Opens a line of a source file in the user's editor. Asks once for the folder of files that are
/// elsewhere than the graph says; what can't be opened is told in the page's strip.
void openSource(PlannerPage& page, const QString& source);

} // namespace plimsoll::ui
