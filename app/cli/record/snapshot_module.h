// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace plimsoll::cli {

/// The text of sitecustomize.py in this folder; CMake puts it into the program.
extern const char* const kSnapshotModule;

/// A temporary folder with that module, removed with the object.
class SnapshotModule
{
public:
    [[nodiscard]] static base::Result<SnapshotModule> write();
    ~SnapshotModule();
    SnapshotModule(SnapshotModule&& other) noexcept;
    SnapshotModule& operator=(SnapshotModule&&) = delete;
    SnapshotModule(const SnapshotModule&) = delete;
    SnapshotModule& operator=(const SnapshotModule&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

private:
    explicit SnapshotModule(std::filesystem::path folder) : m_folder{std::move(folder)} {}

    std::filesystem::path m_folder; ///< empty: moved from
};

} // namespace plimsoll::cli
