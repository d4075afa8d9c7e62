// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json_fields.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::plan::detail {

using base::Result;
using nlohmann::json;

std::string shown(const json& value)
{
    return base::printable(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
}

void fail(Result<void>& state, const std::string& where, const std::string& what)
{
    if (state)
        state = base::failure(base::ErrorKind::File, fmt::format("{} {}.", where, what));
}

base::Error advised(base::Error error, const char* advice)
{
    error.message.pop_back(); // the full stop of fail()
    error.message += fmt::format(": {}.", advice);
    return error;
}

std::int64_t integer(const json& value, const std::string& where, Result<void>& state,
                     std::int64_t most)
{
    const bool whole =
        value.is_number_integer()
        && (!value.is_number_unsigned()
            || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(base::kHuge));
    if (!whole || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > most)
        fail(state, where, fmt::format("must be an integer from 0 to {}", most));
    return state ? value.get<std::int64_t>() : 0;
}

Fields::Fields(const json& object, std::string where, Result<void>& state)
    : m_object{object}, m_where{std::move(where)}, m_state{state}
{
    if (!object.is_object())
        detail::fail(m_state, m_where.empty() ? "The content" : m_where, "must be an object");
}

std::string Fields::text(const char* key)
{
    const json& value = at(key);
    if (!value.is_string())
        fail(key, "must be a text");
    return m_state ? value.get<std::string>() : std::string{};
}

std::int64_t Fields::integer(const char* key, std::int64_t most)
{
    return detail::integer(at(key), path(key), m_state, most);
}

const json& Fields::array(const char* key)
{
    static const json kEmpty = json::array();
    const json& value = at(key);
    if (!value.is_array())
        fail(key, "must be an array");
    return m_state ? value : kEmpty;
}

const json& Fields::at(const char* key)
{
    static const json kNothing;
    if (!m_state)
        return kNothing;
    const auto entry = m_object.find(key);
    if (entry == m_object.end()) {
        fail(key, "is missing");
        return kNothing;
    }
    return *entry;
}

void Fields::list(const char* key, std::vector<std::string>& values)
{
    const json& rows = array(key);
    for (std::size_t i = 0; i < rows.size() && m_state; ++i) {
        if (rows[i].is_string())
            values.push_back(rows[i].get<std::string>());
        else
            detail::fail(m_state, fmt::format("{}[{}]", path(key), i), "must be a text");
    }
}

void Fields::texts(const char* key, Texts& values)
{
    const json& object = at(key);
    if (!object.is_object())
        fail(key, "must be an object of texts");
    if (!m_state)
        return;
    for (const auto& [name, value] : object.items()) {
        if (!value.is_string())
            return fail(key, "must be an object of texts");
        values.emplace_back(name, value.get<std::string>());
    }
}

void Fields::flag(const char* key, bool& value)
{
    const json& found = at(key);
    if (!found.is_boolean())
        fail(key, "must be true or false");
    value = m_state && found.get<bool>();
}

bool Fields::has(const char* key, bool /*isWritten*/) const
{
    return m_state && m_object.contains(key);
}

std::string Fields::path(const char* key) const
{
    return m_where.empty() ? key : m_where + "." + key;
}

void Fields::fail(const char* key, const std::string& what)
{
    detail::fail(m_state, path(key), what);
}

void FieldWriter::texts(const char* key, const Texts& values)
{
    nlohmann::json sorted = nlohmann::json::object();
    for (const auto& [name, value] : values)
        sorted[name] = value;
    json[key] = std::move(sorted);
}

} // namespace plimsoll::plan::detail
