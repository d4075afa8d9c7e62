// SPDX-License-Identifier: Apache-2.0
#include "core/record/warnings.h"

#include "core/base/format.h"
#include "core/capture/decode.h"
#include "core/capture/launch.h"
#include "core/io/byte_source.h"
#include "core/io/input.h"

#include <fmt/format.h>

#include <system_error>

namespace plimsoll::record {

std::vector<std::string> warningsOf(const std::filesystem::path& file,
                                    const capture::Capture& capture)
{
    std::vector<std::string> warnings;
    for (const capture::Status& status : capture.statuses)
        if (!status.text.empty())
            warnings.push_back(status.text);
    if (const std::uint64_t lost = capture.lostRecords(); lost > 0)
        warnings.push_back(fmt::format("{} in {} because nobody took them in time: record a "
                                       "shorter part, or less at a time.",
                                       lost == 1 ? "One record is missing"
                                                 : fmt::format("{} records are missing", lost),
                                       io::pathText(file)));
    if (capture.drops.cutBuffers > 0)
        warnings.push_back(fmt::format("CUPTI gave back {} that ended within a record, so {} in "
                                       "{}.",
                                       base::counted(capture.drops.cutBuffers, "buffer"),
                                       capture.drops.cutBuffers == 1 ? "one record is missing"
                                                                     : "records are missing",
                                       io::pathText(file)));
    if (const std::string damage = capture::damageText(capture.damage); !damage.empty())
        warnings.push_back(fmt::format("{}: {}", io::pathText(file), damage));
    if (capture.wasKilled())
        warnings.push_back(fmt::format("The program was ended before it could finish {}: the "
                                       "recording lacks its last moments.",
                                       io::pathText(file)));
    return warnings;
}

base::Result<std::filesystem::path> snapshotBeside(const std::filesystem::path& file)
{
    const std::filesystem::path snapshot = capture::snapshotOf(file);
    const std::filesystem::path fault = snapshot.native() + ".error";
    std::error_code error;
    if (std::filesystem::exists(snapshot, error))
        return snapshot;
    const auto why = io::readHead(fault, 300);
    if (!why)
        return base::failure(base::ErrorKind::File,
                             "PyTorch wrote no memory snapshot: the program used no PyTorch on a "
                             "GPU, or was ended before it could.");
    std::filesystem::remove(fault, error);
    return base::failure(
        base::ErrorKind::File,
        fmt::format("PyTorch wrote no memory snapshot ({}).", base::printable(*why)));
}

} // namespace plimsoll::record
