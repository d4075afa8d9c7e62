// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/document_page/page_registry.h"

#include <memory>

namespace plimsoll::ui {

class Recorder;
class Settings;

/// The window's command that starts a program to record: "file.record".
[[nodiscard]] WindowCommand launchCommand(Settings& settings, std::shared_ptr<Recorder> recorder);

} // namespace plimsoll::ui
