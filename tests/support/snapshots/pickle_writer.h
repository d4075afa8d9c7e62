// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace plimsoll::tests {

class PyValue;
using PyItems = std::vector<PyValue>;
using PyFields = std::vector<std::pair<std::string, PyValue>>;

/// A Python value. Copies of a list or dict are the same object.
class PyValue
{
public:
    struct List
    {
        std::shared_ptr<PyItems> items;
    };
    struct Tuple
    {
        std::shared_ptr<PyItems> items;
    };
    struct Dict
    {
        std::shared_ptr<PyFields> fields;
    };
    using Content = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
                                 std::string, List, Tuple, Dict>;

    PyValue() = default; ///< None
    template <typename T>
    PyValue(T value) : m_content{converted(std::move(value))} // NOLINT(google-explicit-constructor)
    {
    }

    [[nodiscard]] const Content& content() const { return m_content; }
    [[nodiscard]] PyItems& items() { return *std::get<List>(m_content).items; }
    [[nodiscard]] PyFields& fields() { return *std::get<Dict>(m_content).fields; }
    /// Of a dict: the value of a key, which is added if it is missing.
    [[nodiscard]] PyValue& operator[](std::string_view key);

private:
    template <typename T>
    [[nodiscard]] static Content converted(T value)
    {
        if constexpr (std::is_same_v<T, int>)
            return std::int64_t{value};
        else if constexpr (std::is_same_v<T, const char*>)
            return std::string{value};
        else
            return Content{std::move(value)};
    }

    Content m_content;
};

[[nodiscard]] PyValue pyList(PyItems items = {});
[[nodiscard]] PyValue pyTuple(PyItems items);
[[nodiscard]] PyValue pyDict(PyFields fields = {});

/// Empties all containers that a value leads to: those within themselves would never be released.
void clearContainers(const PyValue& value);

/// How containers are filled.
enum class PickleStyle : std::uint8_t {
    Batches,  ///< 1000 items at a time, a single one by itself: as Python does it
    Whole,    ///< all at once: as TorchScript's pickler does it
    OneByOne, ///< each by itself
};

/// As pickle.dumps(value, protocol), 2 to 5. Equal texts are the same object.
[[nodiscard]] std::string pickled(const PyValue& value, int protocol = 4,
                                  PickleStyle style = PickleStyle::Batches);

/// Writes opcodes one after the other; protocol 4 and later number the memo implicitly.
class PickleOpcodes
{
public:
    explicit PickleOpcodes(int protocol) : m_protocol{protocol} {}

    void op(char opcode) { m_bytes += opcode; }
    void integer(std::int64_t value);
    /// At least 2^63.
    void unsignedInteger(std::uint64_t value);
    void real(double value);
    void text(std::string_view text);
    /// Puts the value on top of the stack into the memo; returns its index.
    std::uint32_t memoize();
    void get(std::uint32_t index);
    [[nodiscard]] std::string& bytes() { return m_bytes; }

private:
    void number(std::uint64_t number, std::size_t bytes);

    int m_protocol;
    std::uint32_t m_memo = 0;
    std::string m_bytes;
};

} // namespace plimsoll::tests
