// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace plimsoll::ui {

class DocumentPage;
class Settings;

/// Opens a line of a source file in the user's editor. Asks once for the folder of files that are
/// elsewhere than the document says; what can't be opened is told in the page's strip.
void openSource(DocumentPage& page, Settings& settings, const QString& source);

} // namespace plimsoll::ui
