// SPDX-License-Identifier: Apache-2.0
#include "core/solve/chain/rotor/chain_file.h"

#include "core/base/try.h"
#include "core/io/json_text.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace plimsoll::solve {

namespace {

using base::ErrorKind;
using base::failure;
using base::Result;
using nlohmann::json;

constexpr double kMostSize = 4.0e18;

Result<void> readTime(const json& value, double& into)
{
    if (!value.is_number())
        return failure(ErrorKind::File, "must be a number");
    into = value.get<double>();
    return {};
}

constexpr std::size_t kMaxVariants = 100;

/// Sizes are whole numbers; 4.0 counts as 4.
Result<void> readSize(const json& value, std::int64_t& into)
{
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!(number >= 0) || number != std::floor(number) || number > kMostSize)
        return failure(ErrorKind::File, "must be a whole number that is not negative");
    into = value.is_number_float() ? static_cast<std::int64_t>(number) : value.get<std::int64_t>();
    return {};
}

template <typename Entry>
void readArray(const json& root, const char* key, Result<void> (*read)(const json&, Entry&),
               std::vector<Entry>& into, Result<void>& state, bool isOptional = false)
{
    if (!state)
        return;
    const auto array = root.find(key);
    if (array == root.end() && isOptional)
        return;
    if (array == root.end() || !array->is_array()) {
        state = failure(ErrorKind::File, fmt::format("\"{}\" must be an array.", key));
        return;
    }
    for (std::size_t i = 0; i < array->size() && state; ++i) {
        into.emplace_back();
        if (const Result<void> done = read((*array)[i], into.back()); !done)
            state =
                failure(done.error().kind, fmt::format("{}[{}] {}.", key, i, done.error().message));
    }
}

template <typename Entry>
Result<void> readField(const json& object, const char* key,
                       Result<void> (*read)(const json&, Entry&), Entry& into)
{
    const auto field = object.find(key);
    return read(field == object.end() ? json{} : *field, into).map_error([key](base::Error error) {
        return base::Error{error.kind, fmt::format("\"{}\" {}", key, error.message)};
    });
}

Result<void> readVariant(const json& value, StageVariant& variant)
{
    Result<void> ok = readField(value, "ftime", readTime, variant.ftime);
    ok = ok ? readField(value, "btime", readTime, variant.btime) : ok;
    ok = ok ? readField(value, "xbar", readSize, variant.xbar) : ok;
    ok = ok ? readField(value, "ftmp", readSize, variant.ftmp) : ok;
    return ok ? readField(value, "btmp", readSize, variant.btmp) : ok;
}

/// Reads the additional variants of one stage.
Result<void> readVariants(const json& value, std::vector<StageVariant>& variants)
{
    if (!value.is_array() || value.size() > kMaxVariants)
        return failure(ErrorKind::File,
                       fmt::format("must be an array of at most {} objects", kMaxVariants));
    for (const json& each : value) {
        if (!each.is_object())
            return failure(ErrorKind::File, "must hold objects");
        RETURN_IF_ERROR(readVariant(each, variants.emplace_back()));
    }
    return {};
}

} // namespace

bool looksLikeChain(std::string_view head)
{
    return head.starts_with('{') && head.find("\"ftime\"") != std::string_view::npos;
}

Result<Chain> readChain(std::string_view text)
{
    ASSIGN_OR_RETURN(const json root, io::parseJson(text));
    if (!root.is_object())
        return failure(ErrorKind::File, "a chain is a JSON object with the arrays ftime, btime, x, "
                                        "xbar, ftmp and btmp.");
    Chain chain;
    Result<void> state;
    readArray<double>(root, "ftime", readTime, chain.ftime, state);
    readArray<double>(root, "btime", readTime, chain.btime, state);
    readArray<std::int64_t>(root, "x", readSize, chain.x, state);
    readArray<std::int64_t>(root, "xbar", readSize, chain.xbar, state);
    readArray<std::int64_t>(root, "ftmp", readSize, chain.ftmp, state);
    readArray<std::int64_t>(root, "btmp", readSize, chain.btmp, state);
    readArray<double>(root, "ntime", readTime, chain.ntime, state, true);
    readArray<std::int64_t>(root, "ntmp", readSize, chain.ntmp, state, true);
    readArray<std::vector<StageVariant>>(root, "ways", readVariants, chain.variants, state, true);
    if (state)
        state = validate(chain);
    if (!state)
        return failure(ErrorKind::File, state.error().message);
    return chain;
}

} // namespace plimsoll::solve
