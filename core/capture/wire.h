// SPDX-License-Identifier: Apache-2.0
// The bytes of a capture file, as the injected library writes them into it (FORMAT.md beside the
// reader). Plain data for both sides; includes nothing of ours.
#pragma once

#include <array>
#include <cstdint>

namespace plimsoll::capture::wire {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "records are written as they are");

inline constexpr std::array<char, 8> kFileMagic{'P', 'L', 'M', 'C', 'A', 'P', 'T', '\n'};
/// Rises when older readers would misread a file; new kinds and longer records don't raise it.
inline constexpr std::uint32_t kVersion = 1;

/// Begins the file.
struct FileHead
{
    std::array<char, 8> magic = kFileMagic;
    std::uint32_t version = kVersion;
    std::uint32_t bytes = 16; ///< of this head; chunks follow
};

inline constexpr std::uint32_t kChunkMagic = 0x4B4E4843; ///< "CHNK"
/// The payload of a chunk is never larger.
inline constexpr std::uint32_t kMostChunkBytes = 1U << 22U;

/// Begins a chunk, which is written at once and is complete if its checksum is right.
struct ChunkHead
{
    std::uint32_t magic = kChunkMagic;
    std::uint32_t bytes = 0;    ///< of the records behind this head
    std::uint64_t sequence = 0; ///< 0, 1, 2, …
    std::uint32_t records = 0;
    std::uint32_t checksum = 0; ///< of this head with 0 here, then of the records
};

enum class Kind : std::uint16_t {
    Process = 1,
    Clock = 2,
    Text = 3,
    Status = 4,
    Drops = 5,
    End = 6,
    Device = 16,
    Context = 17,
    Memory = 32,
    Pool = 33,
    Mapping = 34,
    Kernel = 48,
    Copy = 49,
    Fill = 50,
    Call = 51,
    Marker = 64,
    ExternalId = 65,
};

/// Begins a record. A reader skips kinds that it doesn't know and bytes that its version of a
/// record doesn't have.
struct RecordHead
{
    Kind kind{};
    std::uint16_t reserved = 0;
    std::uint32_t bytes = 0; ///< of the record with this head; a multiple of 8
};

/// Who was recorded; the first record of a file.
struct Process
{
    RecordHead head{Kind::Process, 0, sizeof(Process)};
    std::uint32_t pid = 0;
    std::uint32_t parent = 0;
    std::uint32_t cuptiVersion = 0;  ///< of the library that was loaded; 0: none
    std::uint32_t headerVersion = 0; ///< of the headers that the recorder was built with
    std::uint64_t run = 0;           ///< the same in all processes of one `record`
    std::uint32_t command = 0;       ///< text: arguments, separated by spaces
    std::uint32_t library = 0;       ///< text: path of CUPTI
};

/// The same instant on three clocks, in nanoseconds: at the start, at each flush, and at the end.
struct Clock
{
    RecordHead head{Kind::Clock, 0, sizeof(Clock)};
    std::uint64_t cupti = 0;    ///< that of all records; 0: CUPTI had none
    std::uint64_t realtime = 0; ///< since 1970
    std::uint64_t monotonic = 0;
};

/// Text that later records of this file name by its id; `length` bytes follow, padded with zeros.
struct Text
{
    RecordHead head{Kind::Text, 0, sizeof(Text)};
    std::uint32_t id = 0; ///< 1, 2, 3, …; 0 in other records: no text
    std::uint32_t length = 0;
};

enum class Severity : std::uint32_t {
    Note = 0,
    Warning = 1, ///< something is missing in the recording
    Failure = 2, ///< nothing was recorded, or nothing from here on
};

enum class StatusCode : std::uint32_t {
    CuptiNotFound = 1,
    CuptiIncomplete = 2,
    CuptiTooOld = 3,
    CuptiNewer = 4,
    NoDriver = 5,
    OtherTool = 6,
    Refused = 7,
    FileEnded = 8,
    ClockChanged = 9,
    ToolFailed = 10,
};

/// Something that the user should know, as one sentence.
struct Status
{
    RecordHead head{Kind::Status, 0, sizeof(Status)};
    StatusCode code{};
    Severity severity{};
    std::int32_t detail = 0; ///< CUPTI's result or errno, as the code has it
    std::uint32_t text = 0;
};

/// How much was lost since the start of the recording; the last one counts.
struct Drops
{
    RecordHead head{Kind::Drops, 0, sizeof(Drops)};
    std::uint64_t byCupti = 0;    ///< records that CUPTI had no room for
    std::uint64_t byRecorder = 0; ///< records that the recorder had no room for
    std::uint64_t cutBuffers = 0; ///< buffers of CUPTI's that ended within a record
    std::uint64_t mappings = 0;   ///< mappings that the recorder had no room for
};

/// The last record of a program that ended by itself.
struct End
{
    RecordHead head{Kind::End, 0, sizeof(End)};
    std::uint64_t records = 0; ///< in all chunks, this one included
};

} // namespace plimsoll::capture::wire
