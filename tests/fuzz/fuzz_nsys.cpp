// SPDX-License-Identifier: Apache-2.0
// Any bytes are an export of Nsight Systems or an error of one sentence.
#include "core/memtrace/summary.h"

#include "tests/unit/readers/nsys_file.h"

#include <sqlite3.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

/// SQLite's memory. The library is not instrumented, so that a sanitizer's allocator finds nothing
/// in it, and took half of the time of an execution.
class Blocks
{
public:
    static void* take(int bytes)
    {
        const auto cell = std::bit_width(static_cast<std::size_t>(bytes) + kHead - 1);
        void*& first = s_free.at(cell);
        char* block = static_cast<char*>(first);
        if (block != nullptr)
            first = *reinterpret_cast<void**>(block + kHead);
        else
            block = static_cast<char*>(std::malloc(std::size_t{1} << cell));
        *reinterpret_cast<std::size_t*>(block) = cell;
        return block + kHead;
    }
    static void giveBack(void* bytes)
    {
        if (bytes == nullptr)
            return;
        char* const block = static_cast<char*>(bytes) - kHead;
        void*& first = s_free.at(*reinterpret_cast<std::size_t*>(block));
        *static_cast<void**>(bytes) = first;
        first = block;
    }
    static void* takeAgain(void* bytes, int size)
    {
        if (bytes != nullptr && sizeOf(bytes) >= size)
            return bytes;
        void* const larger = take(size);
        if (bytes != nullptr)
            std::memcpy(larger, bytes, static_cast<std::size_t>(sizeOf(bytes)));
        giveBack(bytes);
        return larger;
    }
    static int sizeOf(void* bytes)
    {
        const char* const block = static_cast<char*>(bytes) - kHead;
        return static_cast<int>((std::size_t{1} << *reinterpret_cast<const std::size_t*>(block))
                                - kHead);
    }

private:
    static constexpr std::size_t kHead = 16; ///< its cell, in front of each
    static inline std::array<void*, 40> s_free{};
};

sqlite3_mem_methods methods()
{
    return {Blocks::take,
            Blocks::giveBack,
            Blocks::takeAgain,
            Blocks::sizeOf,
            [](int bytes) { return bytes < 24 ? 24 : (bytes + 7) / 8 * 8; },
            [](void*) { return SQLITE_OK; },
            [](void*) {},
            nullptr};
}

} // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** /*argv*/)
{
    static sqlite3_mem_methods memory = methods();
    if (sqlite3_config(SQLITE_CONFIG_SINGLETHREAD) != SQLITE_OK
        || sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0) != SQLITE_OK
        || sqlite3_config(SQLITE_CONFIG_MALLOC, &memory) != SQLITE_OK)
        std::abort();
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes{reinterpret_cast<const char*>(data), size};
    const auto ops = plimsoll::readers::nsys::readDatabaseOps(bytes, "a.sqlite");
    if (!ops && !ops.error().message.ends_with('.'))
        std::abort();
    const auto read = plimsoll::tests::readNsys(bytes);
    if (!read)
        return read.error().message.ends_with('.') ? 0 : (std::abort(), 0);
    return plimsoll::memtrace::summaryOf(*read->trace).devices.empty() ? (std::abort(), 0) : 0;
}
