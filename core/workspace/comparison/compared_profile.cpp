// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/comparison/compared_profile.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/io/byte_source.h"
#include "core/memtrace/summary.h"
#include "core/workspace/file_formats.h"
#include "core/workspace/profile/profile_document.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace plimsoll::workspace {

namespace {

std::vector<memtrace::ComparedDevice> devicesOf(const ComparedProfiles& profiles)
{
    std::vector<memtrace::ComparedDevice> devices;
    for (const ComparedProfile& profile : profiles)
        devices.push_back(profile.compared());
    return devices;
}

} // namespace

ComparedProfile comparedProfile(const ProfileDocument& document)
{
    const auto& devices = document.trace->devices();
    const auto shown = std::ranges::find_if(devices, [&](const memtrace::DeviceTrace& device) {
        return device.ordinal() == document.settings.device;
    });
    return {document.name(), document.origin(), document.contentHash(), document.trace,
            shown != devices.end() ? static_cast<std::size_t>(shown - devices.begin())
                                   : memtrace::summaryOf(*document.trace).highest};
}

base::Result<ComparedProfile> readComparedProfile(const std::filesystem::path& path,
                                                  const base::JobContext& job)
{
    io::Source source{path};
    ASSIGN_OR_RETURN(readers::FileValue value,
                     fileFormats().read(source, readers::FileKind::Profile, job));
    auto* profile = std::get_if<readers::ReadProfile>(&value);
    if (profile == nullptr)
        return base::failure(base::ErrorKind::File,
                             source.name() + " is no memory profile; choose a recording.");
    const std::size_t highest = memtrace::summaryOf(*profile->trace).highest;
    return ComparedProfile{profileName(path), path, profile->contentHash, profile->trace, highest};
}

const memtrace::DiffGroup* ComparisonPicture::mainClass() const
{
    const std::int64_t difference = peakDifference().count();
    for (const memtrace::DiffGroup& group : classes.groups) {
        const std::int64_t part = group.delta().count();
        if ((part > 0) == (difference > 0) && std::abs(part) <= std::abs(difference)
            && 2 * std::abs(part) > std::abs(difference))
            return &group;
    }
    return nullptr;
}

base::Result<ComparisonPicturePtr> comparisonPicture(ComparedProfiles profiles,
                                                     const ComparisonSettings& settings,
                                                     const base::JobContext& job,
                                                     const ComparisonPicturePtr& last)
{
    if (profiles.size() < 2)
        return base::failure(base::ErrorKind::Usage,
                             "A comparison takes at least two profiles; add another one.");
    auto picture = std::make_shared<ComparisonPicture>();
    picture->profiles = std::move(profiles);
    picture->by = settings.by;
    const std::vector<memtrace::ComparedDevice> devices = devicesOf(picture->profiles);
    const bool isSame = last && devicesOf(last->profiles) == devices;
    if (isSame && last->axis == settings.axis) {
        picture->comparison = last->comparison;
    } else {
        ASSIGN_OR_RETURN(picture->comparison,
                         memtrace::compareDevices(devices, settings.axis, job.piece(0, 3)));
    }
    picture->axis = settings.axis;
    job.report(1, 3);
    if (isSame)
        picture->classes = last->classes;
    else
        picture->classes = picture->comparison->diffOfPeaks(0, 1, memtrace::LiveBy::Class);
    if (job.stopRequested())
        return base::cancelled();
    job.report(2, 3);
    picture->groups = picture->comparison->diffOfPeaks(0, 1, settings.by);
    if (job.stopRequested())
        return base::cancelled();
    job.report(3, 3);
    return ComparisonPicturePtr{std::move(picture)};
}

} // namespace plimsoll::workspace
