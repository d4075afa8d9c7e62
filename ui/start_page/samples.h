// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"

#include <QString>
#include <QStringList>

#include <optional>

namespace plimsoll::ui {

/// The folder of the samples: installed with the program, or that of the source tree. Empty if
/// there is none.
[[nodiscard]] QString sampleFolder();
/// The existing samples, full paths, in the order of the page.
[[nodiscard]] QStringList sampleFiles();
[[nodiscard]] bool isSample(const QString& path);
/// What a sample that is a profile is called; empty for other files.
[[nodiscard]] QString profileTitleOfSample(const QString& path);
/// The GPU for which a sample is planned at first: one that is too small for its unplanned step.
/// Empty for other files, and if the list of GPUs has none of that size.
[[nodiscard]] std::optional<plan::Device> gpuOfSample(const QString& path);

} // namespace plimsoll::ui
