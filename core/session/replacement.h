// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/result.h"

#include <filesystem>

namespace plimsoll::session {

/// A new session file on its way to its name: filled beside it, then put in its place as a whole.
/// Until then, and whenever that fails, what was there before stays as it was.
class Replacement
{
public:
    /// Fails when the place holds anything but a session that nobody has open.
    [[nodiscard]] static base::Result<Replacement> begin(const std::filesystem::path& target);
    Replacement(Replacement&& other) noexcept;
    Replacement(const Replacement&) = delete;
    Replacement& operator=(const Replacement&) = delete;
    Replacement& operator=(Replacement&&) = delete;
    /// Removes the new file unless it has taken its place.
    ~Replacement();

    /// Where the new file is to be written; nothing is there yet.
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    /// The new file must be closed.
    [[nodiscard]] base::Result<void> takePlace();

private:
    explicit Replacement(std::filesystem::path target);

    std::filesystem::path m_target; ///< behind all links
    std::filesystem::path m_path;   ///< empty: moved from, or in its place
};

} // namespace plimsoll::session
