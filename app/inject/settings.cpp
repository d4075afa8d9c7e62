// SPDX-License-Identifier: Apache-2.0
#include "app/inject/settings.h"

#include <algorithm>
#include <cstdlib>

namespace plimsoll::inject {

namespace {

constexpr auto kDefaultFile = "plimsoll.plmcap";

std::string textOf(const char* variable)
{
    // Once, while the driver starts. NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char* const text = std::getenv(variable);
    return text != nullptr ? text : "";
}

/// A value that is no number counts as not given: the program that is recorded must run.
template <typename Number>
void readNumber(const char* variable, Number& value, Number least, Number most, int base = 10)
{
    const std::string text = textOf(variable);
    char* end = nullptr;
    const unsigned long long number = std::strtoull(text.c_str(), &end, base);
    if (!text.empty() && end != nullptr && *end == '\0')
        value = static_cast<Number>(std::clamp<unsigned long long>(number, least, most));
}

} // namespace

Settings readSettings()
{
    Settings read;
    read.file = textOf("PLIMSOLL_CAPTURE_FILE");
    if (read.file.empty())
        read.file = kDefaultFile;
    read.cupti = textOf("PLIMSOLL_CUPTI");
    unsigned long long number = 0;
    readNumber("PLIMSOLL_CAPTURE_PID", number, 0ULL, 0x7FFFFFFFULL);
    read.mainPid = static_cast<int>(number);
    readNumber("PLIMSOLL_CAPTURE_RUN", read.run, std::uint64_t{0}, ~std::uint64_t{0}, 16);
    number = static_cast<unsigned long long>(read.period.count());
    readNumber("PLIMSOLL_CAPTURE_PERIOD", number, 10ULL, 60'000ULL);
    read.period = std::chrono::milliseconds{number};
    readNumber("PLIMSOLL_CAPTURE_BUFFERS", read.buffers, std::size_t{2}, std::size_t{4096});
    return read;
}

std::string fileName(const Settings& settings, int pid, int attempt)
{
    if (pid == settings.mainPid && attempt == 0)
        return settings.file;
    std::string number = "." + std::to_string(pid);
    if (attempt > 0)
        number += "-" + std::to_string(attempt + 1);
    const std::size_t slash = settings.file.rfind('/');
    const std::size_t begin = slash == std::string::npos ? 0 : slash + 1;
    const std::size_t dot = settings.file.rfind('.');
    const std::size_t end = dot == std::string::npos || dot <= begin ? settings.file.size() : dot;
    return settings.file.substr(0, end) + number + settings.file.substr(end);
}

} // namespace plimsoll::inject
