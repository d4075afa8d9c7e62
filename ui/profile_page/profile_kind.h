// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/page_registry.h"
#include "ui/profile_page/profile_view.h"

#include <memory>

namespace plimsoll::ui {

class Recorder;
class Settings;

/// The kind of page for profiles, with its commands. `recorder`: whose recordings such pages
/// follow; may be null.
[[nodiscard]] PageKind profilePageKind(Settings& settings, ProfileLayout layout,
                                       std::shared_ptr<Recorder> recorder = {});

/// The window's command that takes an out-of-memory message of PyTorch: "file.diagnose".
[[nodiscard]] WindowCommand messageCommand();

} // namespace plimsoll::ui
