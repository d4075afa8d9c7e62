// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/graph/program.h"

#include <QStringList>

#include <functional>

class QMenu;

namespace plimsoll::ui {

/// Adds "Always keep" and "Always recompute" for each of the globs that select something in the
/// program as such a pin; passes the chosen one to `wanted` in the form of plan::resolvePins().
void addPinActions(QMenu& menu, const graph::Program& program, const QStringList& globs,
                   const std::function<void(const QString& pin)>& wanted);

} // namespace plimsoll::ui
