// SPDX-License-Identifier: Apache-2.0
#include "core/readers/kineto/event.h"

#include "core/io/byte_source.h"
#include "core/readers/kineto/decimal_time.h"

#include <algorithm>
#include <array>

namespace plimsoll::readers::kineto {

namespace {

using simdjson::ondemand::object;
using simdjson::ondemand::value;
static_assert(io::kPadding >= simdjson::SIMDJSON_PADDING);

constexpr bool kFailed = false;

void takeText(value item, std::string_view& into, TraceEvent& event)
{
    if (item.get_string().get(into) != simdjson::SUCCESS) {
        into = {};
        ++event.wrongValues;
    }
}

void takeTime(value item, std::optional<std::int64_t>& into, TraceEvent& event)
{
    into = nanosecondsOf(item.raw_json_token());
    if (!into)
        ++event.wrongValues;
}

void takeNumber(value item, std::optional<std::int64_t>& into, TraceEvent& event)
{
    std::int64_t number = 0;
    if (item.get_int64().get(number) == simdjson::SUCCESS)
        into = number;
    else
        ++event.wrongValues;
}

void takeAddress(value item, std::optional<std::uint64_t>& into, TraceEvent& event)
{
    // PyTorch prints pointers as signed numbers.
    std::uint64_t number = 0;
    if (std::int64_t signedNumber = 0; item.get_uint64().get(number) == simdjson::SUCCESS)
        into = number;
    else if (item.get_int64().get(signedNumber) == simdjson::SUCCESS)
        into = static_cast<std::uint64_t>(signedNumber);
    else
        ++event.wrongValues;
}

/// Without the white space behind it.
std::string_view token(value item)
{
    std::string_view raw = item.raw_json_token();
    return raw.substr(0, raw.find_last_not_of(" \t\r\n") + 1);
}

/// Of a list of shapes, one for each argument; [] for those that are no tensors.
void takeShapes(value item, TraceEvent& event)
{
    constexpr std::size_t kMostText = 200;
    simdjson::ondemand::array arguments;
    if (item.get_array().get(arguments) != simdjson::SUCCESS)
        return;
    for (auto argument : arguments) {
        simdjson::ondemand::array sizes;
        if (argument.get_array().get(sizes) != simdjson::SUCCESS)
            return;
        std::string shape;
        for (auto size : sizes) {
            std::int64_t number = 0;
            if (size.get_int64().get(number) != simdjson::SUCCESS) {
                shape.clear(); // a list of tensors
                break;
            }
            shape += (shape.empty() ? "" : "x") + std::to_string(number);
        }
        if (event.shapes.size() + shape.size() >= kMostText)
            return;
        if (!shape.empty())
            event.shapes += (event.shapes.empty() ? "" : ",") + shape;
    }
}

void takeArgument(std::string_view key, value item, TraceEvent& event)
{
    if (key == "Addr")
        takeAddress(item, event.address, event);
    else if (key == "Bytes")
        takeNumber(item, event.bytes, event);
    else if (key == "Device Type")
        takeNumber(item, event.deviceType, event);
    else if (key == "Device Id")
        takeNumber(item, event.deviceId, event);
    else if (key == "Total Allocated")
        takeNumber(item, event.allocatedBytes, event);
    else if (key == "Total Reserved")
        takeNumber(item, event.reservedBytes, event);
    else if (key == "device")
        takeNumber(item, event.device, event);
    else if (key == "CallFrom")
        takeText(item, event.calledFrom, event);
    else if (key == "Call stack")
        takeText(item, event.callStack, event);
}

void takeLaunch(std::string_view key, value item, TraceEvent& event)
{
    if (key == "External id" || key == "external id") // the latter until torch 1.12
        takeNumber(item, event.externalId, event);
    else if (key == "correlation")
        takeNumber(item, event.correlation, event);
    else if (key == "device")
        takeNumber(item, event.device, event);
    else if (key == "Input Dims")
        takeShapes(item, event);
}

template <typename Take>
bool eachField(object fields, Take take)
{
    for (auto found : fields) {
        simdjson::ondemand::field field;
        std::string_view key;
        if (std::move(found).get(field) != simdjson::SUCCESS
            || field.unescaped_key().get(key) != simdjson::SUCCESS || !take(key, field.value()))
            return kFailed;
    }
    return true;
}

void takePhase(value item, TraceEvent& event)
{
    std::string_view phase;
    takeText(item, phase, event);
    event.phase = phase.size() == 1 ? phase.front() : '\0';
}

bool takeField(std::string_view key, value item, bool takesLaunches, TraceEvent& event)
{
    if (key == "ph")
        takePhase(item, event);
    else if (key == "cat")
        takeText(item, event.category, event);
    else if (key == "name")
        takeText(item, event.name, event);
    else if (key == "pid")
        event.process = token(item);
    else if (key == "tid")
        event.thread = token(item);
    else if (key == "ts")
        takeTime(item, event.beginNs, event);
    else if (key == "dur")
        takeTime(item, event.durationNs, event);
    else if (object arguments;
             key == "args" && item.get_object().get(arguments) == simdjson::SUCCESS)
        return eachField(arguments, [&](std::string_view name, value argument) {
            if (takesLaunches)
                takeLaunch(name, argument, event);
            else
                takeArgument(name, argument, event);
            return true;
        });
    return true;
}

} // namespace

std::optional<TraceEvent> EventParser::parse(std::string_view text)
{
    simdjson::ondemand::document document;
    object fields;
    const simdjson::padded_string_view padded{text.data(), text.size(),
                                              text.size() + simdjson::SIMDJSON_PADDING};
    if (m_parser.iterate(padded).get(document) != simdjson::SUCCESS
        || document.get_object().get(fields) != simdjson::SUCCESS)
        return std::nullopt;
    TraceEvent event;
    if (!eachField(fields, [&](std::string_view key, value item) {
            return takeField(key, item, m_takesLaunches, event);
        }))
        return std::nullopt;
    if (event.durationNs && *event.durationNs < 0) {
        event.durationNs.reset();
        ++event.wrongValues;
    }
    return event;
}

} // namespace plimsoll::readers::kineto
