// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/result.h"
#include "core/memtrace/comparison/comparison.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace plimsoll::workspace {

class ProfileDocument;

/// A profile that is compared with others.
struct ComparedProfile
{
    std::string name;
    std::filesystem::path path; ///< the file that it was read from
    std::string contentHash;
    memtrace::MemoryTracePtr trace;
    std::size_t device = 0; ///< in MemoryTrace::devices()

    [[nodiscard]] memtrace::ComparedDevice compared() const { return {trace, device}; }
    bool operator==(const ComparedProfile&) const = default;
};
using ComparedProfiles = std::vector<ComparedProfile>;

/// An open profile, with the device that its page shows.
[[nodiscard]] ComparedProfile comparedProfile(const ProfileDocument& document);

/// Reads a profile's file; its device is the one with the highest peak. An error of kind File for
/// anything that is no profile.
[[nodiscard]] base::Result<ComparedProfile> readComparedProfile(const std::filesystem::path& path,
                                                                const base::JobContext& job);

/// Two or more profiles compared, the first two of them, A and B, in detail. Immutable.
struct ComparisonPicture
{
    ComparedProfiles profiles;
    memtrace::ComparisonPtr comparison;
    memtrace::Axis axis = memtrace::Axis::Time; ///< as asked for, see Comparison::axis()
    memtrace::TraceDiff classes;                ///< of A and B, by class
    memtrace::LiveBy by = memtrace::LiveBy::Frame;
    memtrace::TraceDiff groups; ///< of A and B, by that

    [[nodiscard]] base::Bytes peakDifference() const
    {
        return comparison->peakOf(1) - comparison->peakOf(0);
    }
    /// The class that makes more than half of the peaks' difference, and no more than all of it;
    /// null: none does.
    [[nodiscard]] const memtrace::DiffGroup* mainClass() const;
};
using ComparisonPicturePtr = std::shared_ptr<const ComparisonPicture>;

/// What to compare, and how.
struct ComparisonSettings
{
    memtrace::Axis axis = memtrace::Axis::Time;
    memtrace::LiveBy by = memtrace::LiveBy::Frame;

    bool operator==(const ComparisonSettings&) const = default;
};

/// Compares two or more profiles. `last`: an earlier picture, or null; what both have in common is
/// taken from it. Cancelled if stopped.
[[nodiscard]] base::Result<ComparisonPicturePtr>
comparisonPicture(ComparedProfiles profiles, const ComparisonSettings& settings,
                  const base::JobContext& job, const ComparisonPicturePtr& last = {});

} // namespace plimsoll::workspace
