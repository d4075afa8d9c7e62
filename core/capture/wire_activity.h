// SPDX-License-Identifier: Apache-2.0
// Records of what the GPU did, from CUPTI's activity records and callbacks. Times are on CUPTI's
// clock in nanoseconds; ids are CUPTI's, kNone where there is none.
#pragma once

#include "core/capture/wire.h"

namespace plimsoll::capture::wire {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

struct Device
{
    RecordHead head{Kind::Device, 0, sizeof(Device)};
    std::uint32_t device = 0;
    std::uint32_t name = 0; ///< text
    std::uint64_t memory = 0;
    std::array<std::uint8_t, 16> uuid{};
    std::uint16_t major = 0; ///< compute capability
    std::uint16_t minor = 0;
    std::uint32_t reserved = 0;
};

struct Context
{
    RecordHead head{Kind::Context, 0, sizeof(Context)};
    std::uint32_t context = 0;
    std::uint32_t device = 0;
    std::uint32_t nullStream = 0;
    std::uint32_t reserved = 0;
};

enum class MemoryOperation : std::uint8_t { Allocate = 1, Release = 2 };
/// CUPTI's numbers.
enum class MemoryKind : std::uint8_t {
    Unknown = 0,
    Pageable = 1,
    Pinned = 2,
    Device = 3,
    Array = 4,
    Managed = 5,
    DeviceStatic = 6,
    ManagedStatic = 7,
};

struct Memory
{
    RecordHead head{Kind::Memory, 0, sizeof(Memory)};
    MemoryOperation operation{};
    MemoryKind kind{};
    std::uint8_t isAsync = 0;
    std::uint8_t poolType = 0; ///< CUPTI's: 1 local, 2 imported
    std::uint32_t correlation = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t time = 0;
    std::uint64_t counter = 0; ///< address of the code that called
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t name = 0; ///< text: of a static variable
    std::uint64_t pool = 0; ///< address; 0: none
    std::uint64_t poolThreshold = 0;
    std::uint64_t poolBytes = 0;
    std::uint64_t poolUsed = 0;
};

struct Pool
{
    RecordHead head{Kind::Pool, 0, sizeof(Pool)};
    std::uint32_t operation = 0; ///< 1 created, 2 destroyed, 3 trimmed
    std::uint32_t poolType = 0;
    std::uint32_t correlation = 0;
    std::uint32_t device = 0;
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t used = 0;
    std::uint64_t threshold = 0;
    std::uint64_t keptBytes = 0;
    std::uint64_t time = 0;
};

enum class MappingOperation : std::uint32_t {
    Reserve = 1, ///< a range of addresses
    Free = 2,
    Create = 3, ///< physical memory, named by `handle`
    Release = 4,
    Map = 5, ///< physical memory into a range
    Unmap = 6,
};

/// A successful call of the driver on virtual memory.
struct Mapping
{
    RecordHead head{Kind::Mapping, 0, sizeof(Mapping)};
    MappingOperation operation{};
    std::uint32_t device = kNone; ///< of created memory
    std::uint64_t address = 0;
    std::uint64_t bytes = 0;
    std::uint64_t handle = 0;
    std::uint64_t offset = 0; ///< into the physical memory
    std::uint64_t time = 0;
    std::uint32_t correlation = 0;
    std::uint32_t thread = 0;
};

struct Kernel
{
    RecordHead head{Kind::Kernel, 0, sizeof(Kernel)};
    std::uint64_t start = 0; ///< 0: CUPTI had no memory for the time
    std::uint64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::uint32_t name = 0; ///< text, mangled
    std::uint32_t graph = 0;
    std::uint64_t graphNode = 0;
    std::array<std::int32_t, 3> grid{};
    std::array<std::int32_t, 3> block{};
    std::int32_t staticShared = 0; ///< bytes
    std::int32_t dynamicShared = 0;
    std::uint32_t localBytes = 0; ///< of each thread
    std::uint32_t registers = 0;
};

struct Copy
{
    RecordHead head{Kind::Copy, 0, sizeof(Copy)};
    std::uint8_t copyKind =
        0; ///< CUPTI's: 1 host to device, 2 device to host, 8 within a device, …
    MemoryKind from{};
    MemoryKind to{};
    std::uint8_t flags = 0; ///< CUPTI's: 1 asynchronous
    std::uint32_t correlation = 0;
    std::uint64_t bytes = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t graph = 0;
    std::uint32_t fromDevice = kNone; ///< of copies between devices
    std::uint32_t toDevice = kNone;
};

struct Fill
{
    RecordHead head{Kind::Fill, 0, sizeof(Fill)};
    std::uint64_t bytes = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t device = 0;
    std::uint32_t context = 0;
    std::uint32_t stream = 0;
    std::uint32_t correlation = 0;
    std::uint32_t kind = 0; ///< a MemoryKind
    std::uint32_t graph = 0;
};

/// A call of the runtime or the driver on memory; it shares its correlation with what it did.
struct Call
{
    RecordHead head{Kind::Call, 0, sizeof(Call)};
    std::uint32_t function = 0; ///< CUPTI's callback id
    std::uint32_t isDriver = 0;
    std::uint64_t start = 0;
    std::uint64_t end = 0;
    std::uint32_t thread = 0; ///< the system's id
    std::uint32_t correlation = 0;
    std::uint32_t status = 0; ///< of CUDA: 0 success
    std::uint32_t reserved = 0;
};

/// NVTX. A range is two markers of one id; only the first has its name.
struct Marker
{
    RecordHead head{Kind::Marker, 0, sizeof(Marker)};
    std::uint64_t time = 0;
    std::uint32_t id = 0;
    std::uint32_t flags = 0;  ///< CUPTI's: 1 an instant, 2 start, 4 end
    std::uint32_t name = 0;   ///< text
    std::uint32_t domain = 0; ///< text
    std::uint32_t thread = 0;
    std::uint32_t reserved = 0;
};

/// An id that another tool has pushed, such as torch.profiler's of an operator.
struct ExternalId
{
    RecordHead head{Kind::ExternalId, 0, sizeof(ExternalId)};
    std::uint64_t id = 0;
    std::uint32_t kind = 0; ///< CUPTI's kind of external ids
    std::uint32_t correlation = 0;
};

} // namespace plimsoll::capture::wire
