// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <qnamespace.h>

namespace plimsoll::ui {

/// What models tell a TableDelegate about a cell. Roles of single models begin after these.
enum CellRole {
    FractionRole = Qt::UserRole + 200, ///< length of the bar left of a figure, 0 … 1; invalid: none
    LinkRole,                          ///< whether the cell is a link to a place in the source
    PathRole,                          ///< its target: path:line
    ExactRole, ///< the value without rounding, as a number for other programs; invalid: the text
    FirstModelRole,
};

} // namespace plimsoll::ui
