// SPDX-License-Identifier: Apache-2.0
#include "core/plan/json_text.h"

#include "core/base/json_check.h"

#include <fmt/format.h>

#include <optional>

namespace plimsoll::plan {

namespace {

using base::ErrorKind;
using base::failure;
using base::JsonFault;
using base::Result;

tl::unexpected<base::Error> broken(std::size_t offset)
{
    return failure(ErrorKind::File,
                   fmt::format("This is not JSON: the text is broken at byte {}.", offset));
}

tl::unexpected<base::Error> refused(const JsonFault& fault)
{
    switch (fault.kind) {
    case JsonFault::Kind::TooDeep:
        return failure(ErrorKind::File, fmt::format("At byte {} brackets nest more than {} deep.",
                                                    fault.at, base::kDeepestJson));
    case JsonFault::Kind::RepeatedKey:
        return failure(ErrorKind::File, fmt::format("At byte {} {}; take one of them out.",
                                                    fault.at, base::repeatedKeyText(fault.key)));
    case JsonFault::Kind::NotJson: break;
    }
    return broken(fault.at);
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text)
{
    if (const std::optional<JsonFault> fault = base::checkJson(text))
        return refused(*fault);
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        return broken(error.byte - 1); // it counts from 1
    } catch (const nlohmann::json::exception&) {
        return failure(ErrorKind::File,
                       "This is not JSON that can be read: a number is out of range.");
    }
}

} // namespace plimsoll::plan
