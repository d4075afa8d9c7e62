// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/plan/data_parallel.h"

#include <QtGlobal>

#include <string>

namespace plimsoll::tests {

/// Moves 1000 bytes a nanosecond in its own memory and 100 to another one.
inline plan::Device linkedDevice()
{
    plan::Device device;
    device.id = "test";
    device.bandwidth = 1e12;
    device.deviceLink = 100e9;
    device.launchLatency = base::Nanoseconds{1000};
    return device;
}

/// A setting on that device; the test stops at a text that is none.
inline plan::DataParallel dataParallel(const std::string& text)
{
    const auto setting = plan::parseDataParallel(text, linkedDevice());
    if (!setting)
        qFatal("%s", setting.error().message.c_str());
    return *setting;
}

} // namespace plimsoll::tests
