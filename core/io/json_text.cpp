// SPDX-License-Identifier: Apache-2.0
#include "core/io/json_text.h"

#include "core/base/json_check.h"
#include "core/base/unicode.h"

#include <fmt/format.h>

#include <new>
#include <optional>

namespace plimsoll::io {

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
        return failure(ErrorKind::File, fmt::format("At byte {} {}; remove one of them.", fault.at,
                                                    base::repeatedKeyText(fault.key)));
    case JsonFault::Kind::TooMany:
        return failure(ErrorKind::File,
                       fmt::format("Up to byte {} {}, which no file of this kind has.", fault.at,
                                   base::tooManyValuesText()));
    case JsonFault::Kind::NotJson: break;
    }
    return broken(fault.at);
}

/// Whether the parsed text fits into memory. Checked beforehand, because a json value allocates
/// when it is destroyed: running out of memory during construction would terminate the program.
bool hasRoomFor(std::size_t values, std::size_t bytes)
{
    constexpr std::size_t kMostOfValue = 128; // measured on {} and {"":0}, whose array grows: 110
    void* room = ::operator new(values* kMostOfValue + bytes, std::nothrow);
    ::operator delete(room);
    return room != nullptr;
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text)
{
    const std::size_t mark = base::byteOrderMark(text);
    try {
        std::size_t count = 0;
        if (std::optional<JsonFault> fault = base::checkJson(text.substr(mark), &count)) {
            fault->at += mark;
            return refused(*fault);
        }
        if (!hasRoomFor(count, text.size()))
            return tooLarge();
        return nlohmann::json::parse(text.substr(mark));
    } catch (const nlohmann::json::parse_error& error) {
        return broken(mark + error.byte - 1); // it counts from 1
    } catch (const std::bad_alloc&) {
        return tooLarge();
    } catch (const nlohmann::json::exception&) {
        return failure(ErrorKind::File,
                       "This is not JSON that can be read: a number is out of range.");
    }
}

tl::unexpected<base::Error> tooLarge()
{
    return failure(ErrorKind::File, "This needs more memory than this computer has.");
}

} // namespace plimsoll::io
