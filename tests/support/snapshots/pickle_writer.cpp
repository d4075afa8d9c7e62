// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshots/pickle_writer.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace plimsoll::tests {

namespace {

constexpr std::size_t kBatch = 1000;
constexpr unsigned kByte = 8;

class Pickler
{
public:
    Pickler(int protocol, PickleStyle style) : m_out{protocol}, m_style{style} {}

    void write(const PyValue& value)
    {
        std::visit([this](const auto& content) { write(content); }, value.content());
    }
    [[nodiscard]] std::string take() { return std::move(m_out.bytes()); }

private:
    void write(std::monostate /*None*/) { m_out.op('N'); }
    void write(bool value) { m_out.op(value ? '\x88' : '\x89'); }
    void write(std::int64_t value) { m_out.integer(value); }
    void write(std::uint64_t value) { m_out.unsignedInteger(value); }
    void write(double value) { m_out.real(value); }
    void write(const std::string& text)
    {
        const auto known = m_texts.find(text);
        if (known != m_texts.end()) {
            m_out.get(known->second);
            return;
        }
        m_out.text(text);
        m_texts.emplace(text, m_out.memoize());
    }
    void write(const PyValue::Tuple& tuple)
    {
        const PyItems& items = *tuple.items;
        if (items.empty()) {
            m_out.op(')');
            return;
        }
        if (items.size() > 3)
            m_out.op('(');
        for (const PyValue& item : items)
            write(item);
        m_out.op(items.size() > 3 ? 't'
                                  : static_cast<char>('\x84' + static_cast<char>(items.size())));
        static_cast<void>(m_out.memoize());
    }
    void write(const PyValue::List& list)
    {
        if (isKnown(list.items.get()))
            return;
        m_out.op(']');
        m_objects.emplace(list.items.get(), m_out.memoize());
        fill(list.items->size(), 'a', 'e', [&](std::size_t i) { write((*list.items)[i]); });
    }
    void write(const PyValue::Dict& dict)
    {
        if (isKnown(dict.fields.get()))
            return;
        m_out.op('}');
        m_objects.emplace(dict.fields.get(), m_out.memoize());
        fill(dict.fields->size(), 's', 'u', [&](std::size_t i) {
            write((*dict.fields)[i].first);
            write((*dict.fields)[i].second);
        });
    }
    bool isKnown(const void* object)
    {
        const auto known = m_objects.find(object);
        if (known == m_objects.end())
            return false;
        m_out.get(known->second);
        return true;
    }
    template <typename WriteItem>
    void fill(std::size_t count, char one, char many, WriteItem item)
    {
        const std::size_t batch = m_style == PickleStyle::OneByOne ? 1
                                  : m_style == PickleStyle::Whole  ? std::max<std::size_t>(count, 1)
                                                                   : kBatch;
        for (std::size_t begin = 0; begin < count; begin += batch) {
            const std::size_t end = std::min(begin + batch, count);
            const bool isOne = end - begin == 1 && m_style != PickleStyle::Whole;
            if (!isOne)
                m_out.op('(');
            for (std::size_t i = begin; i < end; ++i)
                item(i);
            m_out.op(isOne ? one : many);
        }
    }

    PickleOpcodes m_out;
    PickleStyle m_style;
    std::map<std::string, std::uint32_t> m_texts;
    std::map<const void*, std::uint32_t> m_objects;
};

} // namespace

PyValue& PyValue::operator[](std::string_view key)
{
    for (auto& [name, value] : fields())
        if (name == key)
            return value;
    return fields().emplace_back(key, PyValue{}).second;
}

PyValue pyList(PyItems items)
{
    return PyValue::List{std::make_shared<PyItems>(std::move(items))};
}

PyValue pyTuple(PyItems items)
{
    return PyValue::Tuple{std::make_shared<PyItems>(std::move(items))};
}

PyValue pyDict(PyFields fields)
{
    return PyValue::Dict{std::make_shared<PyFields>(std::move(fields))};
}

void clearContainers(const PyValue& value)
{
    PyItems pending{value};
    while (!pending.empty()) {
        const PyValue next = std::move(pending.back());
        pending.pop_back();
        PyItems items;
        if (const auto* list = std::get_if<PyValue::List>(&next.content()))
            items = std::exchange(*list->items, {});
        else if (const auto* tuple = std::get_if<PyValue::Tuple>(&next.content()))
            items = std::exchange(*tuple->items, {});
        else if (const auto* dict = std::get_if<PyValue::Dict>(&next.content()))
            for (const auto& [name, field] : std::exchange(*dict->fields, {}))
                items.push_back(field);
        std::move(items.begin(), items.end(), std::back_inserter(pending));
    }
}

void PickleOpcodes::number(std::uint64_t number, std::size_t bytes)
{
    for (std::size_t i = 0; i < bytes; ++i)
        m_bytes += static_cast<char>(number >> (kByte * i) & 0xffU);
}

void PickleOpcodes::integer(std::int64_t value)
{
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0 && value < 256) {
        op('K');
        number(bits, 1);
    } else if (value >= 0 && value < 65536) {
        op('M');
        number(bits, 2);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        op('J');
        number(bits, 4);
    } else {
        std::size_t bytes = 5;
        while (bytes < 8 && value >> (kByte * bytes - 1) != 0 && value >> (kByte * bytes - 1) != -1)
            ++bytes;
        op('\x8a');
        number(bytes, 1);
        number(bits, bytes);
    }
}

void PickleOpcodes::unsignedInteger(std::uint64_t value)
{
    op('\x8a');
    number(9, 1);
    number(value, 8);
    number(0, 1);
}

void PickleOpcodes::real(double value)
{
    op('G');
    const auto bits = std::bit_cast<std::uint64_t>(value);
    for (unsigned i = 0; i < 8; ++i)
        m_bytes += static_cast<char>(bits >> (kByte * (7 - i)) & 0xffU);
}

void PickleOpcodes::text(std::string_view text)
{
    const bool isShort = m_protocol >= 4 && text.size() < 256;
    op(isShort ? '\x8c' : 'X');
    number(text.size(), isShort ? 1 : 4);
    m_bytes += text;
}

std::uint32_t PickleOpcodes::memoize()
{
    if (m_protocol >= 4) {
        op('\x94');
    } else {
        op(m_memo < 256 ? 'q' : 'r');
        number(m_memo, m_memo < 256 ? 1 : 4);
    }
    return m_memo++;
}

void PickleOpcodes::get(std::uint32_t index)
{
    op(index < 256 ? 'h' : 'j');
    number(index, index < 256 ? 1 : 4);
}

std::string pickled(const PyValue& value, int protocol, PickleStyle style)
{
    Pickler pickler{protocol, style};
    pickler.write(value);
    const std::string body = pickler.take() + ".";
    std::string bytes{'\x80', static_cast<char>(protocol)};
    if (protocol >= 4) {
        bytes += '\x95';
        for (unsigned i = 0; i < 8; ++i)
            bytes += static_cast<char>(body.size() >> (kByte * i) & 0xffU);
    }
    return bytes + body;
}

} // namespace plimsoll::tests
