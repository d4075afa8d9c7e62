// SPDX-License-Identifier: Apache-2.0
#include "core/doctor/error_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace plimsoll::doctor {

namespace {

using base::ErrorKind;
using base::failure;

constexpr std::string_view kAsked = "Tried to allocate ";
/// Of the allocator that cudaMallocAsync backs.
constexpr std::string_view kAsyncAsked = "would exceed allowed memory. (out of memory)";
/// Begins a message of MPS, which has most of its sizes before the one that was asked for.
constexpr std::string_view kMpsBegin = "MPS backend out of memory (";
/// A message with eight processes has less than half of that.
constexpr std::size_t kMostOneMessage = 4096;
constexpr double kMostSize = 0x1p50; ///< larger ones stand for "no limit"

bool isSpace(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

/// Each run of white space as one space: terminals and mail break lines where they like.
std::string onOneLine(std::string_view text)
{
    std::string line;
    line.reserve(text.size());
    for (const char c : text)
        if (!isSpace(c))
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    return line;
}

/// A size in a text, and what stands around it.
struct Found
{
    ToldBytes bytes;
    bool isUsable = true; ///< not beyond what a device can have
    std::string_view before;
    std::string_view after;
};

/// The unit with which a text begins: its length and its bytes. MPS writes binary units as "GB"
/// until PyTorch 2.6.
std::optional<std::pair<std::size_t, double>> unitAt(std::string_view text)
{
    static constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{{{" bytes", 1},
                                                                                {" KiB", 0x1p10},
                                                                                {" MiB", 0x1p20},
                                                                                {" GiB", 0x1p30},
                                                                                {" KB", 0x1p10},
                                                                                {" MB", 0x1p20},
                                                                                {" GB", 0x1p30}}};
    for (const auto& [name, factor] : kUnits)
        if (text.starts_with(name))
            return std::pair{name.size(), factor};
    return std::nullopt;
}

/// The size whose number begins at `begin`, where a digit is.
std::optional<Found> sizeAt(std::string_view text, std::size_t begin)
{
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value,
                                              std::chars_format::fixed);
    const auto length = static_cast<std::size_t>(end - text.data()) - begin;
    const std::string_view rest = text.substr(begin + length);
    const auto unit = unitAt(rest);
    if (error != std::errc{} || !unit)
        return std::nullopt;
    const std::size_t point = text.substr(begin, length).find('.');
    const auto decimals =
        static_cast<int>(point == std::string_view::npos ? 0 : length - point - 1);
    const auto& [unitLength, factor] = *unit;
    Found found;
    found.isUsable = value * factor < kMostSize;
    if (found.isUsable)
        found.bytes.value = base::Bytes{std::llround(value * factor)};
    if (factor > 1)
        found.bytes.error =
            base::Bytes{static_cast<std::int64_t>(std::ceil(factor / 2 * std::pow(0.1, decimals)))};
    found.before = text.substr(0, begin);
    found.after = rest.substr(unitLength);
    return found;
}

/// "… Process 1234 has " gives 1234.
std::optional<std::int64_t> processIn(std::string_view before)
{
    constexpr std::string_view kHas = " has ";
    if (!before.ends_with(kHas))
        return std::nullopt;
    before.remove_suffix(kHas.size());
    const std::size_t space = before.find_last_of(' ');
    if (space == std::string_view::npos || !before.substr(0, space).ends_with("Process"))
        return std::nullopt;
    std::int64_t pid = 0;
    const auto [end, error] =
        std::from_chars(before.data() + space + 1, before.data() + before.size(), pid);
    return error == std::errc{} && end == before.data() + before.size() ? std::optional{pid}
                                                                        : std::nullopt;
}

void keepFirst(std::optional<ToldBytes>& place, const Found& found)
{
    if (!place && found.isUsable)
        place = found.bytes;
}

/// What the words around a size say that it is.
void take(ErrorMessage& message, const Found& found)
{
    using Member = std::optional<ToldBytes> ErrorMessage::*;
    static constexpr std::array<std::pair<std::string_view, Member>, 11> kBefore{{
        {kAsked, &ErrorMessage::asked},
        {" total capacity of ", &ErrorMessage::capacity},
        {" total capacty of ", &ErrorMessage::capacity}, // as PyTorch 2.1 spells it
        {"Currently allocated : ", &ErrorMessage::allocated},
        {"Requested : ", &ErrorMessage::asked},
        {"Device limit : ", &ErrorMessage::capacity},
        {"Free (according to CUDA): ", &ErrorMessage::free},
        {"memory fraction) : ", &ErrorMessage::allowed},
        {"(MPS allocated: ", &ErrorMessage::allocated},
        {", other allocations: ", &ErrorMessage::foreign},
        {", max allowed: ", &ErrorMessage::allowed},
    }};
    static constexpr std::array<std::pair<std::string_view, Member>, 9> kAfter{{
        {" total capacity;", &ErrorMessage::capacity},
        {" already allocated;", &ErrorMessage::allocated},
        {" free;", &ErrorMessage::free},
        {" is free", &ErrorMessage::free},
        {" allowed;", &ErrorMessage::allowed},
        {" reserved in total by PyTorch", &ErrorMessage::reserved},
        {" is allocated by PyTorch", &ErrorMessage::allocated},
        {" allocated in private pools", &ErrorMessage::privatePools},
        {" is reserved by PyTorch but unallocated", &ErrorMessage::unallocated},
    }};
    for (const auto& [words, member] : kBefore)
        if (found.before.ends_with(words))
            return keepFirst(message.*member, found);
    for (const auto& [words, member] : kAfter)
        if (found.after.starts_with(words))
            return keepFirst(message.*member, found);
    if (!found.after.starts_with(" memory in use") || !found.isUsable)
        return;
    if (found.before.ends_with("this process has "))
        keepFirst(message.thisProcess, found);
    else if (const std::optional<std::int64_t> pid = processIn(found.before))
        message.processes.push_back({*pid, found.bytes});
}

/// "GPU 0", "device 0": the first number behind one of these words.
std::optional<int> deviceIn(std::string_view text)
{
    for (const std::string_view word : {"GPU ", "on device "}) {
        const std::size_t at = text.find(word);
        int device = 0;
        if (at == std::string_view::npos)
            continue;
        const std::string_view number = text.substr(at + word.size());
        if (std::from_chars(number.data(), number.data() + number.size(), device).ec == std::errc{}
            && device >= 0)
            return device;
    }
    return std::nullopt;
}

/// Where the sizes of the message begin whose kAsked is at the end of `before`.
std::size_t firstSizeIn(std::string_view before)
{
    const std::size_t mps = before.rfind(kMpsBegin);
    const bool isMps = mps != std::string_view::npos && before.ends_with("). ")
                       && before.find(')', mps) == before.size() - 3;
    return isMps ? mps + kMpsBegin.size() : before.size();
}

/// "HIP" of "HIP out of memory. ".
std::string backendIn(std::string_view before)
{
    if (firstSizeIn(before) < before.size())
        return "MPS";
    for (const std::string_view name : {"HIP", "XPU"})
        if (before.ends_with(fmt::format("{} out of memory. ", name)))
            return std::string{name};
    return "CUDA";
}

/// Where messages begin, and the text of each starts.
std::vector<std::size_t> messagesIn(std::string_view line)
{
    std::vector<std::size_t> begins;
    for (const std::string_view words : {kAsked, kAsyncAsked})
        for (std::size_t at = line.find(words); at != std::string_view::npos;
             at = line.find(words, at + words.size()))
            if (words == kAsyncAsked
                || (at < line.size() - words.size() && isDigit(line[at + words.size()])))
                begins.push_back(at);
    std::sort(begins.begin(), begins.end());
    return begins;
}

void completeReserved(ErrorMessage& message)
{
    if (!message.reserved && message.allocated && message.unallocated)
        message.reserved = *message.allocated + *message.unallocated;
    if (!message.unallocated && message.allocated && message.reserved)
        message.unallocated =
            ToldBytes{std::max(base::Bytes{}, message.reserved->value - message.allocated->value),
                      message.reserved->error + message.allocated->error};
}

} // namespace

std::string_view limitName(const ErrorMessage& message)
{
    if (message.backend == "MPS")
        return "PYTORCH_MPS_HIGH_WATERMARK_RATIO";
    return message.backend == "XPU" ? "torch.xpu.set_per_process_memory_fraction()"
                                    : "torch.cuda.set_per_process_memory_fraction()";
}

base::Result<ErrorMessage> parseErrorMessage(std::string_view text)
{
    if (text.size() > kMostMessageBytes)
        return failure(ErrorKind::File,
                       "the text has more than 65,536 bytes, which is as much as is looked "
                       "through: leave only the error message in it.");
    const std::string all = onOneLine(text);
    const std::string_view line = all;
    const std::vector<std::size_t> begins = messagesIn(line);
    if (begins.empty() && line.find("out of memory") != std::string_view::npos)
        return failure(ErrorKind::File, "the error has no figures (\"Tried to allocate …\"): it "
                                        "isn't from PyTorch's allocator, so there is nothing to "
                                        "compute with.");
    if (begins.empty())
        return failure(ErrorKind::File,
                       "no out-of-memory message of PyTorch was found (\"CUDA out of memory. Tried "
                       "to allocate …\").");
    ErrorMessage message;
    message.messages = begins.size();
    const std::size_t begin = begins[0];
    const std::size_t end =
        std::min(begins.size() > 1 ? begins[1] : line.size(), begin + kMostOneMessage);
    message.backend = backendIn(line.substr(0, begin));
    const std::size_t deviceAt = begin > 40 ? begin - 40 : 0; // "Allocation on device 0 would …"
    message.device = line.substr(begin).starts_with(kAsyncAsked)
                         ? deviceIn(line.substr(deviceAt, end - deviceAt))
                         : deviceIn(line.substr(begin, end - begin));
    const std::string_view one = line.substr(0, end);
    for (std::size_t i = firstSizeIn(line.substr(0, begin)); i < end; ++i) {
        const bool isInside = i > 0 && (isDigit(line[i - 1]) || line[i - 1] == '.');
        if (!isDigit(line[i]) || isInside)
            continue;
        if (const std::optional<Found> found = sizeAt(one, i))
            take(message, *found);
    }
    completeReserved(message);
    if (!message.asked)
        return failure(ErrorKind::File, "the out-of-memory message in it has no size that could be "
                                        "read.");
    return message;
}

} // namespace plimsoll::doctor
