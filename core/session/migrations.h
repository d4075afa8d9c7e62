// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/session/database.h"

namespace plimsoll::session {

/// Marks a database as a Plimsoll session: "PLMS".
inline constexpr std::int64_t kApplicationId = 0x504c4d53;

/// Brings a file to the newest schema: applies the missing migrations, each in its own transaction,
/// after a copy of an older file was made beside it. Refuses files of other programs and of newer
/// versions. An empty database becomes a session.
[[nodiscard]] base::Result<void> migrate(Database& database);

} // namespace plimsoll::session
