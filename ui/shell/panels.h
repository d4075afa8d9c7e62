// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>

class QWidget;

namespace plimsoll::ui {

/// Moves the focus `by` panels on from the one that has it, round the end, past panels in which
/// nothing takes the focus; a panel gets it back where it was last. The ring shows, for a key did
/// it.
void goToPanel(const QList<QWidget*>& panels, int by);

} // namespace plimsoll::ui
