// SPDX-License-Identifier: Apache-2.0
#include "tests/stand_in_gpu/cupti_settings.h"

#include <cstdlib>

namespace plimsoll::stand_in {

namespace {

std::string textOf(const char* variable)
{
    const char* text = std::getenv(variable);
    return text != nullptr ? text : "";
}

CuptiSettings readSettings()
{
    CuptiSettings read;
    if (const std::string version = textOf("STAND_IN_CUPTI_VERSION"); !version.empty())
        read.version = static_cast<std::uint32_t>(std::strtoul(version.c_str(), nullptr, 10));
    read.late = textOf("STAND_IN_CUPTI_LATE") == "1";
    read.perThread = textOf("STAND_IN_CUPTI_PER_THREAD") == "1";
    read.cut = textOf("STAND_IN_CUPTI_CUT") == "1";
    read.noDriver = textOf("STAND_IN_CUPTI_NO_DRIVER") == "1";
    read.dropEach = std::strtoul(textOf("STAND_IN_CUPTI_DROP_EACH").c_str(), nullptr, 10);
    read.wrong = textOf("STAND_IN_CUPTI_WRONG");
    read.subscriber = textOf("STAND_IN_CUPTI_SUBSCRIBER");
    return read;
}

} // namespace

const CuptiSettings& cuptiSettings()
{
    static const auto* const kSettings = new CuptiSettings{readSettings()};
    return *kSettings;
}

} // namespace plimsoll::stand_in
