// SPDX-License-Identifier: Apache-2.0
#include "core/readers/plimsoll_graph/vary.h"

#include "core/readers/plimsoll_graph/named.h"
#include "core/readers/plimsoll_graph/table.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace plimsoll::readers::plimsoll_graph {

namespace {

constexpr Range kCoefficient{-(base::kHuge - 1), base::kHuge - 1};
constexpr Range kPositive{1, base::kHuge - 1};
constexpr auto kGeometryColumns = std::to_array<std::string_view>({"shape", "strides", "offset"});
constexpr auto kNumberColumns = std::to_array<std::string_view>({"path", "law"});

bool isNull(JsonValue& value)
{
    bool found = false;
    return value.is_null().get(found) == simdjson::SUCCESS && found;
}

bool readLaw(Scan& scan, JsonValue& value, Range range, graph::Law& law)
{
    std::int64_t row = 0;
    const bool read = scan.integer(value, range, row);
    law = static_cast<graph::Law>(row);
    return read;
}

bool readLaws(Scan& scan, JsonValue& value, Range range, std::vector<graph::Law>& laws)
{
    return scan.eachElement(value, [&](JsonValue& item) {
        return readLaw(scan, item, range, laws.emplace_back(graph::kNoLaw));
    });
}

bool readAxis(Scan& scan, JsonValue& value, graph::Axis& axis)
{
    static constexpr std::array kKeys{"name", "size", "recorded", "step"};
    const auto read = [&](std::size_t at, JsonValue& item) {
        switch (at) {
        case 0: return scan.text(item, axis.name);
        case 1: return scan.integer(item, kPositive, axis.size);
        case 2: return scan.integers(item, kPositive, axis.recorded);
        default: return scan.integer(item, kPositive, axis.step);
        }
    };
    // "dims" only documents what was resized for the recording; older files lack it.
    return readNamed(scan, value, "axes", kKeys, read, "dims");
}

bool readPolynomial(Scan& scan, JsonValue& value, graph::Polynomial& polynomial)
{
    const std::uint64_t offset = scan.offsetOf(value);
    std::vector<std::int64_t>& numbers = polynomial.coefficients;
    if (!scan.integers(value, kCoefficient, numbers))
        return false;
    if (numbers.empty() || numbers.front() < 1)
        return scan.refuseAt(offset, "a polynomial begins with its denominator, at least 1");
    polynomial.denominator = numbers.front();
    numbers.erase(numbers.begin());
    return true;
}

bool readGeometry(Scan& scan, JsonValue& value, graph::Geometry& geometry)
{
    Row row{scan, value, kGeometryColumns};
    const auto laws = [&](std::vector<graph::Law>& out) {
        return row.read([&](JsonValue& item) { return readLaws(scan, item, kIndex, out); });
    };
    return laws(geometry.shape) && laws(geometry.strides) && row.read([&](JsonValue& item) {
        return readLaw(scan, item, kIndex, geometry.offset);
    }) && row.finish();
}

bool readNumber(Scan& scan, JsonValue& value, CallNumbers& numbers)
{
    Row row{scan, value, kNumberColumns};
    std::string path;
    std::int64_t law = 0;
    if (!row.text(path) || !row.integer(kIndex, law))
        return false;
    numbers.highestLaw = std::max(numbers.highestLaw, law);
    return row.finish();
}

bool readPiece(Scan& scan, JsonValue& value, graph::BatchPiece& piece)
{
    simdjson::ondemand::json_type type{};
    if (const auto code = value.type().get(type); code != simdjson::SUCCESS)
        return scan.refuseJson(code);
    return type == simdjson::ondemand::json_type::string ? scan.text(value, piece.text)
                                                         : readLaw(scan, value, kIndex, piece.law);
}

/// Reads each element of a list into a new row of `rows`.
template <typename T, typename Read>
bool readEach(Scan& scan, JsonValue& value, std::vector<T>& rows, Read read)
{
    return scan.eachElement(value,
                            [&](JsonValue& item) { return read(scan, item, rows.emplace_back()); });
}

bool readKey(Scan& scan, std::string_view key, JsonValue& value, Draft& draft)
{
    graph::Vary& vary = *draft.program.vary;
    if (key == "axes")
        return readEach(scan, value, vary.axes, readAxis);
    if (key == "terms")
        return readEach(scan, value, vary.terms, [](Scan& s, JsonValue& item, auto& term) {
            return s.integers(item, kIndex, term);
        });
    if (key == "polynomials")
        return readEach(scan, value, vary.polynomials, readPolynomial);
    if (key == "storages")
        return readLaws(scan, value, kIndexOrNone, vary.storages);
    if (key == "geometries")
        return readEach(scan, value, vary.geometries, readGeometry);
    if (key == "tensors")
        return readLaws(scan, value, kIndexOrNone, vary.tensors);
    if (key == "flops")
        return readLaws(scan, value, kIndexOrNone, vary.flops);
    if (key == "bytes_moved")
        return readLaws(scan, value, kIndexOrNone, vary.bytesMoved);
    if ((key == "numbers" || key == "args") && isNull(value))
        return ++draft.callNumbers.unknown > 0;
    if (key == "numbers")
        return scan.eachElement(value, [&](JsonValue& row) {
            ++draft.callNumbers.rows;
            return scan.eachElement(
                row, [&](JsonValue& item) { return readNumber(scan, item, draft.callNumbers); });
        });
    if (key == "args")
        return readLaws(scan, value, kIndexOrNone, draft.callNumbers.ofOps);
    return readEach(scan, value, vary.batch, readPiece);
}

} // namespace

bool readVary(Scan& scan, JsonValue& value, Draft& draft)
{
    static constexpr std::array kKeys{"axes",       "terms",   "polynomials", "storages",
                                      "geometries", "tensors", "flops",       "bytes_moved",
                                      "numbers",    "args",    "batch"};
    draft.varyOffset = scan.offsetOf(value);
    draft.program.vary.emplace();
    return readNamed(scan, value, {}, kKeys, [&](std::size_t at, JsonValue& item) {
        scan.enterColumn(kKeys.at(at));
        return readKey(scan, kKeys.at(at), item, draft);
    });
}

} // namespace plimsoll::readers::plimsoll_graph
