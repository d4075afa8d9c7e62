// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace plimsoll::ui {

class DocumentPage;
class Settings;

/// Lets each table of a page be exported as CSV; the page tells how that ended.
void addTableExports(DocumentPage& page, Settings& settings);

} // namespace plimsoll::ui
