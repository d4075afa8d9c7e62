// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/page_registry.h"
#include "ui/profile_page/profile_view.h"

namespace plimsoll::ui {

class Settings;

/// The kind of page for profiles, with its commands.
[[nodiscard]] PageKind profilePageKind(Settings& settings, ProfileLayout layout);

} // namespace plimsoll::ui
