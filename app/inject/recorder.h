// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/inject/writer.h"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace plimsoll::inject {

/// Records this process: CUPTI fills buffers on its threads and the program's, a thread of ours
/// writes them into the file. Nothing here ends the program, prints, or throws into it. There is
/// one object, which is never destroyed: CUPTI may call until the process is gone.
class Recorder
{
public:
    /// Opens the file and starts; what fails is noted in the file. Null, and a sentence on standard
    /// error, if there is no file to note it in.
    static Recorder* start();

    /// CUPTI's callbacks, on any thread, some with locks of CUPTI's held.
    void request(std::uint8_t** buffer, std::size_t* bytes);
    void complete(std::uint8_t* buffer, std::size_t bytes, std::size_t valid);
    void callBack(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);

    /// At the end of the process.
    void finish();
    /// In a child after fork(): it has none of our threads and must not write into the file.
    void silence();

private:
    explicit Recorder(Settings settings);

    Settings m_settings;
    ChunkFile m_file;
    CuptiClient m_client;
    Channel m_channel;
    Writer m_writer;
    std::atomic<bool> m_silent{false};
};

} // namespace plimsoll::inject
