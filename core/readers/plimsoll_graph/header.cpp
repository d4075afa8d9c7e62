// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/header.h"

#include "core/base/format.h"
#include "core/readers/plimsoll_graph/named.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace plimsoll::readers::plimsoll_graph {

namespace {

constexpr std::int64_t kHighestVersion = 1'000'000'000;

struct TextKey
{
    std::string_view key;
    std::string graph::Header::*field;
};

constexpr std::array kTextKeys{
    TextKey{"exporter", &graph::Header::exporter},
    TextKey{"torch", &graph::Header::torch},
    TextKey{"execution", &graph::Header::execution},
    TextKey{"planner", &graph::Header::planner},
    TextKey{"mode", &graph::Header::mode},
    TextKey{"model", &graph::Header::model},
    TextKey{"model_class", &graph::Header::modelClass},
    TextKey{"batch", &graph::Header::batch},
    TextKey{"target", &graph::Header::target},
    TextKey{"autocast", &graph::Header::autocast},
    TextKey{"values", &graph::Header::values},
};

/// "SGD (foreach)"; null if there is no optimizer.
bool readOptimizer(Scan& scan, JsonValue& value, graph::Header& header)
{
    bool isNull = false;
    if (value.is_null().get(isNull) == simdjson::SUCCESS && isNull)
        return true;
    std::string name;
    std::string variant;
    const bool read = scan.eachField(value, [&](std::string_view key, JsonValue& item) {
        if (key == "class")
            return scan.text(item, name);
        if (key == "variant")
            return scan.textOrNull(item, variant);
        if (key == "dtype")
            return scan.textOrNull(item, header.optimizerDtype);
        return scan.skip(item);
    });
    header.optimizer = variant.empty() ? name : fmt::format("{} ({})", name, variant);
    return read;
}

/// {"attention": {"flash": 12}, …}, in file order.
bool readKernels(Scan& scan, JsonValue& value, std::vector<graph::KernelChoice>& out)
{
    return scan.eachField(value, [&](std::string_view family, JsonValue& kernels) {
        const std::string name{family};
        return scan.eachField(kernels, [&](std::string_view kernel, JsonValue& times) {
            out.push_back({name, std::string{kernel}, 0});
            return scan.integer(times, kCount, out.back().times);
        });
    });
}

template <typename Kind, std::size_t Count>
std::array<const char*, Count> namesOf(const char* (*name)(Kind))
{
    std::array<const char*, Count> names{};
    for (std::size_t i = 0; i < Count; ++i)
        names.at(i) = name(static_cast<Kind>(i));
    return names;
}

bool readOpsByPhase(Scan& scan, JsonValue& value, graph::Checks& checks)
{
    static const auto kNames = namesOf<graph::Phase, graph::kPhaseCount>(graph::phaseName);
    return readNamed(scan, value, "ops_by_phase", kNames, [&](std::size_t phase, JsonValue& item) {
        std::int64_t number = 0;
        const bool read = scan.integer(item, kCount, number);
        checks.opsByPhase.at(phase) = static_cast<std::size_t>(number);
        return read;
    });
}

/// A class that no storage has may be absent.
bool readBytesByClass(Scan& scan, JsonValue& value, graph::Checks& checks)
{
    static const auto kNames =
        namesOf<graph::StorageClass, graph::kStorageClassCount>(graph::className);
    return scan.eachField(value, [&](std::string_view key, JsonValue& item) {
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            if (key != kNames.at(i))
                continue;
            std::int64_t bytes = 0;
            const bool read = scan.integer(item, kCount, bytes);
            checks.bytesByClass.at(i) = base::Bytes{bytes};
            return read;
        }
        return scan.refuse(item, "the name of a class of storages before this number");
    });
}

bool readCheck(Scan& scan, std::string_view key, JsonValue& value, graph::Checks& checks)
{
    scan.enterColumn(key);
    if (key == "ops_by_phase")
        return readOpsByPhase(scan, value, checks);
    if (key == "bytes_by_class")
        return readBytesByClass(scan, value, checks);
    std::int64_t number = 0;
    if (!scan.integer(value, kCount, number))
        return false;
    if (key == "ops")
        checks.ops = static_cast<std::size_t>(number);
    else if (key == "storages")
        checks.storages = static_cast<std::size_t>(number);
    else if (key == "tensors")
        checks.tensors = static_cast<std::size_t>(number);
    else if (key == "saved_bytes")
        checks.savedBytes = base::Bytes{number};
    else if (key == "peak_bytes")
        checks.peakBytes = base::Bytes{number};
    else if (number <= kMostRows)
        checks.peakOp = static_cast<graph::OpIndex>(number);
    else
        return scan.refuse(value, "an op");
    return true;
}

bool refuseVersion(Scan& scan, std::int64_t version)
{
    if (version > kFormatVersion)
        return scan.refuseAt(0,
                             fmt::format("this is version {} of the format and this Plimsoll "
                                         "reads up to version {}",
                                         version, kFormatVersion),
                             "update Plimsoll, or trace the model with the older plimsoll package");
    return scan.refuseAt(0, fmt::format("version {} of the format does not exist", version));
}

} // namespace

HeaderKey readHeaderKey(Scan& scan, std::string_view key, JsonValue& value, graph::Header& header)
{
    const auto outcome = [](bool read) { return read ? HeaderKey::Read : HeaderKey::Failed; };
    for (const TextKey& known : kTextKeys)
        if (key == known.key)
            return outcome(scan.textOrNull(value, header.*known.field));
    if (key == "optimizer")
        return outcome(readOptimizer(scan, value, header));
    if (key == "micro_steps")
        return outcome(scan.integer(value, {1, kMostRows}, header.microSteps));
    if (key == "kernels")
        return outcome(readKernels(scan, value, header.kernels));
    if (key == "assumed")
        return outcome(scan.texts(value, header.assumed));
    if (key == "format" || key == "version") // already read by readVersion()
        return HeaderKey::Read;
    return HeaderKey::Unknown;
}

bool readChecks(Scan& scan, JsonValue& value, Draft& draft)
{
    static constexpr std::array kKeys{"ops",        "ops_by_phase",   "storages",
                                      "tensors",    "bytes_by_class", "saved_bytes",
                                      "peak_bytes", "peak_op"};
    draft.checksOffset = scan.offsetOf(value);
    return readNamed(scan, value, {}, kKeys, [&](std::size_t at, JsonValue& item) {
        return readCheck(scan, kKeys.at(at), item, draft.program.checks);
    });
}

bool readVersion(Scan& scan, simdjson::ondemand::document& document, int& version)
{
    simdjson::ondemand::object object;
    if (const auto code = document.get_object().get(object); code != simdjson::SUCCESS) {
        if (code == simdjson::INCORRECT_TYPE)
            return scan.refuseAt(0, "expected an object that begins with {\"format\": "
                                    "\"plimsoll-graph\"");
        return scan.refuseJson(code);
    }
    std::optional<std::string> format;
    std::optional<std::int64_t> number;
    const bool read = scan.eachFieldOf(object, [&](std::string_view key, JsonValue& value) {
        if (key == "format") {
            scan.enter("format");
            if (!scan.text(value, format.emplace()))
                return false;
            if (*format != kFormatId)
                return scan.refuseAt(0, fmt::format(R"(the format is "{}", not "{}")",
                                                    base::printable(*format, 40), kFormatId));
        } else if (key == "version") {
            scan.enter("version");
            if (!scan.integer(value, {-kHighestVersion, kHighestVersion}, number.emplace()))
                return false;
        }
        return !(format && number); // both found: skip the rest
    });
    scan.enter({});
    if (!scan.ok())
        return false;
    if (read && !format)
        return scan.refuseAt(0, "the key `format` is missing");
    if (read && !number)
        return scan.refuseAt(0, "the key `version` is missing");
    if (*number != kFormatVersion)
        return refuseVersion(scan, *number);
    version = static_cast<int>(*number);
    return true;
}

} // namespace plimsoll::readers::plimsoll_graph
