// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/database.h"

namespace plimsoll::session {

/// Upgrades a file to the newest schema: copies an older file beside it, then applies the missing
/// migrations, each in its own transaction. Refuses files of other programs and of newer versions.
/// An empty database becomes a session.
[[nodiscard]] base::Result<void> migrate(Database& database);

} // namespace plimsoll::session
