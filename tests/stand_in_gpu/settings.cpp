// SPDX-License-Identifier: Apache-2.0
#include "tests/stand_in_gpu/settings.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace plimsoll::stand_in {

namespace {

constexpr int kMostDevices = 16;

[[noreturn]] void refuse(const char* variable, std::string_view text, const char* wanted)
{
    std::fprintf(stderr, "stand-in GPU: %s is \"%.*s\", but must be %s.\n", variable,
                 static_cast<int>(text.size()), text.data(), wanted);
    std::_Exit(2);
}

template <typename Number>
void readNumber(const char* variable, Number& value, Number least, Number most, const char* wanted)
{
    const char* given = std::getenv(variable);
    if (given == nullptr)
        return;
    const std::string_view text{given};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < least || value > most)
        refuse(variable, text, wanted);
}

/// NVIDIA's tables of compute capabilities: multiprocessors of the largest data centre GPU of each.
int processorsOf(int major, int minor)
{
    switch (major * 10 + minor) {
    case 70: return 80;
    case 75: return 72;
    case 86: return 84;
    case 89: return 142;
    case 90: return 132;
    case 100: return 148;
    case 120: return 188;
    default: return 108;
    }
}

void readSwitch(const char* variable, bool& value)
{
    int number = value ? 1 : 0;
    readNumber(variable, number, 0, 1, "0 or 1");
    value = number == 1;
}

void readCapability(Settings& settings)
{
    constexpr auto kVariable = "STAND_IN_GPU_CAPABILITY";
    constexpr auto kWanted = "a compute capability from 7.0 to 12.9, such as 8.0";
    const char* given = std::getenv(kVariable);
    if (given == nullptr)
        return;
    const std::string_view text{given};
    const char* end = text.data() + text.size();
    const auto [dot, error] = std::from_chars(text.data(), end, settings.major);
    if (error != std::errc{} || dot == end || *dot != '.')
        refuse(kVariable, text, kWanted);
    const auto [rest, error2] = std::from_chars(dot + 1, end, settings.minor);
    if (error2 != std::errc{} || rest != end || settings.major < 7 || settings.major > 12
        || settings.minor < 0 || settings.minor > 9)
        refuse(kVariable, text, kWanted);
    settings.processors = processorsOf(settings.major, settings.minor);
}

Settings readSettings()
{
    Settings read;
    readNumber("STAND_IN_GPU_DEVICES", read.devices, 0, kMostDevices,
               "a number of devices from 0 to 16");
    readNumber("STAND_IN_GPU_MEMORY", read.memory, std::size_t{1} << 21, std::size_t{1} << 40,
               "the bytes of a device, from 2097152 to 1099511627776");
    readCapability(read);
    readSwitch("STAND_IN_GPU_LATE_EVENTS", read.lateEvents);
    readSwitch("STAND_IN_GPU_VALUES", read.values);
    return read;
}

} // namespace

const Settings& settings()
{
    static const Settings kSettings = readSettings();
    return kSettings;
}

void reportMissing(const char* function)
{
    std::fprintf(stderr, "stand-in GPU: %s() is not implemented.\n", function);
}

} // namespace plimsoll::stand_in
