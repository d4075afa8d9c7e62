// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/gpu_check/journal.h"
#include "core/capture/capture.h"

#include <cstdint>
#include <string>
#include <vector>

namespace plimsoll::cli {

/// The record of a call.
struct Found
{
    bool isThere = false;
    std::uint64_t begin = 0; ///< on CUPTI's clock
    std::uint64_t end = 0;   ///< that of work on the GPU; else as `begin`
    std::string difference;  ///< from the call; empty: none
};

/// Finds for each call the record that is of it, the earliest that no other call has. The capture
/// must outlive it.
class RecordFinder
{
public:
    explicit RecordFinder(const capture::Capture& capture);

    [[nodiscard]] Found find(const Step& step, std::uint32_t device);

    /// Sentences about records of a device that no call has asked for.
    [[nodiscard]] std::vector<std::string> leftOver(std::uint32_t device) const;
    /// Records of calls on virtual memory that belong to no device.
    [[nodiscard]] std::size_t leftOverMappings() const;

private:
    template <typename Record>
    struct Entry
    {
        const Record* record = nullptr;
        bool isTaken = false;
    };

    [[nodiscard]] Found findMemory(const Step& step, std::uint32_t device);
    [[nodiscard]] Found findMapping(const Step& step, std::uint32_t device);

    std::vector<Entry<capture::wire::Memory>> m_memory;
    std::vector<Entry<capture::wire::Mapping>> m_mappings;
    std::vector<Entry<capture::wire::Copy>> m_copies;
    std::vector<Entry<capture::wire::Fill>> m_fills;
    std::vector<Entry<capture::wire::Kernel>> m_kernels;
    const capture::Capture& m_capture;
};

} // namespace plimsoll::cli
