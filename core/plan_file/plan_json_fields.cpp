// SPDX-License-Identifier: Apache-2.0
#include "core/plan_file/plan_json_fields.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace plimsoll::plan::detail {

using nlohmann::json;

namespace {

const json& nothing()
{
    static const json kNothing;
    return kNothing;
}

} // namespace

std::string shown(const json& value)
{
    return base::printable(value.dump(-1, ' ', false, json::error_handler_t::replace), 60);
}

base::Error advised(base::Error error, const char* advice)
{
    error.message.pop_back(); // the full stop of fail()
    error.message += fmt::format(": {}.", advice);
    return error;
}

void Field::fail(const std::string& what) const
{
    if (m_state)
        m_state =
            base::failure(base::ErrorKind::File,
                          fmt::format("{} {}.", m_where.empty() ? "The content" : m_where, what));
}

void Field::fail(const char* key, const std::string& what) const
{
    Field{nothing(), path(key), m_state}.fail(what);
}

std::string Field::path(const char* key) const
{
    return m_where.empty() ? key : m_where + "." + key;
}

bool Field::has(const char* key, bool /*isWritten*/) const
{
    return m_state && m_value.contains(key);
}

Field Field::at(const char* key) const
{
    if (!m_value.is_object())
        fail("must be an object");
    const auto entry = m_value.find(key);
    if (entry == m_value.end())
        fail(key, "is missing");
    return {m_state ? *entry : nothing(), path(key), m_state};
}

Field Field::array(const char* key) const
{
    Field field = at(key);
    if (!field.m_value.is_array())
        field.fail("must be an array");
    return field;
}

Field Field::operator[](std::size_t index) const
{
    return {m_value[index], fmt::format("{}[{}]", m_where, index), m_state};
}

std::string Field::text() const
{
    if (!m_value.is_string())
        fail("must be a string");
    return m_state ? m_value.get<std::string>() : std::string{};
}

std::int64_t Field::integer(std::int64_t most) const
{
    const bool isWhole =
        m_value.is_number_integer()
        && (!m_value.is_number_unsigned()
            || m_value.get<std::uint64_t>() <= static_cast<std::uint64_t>(base::kHuge));
    if (!isWhole || m_value.get<std::int64_t>() < 0 || m_value.get<std::int64_t>() > most)
        fail(fmt::format("must be an integer from 0 to {}", most));
    return m_state ? m_value.get<std::int64_t>() : 0;
}

void Field::list(const char* key, std::vector<std::string>& values) const
{
    const Field rows = array(key);
    for (std::size_t i = 0; i < rows.size(); ++i)
        values.push_back(rows[i].text());
}

void Field::texts(const char* key, Texts& values) const
{
    const Field field = at(key);
    const json& object = field.m_value;
    const auto isText = [](const json& value) { return value.is_string(); };
    if (!object.is_object() || !std::ranges::all_of(object, isText))
        field.fail("must be an object of strings");
    if (m_state)
        for (const auto& [name, value] : object.items())
            values.emplace_back(name, value.get<std::string>());
}

void Field::flag(const char* key, bool& value) const
{
    const Field field = at(key);
    if (!field.m_value.is_boolean())
        field.fail("must be true or false");
    value = m_state && field.m_value.get<bool>();
}

void FieldWriter::texts(const char* key, const Texts& values)
{
    json[key] = std::map<std::string, std::string>(values.begin(), values.end());
}

} // namespace plimsoll::plan::detail
