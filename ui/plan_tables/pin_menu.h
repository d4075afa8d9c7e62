// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QStringList>

#include <functional>

class QMenu;

namespace plimsoll::ui {

/// Adds "Always keep" and "Always recompute" for each of the globs; passes the chosen one to
/// `wanted` in the form of plan::resolvePins().
void addPinActions(QMenu& menu, const QStringList& globs,
                   const std::function<void(const QString& pin)>& wanted);

} // namespace plimsoll::ui
