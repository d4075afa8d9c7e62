// SPDX-License-Identifier: Apache-2.0
// Databases as `nsys export --type sqlite` of 2024.6 makes them, as far as the reader looks at
// them.
#pragma once

#include "core/readers/nsys/reader.h"

#include <sqlite3.h>

#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace plimsoll::tests {

/// What the SQL makes, as the bytes of its file.
[[nodiscard]] inline std::string databaseOf(const std::string& sql)
{
    sqlite3* opened = nullptr;
    sqlite3_open(":memory:", &opened);
    const std::unique_ptr<sqlite3, int (*)(sqlite3*)> connection{opened, &sqlite3_close_v2};
    char* message = nullptr;
    if (sqlite3_exec(opened, sql.c_str(), nullptr, nullptr, &message) != SQLITE_OK)
        throw std::runtime_error{message};
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, void (*)(void*)> bytes{
        sqlite3_serialize(opened, "main", &size, 0), &sqlite3_free};
    return {reinterpret_cast<const char*>(bytes.get()), static_cast<std::size_t>(size)};
}

/// Small pages, so that damage hits every part of a file.
inline constexpr const char* kNsysBegin = R"(PRAGMA page_size = 512;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.16.1'), ('EXPORT_HOST', 'private');
)";

inline constexpr const char* kNsysMemory = R"(
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER NOT NULL, globalPid INTEGER NOT NULL,
    deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL, pc INTEGER NOT NULL,
    bytes INTEGER NOT NULL, memKind INTEGER NOT NULL, memoryOperationType INTEGER NOT NULL, name TEXT,
    correlationId INTEGER, streamId INTEGER, localMemoryPoolAddress INTEGER);
)";

/// Process 77 has the GPU 0 as its device 1 and the other way round.
inline const std::string kNsysRest = R"(
INSERT INTO StringIds VALUES (1, 'cudaMalloc_v3020'), (2, 'cudaFree_v3020'), (3, 'at::empty'),
    (4, 'libtorch.so'), (5, 'main'), (6, 'python'), (7, 'step 1'), (8, 'cuMemAlloc_v2');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER NOT NULL);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'Toy GPU'), (1, 'Toy GPU');
CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL);
INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (1, 0, 77), (0, 1, 77);
CREATE TABLE ENUM_CUDA_DEV_MEM_EVENT_OPER (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_DEV_MEM_EVENT_OPER VALUES (0, 'CUDA_DEV_MEM_EVENT_OPR_ALLOCATION', 'Allocation'),
    (1, 'CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION', 'Deallocation');
CREATE TABLE ENUM_CUDA_MEM_KIND (id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEM_KIND VALUES (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'),
    (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'), (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'),
    (5, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE_STATIC', 'Device Static');
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, globalTid INTEGER,
    correlationId INTEGER, nameId INTEGER NOT NULL, callchainId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
    (990, 1010, 77 * 16777216 + 78, 501, 1, 3), (991, 1009, 77 * 16777216 + 78, 501, 8, NULL),
    (1990, 2010, 77 * 16777216 + 78, 502, 2, NULL), (1, 2, 99 * 16777216 + 78, 501, 2, NULL);
CREATE TABLE CUDA_CALLCHAINS (id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL,
    unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
INSERT INTO CUDA_CALLCHAINS VALUES (3, 5, 6, NULL, 1, 1), (3, 3, 4, NULL, 1, 0), (4, 5, 6, NULL, 1, 0);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT,
    globalTid INTEGER, textId INTEGER);
INSERT INTO NVTX_EVENTS VALUES (1500, 2500, 59, 'inner', 77 * 16777216 + 78, NULL),
    (900, 3000, 59, NULL, 77 * 16777216 + 78, 7), (950, NULL, 34, 'a mark', 77 * 16777216 + 78, NULL),
    (900, 3000, 59, 'of another', 99 * 16777216 + 78, NULL);
)";

/// Rows as {start, device, address, bytes, kind, operation, correlation}.
inline const std::string kNsysRows = R"(
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES
    (2000, 77 * 16777216, 0, 1, 4096, 0, 100, 2, 1, NULL, 502, 7, NULL),
    (1000, 77 * 16777216, 0, 1, 4096, 0, 100, 2, 0, NULL, 501, 7, NULL),
    (1100, 77 * 16777216, 0, 1, 8192, 0, 50, 2, 0, NULL, 503, 13, 140000000),
    (1200, 77 * 16777216, 1, 2, 4096, 0, 300, 5, 0, 'table', NULL, NULL, NULL),
    (1300, 77 * 16777216, 0, 1, 65536, 0, 700, 1, 0, NULL, NULL, NULL, NULL),
    (1400, 77 * 16777216, 0, 1, 99999, 0, 1, 0, 0, NULL, NULL, NULL, NULL),
    (2600, 77 * 16777216, 0, 1, 16384, 0, 11, 2, 1, NULL, NULL, NULL, NULL);
)";

[[nodiscard]] inline std::string sampleNsys()
{
    return databaseOf(kNsysBegin + std::string{kNsysMemory} + kNsysRows + kNsysRest);
}

/// Reads a database as if it were the file "net.sqlite". The buffer ends with it, so that a
/// sanitizer sees a read beyond it.
[[nodiscard]] inline base::Result<readers::ReadProfile>
readNsys(std::string_view bytes, const base::JobContext& context = {})
{
    const auto buffer = std::make_unique<char[]>(bytes.size()); // NOLINT(*-avoid-c-arrays)
    std::memcpy(buffer.get(), bytes.data(), bytes.size());
    return readers::nsys::readDatabase({buffer.get(), bytes.size()}, "net.sqlite", context);
}

} // namespace plimsoll::tests
