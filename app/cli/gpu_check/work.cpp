// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gpu_check/work.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace plimsoll::cli {

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;
/// No two are alike, so that a record tells which call it is of.
constexpr std::array<std::uint64_t, 3> kAllocated{kMiB, 3 * kMiB, 4096};
constexpr std::array<std::uint64_t, 2> kFromPool{2 * kMiB, 5 * kMiB};
constexpr std::array<std::uint64_t, 2> kPinnedBytes{kMiB / 2, 2 * kMiB};
constexpr std::uint64_t kCopyRoom = 4 * kMiB;
constexpr unsigned kLaunches = 3;

/// CUPTI's kinds of copies.
constexpr std::uint64_t kHostToDevice = 1;
constexpr std::uint64_t kDeviceToHost = 2;
constexpr std::uint64_t kDeviceToDevice = 8;

/// A kernel that returns at once; the driver compiles it, for any GPU of compute capability 5.0 on.
constexpr auto kKernelText = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry plimsoll_gpu_check()
{
    ret;
}
)";
constexpr auto kKernelName = "plimsoll_gpu_check";

/// The work on one GPU, whose context is current.
class DeviceCalls
{
public:
    DeviceCalls(const Driver& driver, DeviceWork& work) : m_driver{driver}, m_work{work} {}

    void doAll()
    {
        begin(check::kAllocations);
        allocate();
        begin(check::kPool);
        if (supports(Driver::kPoolsSupported, "memory pools"))
            allocateFromPool();
        begin(check::kPinned);
        pin();
        begin(check::kVirtual);
        if (supports(Driver::kVirtualMemorySupported, "virtual memory"))
            mapMemory();
        begin(check::kCopies);
        copyAndFill();
        begin(check::kKernels);
        launchKernels();
    }

private:
    void begin(std::string_view check)
    {
        // What a row did must not overlap with the next one.
        (void)m_driver.synchronize();
        m_check = check;
    }

    /// Whether a call has succeeded; else the row gets its error.
    bool did(const char* function, int status)
    {
        if (status != 0)
            m_work.obstacles.try_emplace(m_check, false, m_driver.failureOf(function, status));
        return status == 0;
    }

    void note(CallKind action, std::uint64_t address, std::uint64_t bytes, std::uint64_t handle = 0)
    {
        m_work.steps.push_back({m_check, action, address, bytes, handle});
    }

    bool supports(int attribute, const char* what)
    {
        int value = 0;
        if (!did("cuDeviceGetAttribute", m_driver.attribute(&value, attribute, m_work.device)))
            return false;
        if (value == 0)
            m_work.obstacles.try_emplace(
                m_check, true, fmt::format("the driver says that this GPU has no {}", what));
        return value != 0;
    }

    /// 0: it failed.
    Driver::Address allocated(std::uint64_t bytes)
    {
        Driver::Address address = 0;
        if (!did("cuMemAlloc_v2", m_driver.allocate(&address, bytes)))
            return 0;
        note(CallKind::Allocate, address, bytes);
        return address;
    }

    void freed(Driver::Address address, std::uint64_t bytes)
    {
        if (address != 0 && did("cuMemFree_v2", m_driver.free(address)))
            note(CallKind::Free, address, bytes);
    }

    void allocate()
    {
        std::array<Driver::Address, kAllocated.size()> addresses{};
        for (std::size_t i = 0; i < addresses.size(); ++i)
            addresses.at(i) = allocated(kAllocated.at(i));
        for (std::size_t i = 0; i < addresses.size(); ++i) // the first goes first
            freed(addresses.at(i), kAllocated.at(i));
    }

    void allocateFromPool()
    {
        std::array<Driver::Address, kFromPool.size()> addresses{};
        for (std::size_t i = 0; i < addresses.size(); ++i)
            if (did("cuMemAllocAsync",
                    m_driver.allocateAsync(&addresses.at(i), kFromPool.at(i), nullptr)))
                note(CallKind::Allocate, addresses.at(i), kFromPool.at(i));
        for (std::size_t i = addresses.size(); i-- > 0;)
            if (addresses.at(i) != 0
                && did("cuMemFreeAsync", m_driver.freeAsync(addresses.at(i), nullptr)))
                note(CallKind::Free, addresses.at(i), kFromPool.at(i));
    }

    void pin()
    {
        for (const std::uint64_t bytes : kPinnedBytes) {
            void* address = nullptr;
            if (!did("cuMemHostAlloc", m_driver.allocateHost(&address, bytes, 0)))
                continue;
            const auto number = reinterpret_cast<std::uintptr_t>(address);
            note(CallKind::Allocate, number, bytes);
            if (did("cuMemFreeHost", m_driver.freeHost(address)))
                note(CallKind::Free, number, bytes);
        }
    }

    /// As an expandable segment: a range of addresses, two pieces of memory in its beginning.
    void mapMemory()
    {
        Driver::PhysicalMemory memory;
        memory.location.device = m_work.device;
        std::size_t piece = 0;
        if (!did("cuMemGetAllocationGranularity", m_driver.granularity(&piece, &memory, 0)))
            return;
        const std::size_t range = 4 * piece;
        Driver::Address address = 0;
        if (!did("cuMemAddressReserve", m_driver.reserve(&address, range, 0, 0, 0)))
            return;
        note(CallKind::Reserve, address, range);
        for (const std::uint64_t at : {address, address + piece})
            mapPiece(at, piece, memory);
        for (const std::uint64_t at : {address, address + piece})
            if (did("cuMemUnmap", m_driver.unmap(at, piece)))
                note(CallKind::Unmap, at, piece);
        if (did("cuMemAddressFree", m_driver.freeRange(address, range)))
            note(CallKind::FreeRange, address, range);
    }

    /// Its handle is released at once, as PyTorch does: the memory goes when it is unmapped.
    void mapPiece(Driver::Address at, std::size_t bytes, const Driver::PhysicalMemory& memory)
    {
        Driver::Handle handle = 0;
        if (!did("cuMemCreate", m_driver.create(&handle, bytes, &memory, 0)))
            return;
        note(CallKind::Create, 0, bytes, handle);
        if (did("cuMemMap", m_driver.map(at, bytes, 0, handle, 0))) {
            note(CallKind::Map, at, bytes, handle);
            const Driver::Access access{.location = memory.location};
            (void)did("cuMemSetAccess", m_driver.setAccess(at, bytes, &access, 1));
        }
        if (did("cuMemRelease", m_driver.release(handle)))
            note(CallKind::Release, 0, 0, handle);
    }

    void copyAndFill()
    {
        const Driver::Address from = allocated(kCopyRoom);
        const Driver::Address to = allocated(kCopyRoom);
        std::vector<char> host(kCopyRoom);
        if (from != 0 && to != 0) {
            fill(from, 3 * kMiB);
            fill(to, kMiB);
            m_check = check::kCopies;
            for (const std::uint64_t bytes : {kMiB, 2 * kMiB})
                copied("cuMemcpyHtoD_v2", kHostToDevice, bytes,
                       m_driver.copyToDevice(from, host.data(), bytes));
            copied("cuMemcpyDtoD_v2", kDeviceToDevice, 3 * kMiB,
                   m_driver.copyOnDevice(to, from, 3 * kMiB));
            (void)did("cuCtxSynchronize", m_driver.synchronize());
            for (const std::uint64_t bytes : {2 * kMiB, kCopyRoom})
                copied("cuMemcpyDtoH_v2", kDeviceToHost, bytes,
                       m_driver.copyToHost(host.data(), to, bytes));
        }
        freed(from, kCopyRoom);
        freed(to, kCopyRoom);
    }

    void fill(Driver::Address address, std::uint64_t bytes)
    {
        m_check = check::kFills;
        if (did("cuMemsetD8_v2", m_driver.fill(address, 7, bytes)))
            note(CallKind::Fill, address, bytes);
    }

    void copied(const char* function, std::uint64_t kind, std::uint64_t bytes, int status)
    {
        if (did(function, status))
            note(CallKind::Copy, 0, bytes, kind);
    }

    void launchKernels()
    {
        Driver::Object module = nullptr;
        Driver::Object function = nullptr;
        if (!did("cuModuleLoadData", m_driver.loadModule(&module, kKernelText)))
            return;
        if (did("cuModuleGetFunction", m_driver.function(&function, module, kKernelName)))
            for (unsigned i = 0; i < kLaunches; ++i)
                if (did("cuLaunchKernel", m_driver.launch(function, i + 1, 1, 1, 32, 1, 1, 0,
                                                          nullptr, nullptr, nullptr)))
                    note(CallKind::Launch, 0, i + 1); // blocks
        (void)did("cuCtxSynchronize", m_driver.synchronize());
        (void)did("cuModuleUnload", m_driver.unloadModule(module));
    }

    const Driver& m_driver;
    DeviceWork& m_work;
    std::string m_check;
};

DeviceWork workOn(const Driver& driver, int ordinal)
{
    DeviceWork work{.device = ordinal, .name = {}, .steps = {}, .obstacles = {}};
    const auto did = [&](const char* function, int status) {
        if (status != 0)
            work.obstacles.try_emplace(std::string{check::kDevice}, false,
                                       driver.failureOf(function, status));
        return status == 0;
    };
    int device = 0;
    std::array<char, 256> name{};
    Driver::Object context = nullptr;
    if (!did("cuDeviceGet", driver.device(&device, ordinal))
        || !did("cuDeviceGetName",
                driver.deviceName(name.data(), static_cast<int>(name.size()) - 1, device))
        || !did("cuDeviceGetAttribute", driver.attribute(&work.major, Driver::kMajor, device))
        || !did("cuDeviceGetAttribute", driver.attribute(&work.minor, Driver::kMinor, device)))
        return work;
    work.name = name.data();
    if (!did("cuDevicePrimaryCtxRetain", driver.retainContext(&context, device)))
        return work;
    if (did("cuCtxSetCurrent", driver.setContext(context)))
        DeviceCalls{driver, work}.doAll();
    (void)did("cuCtxSynchronize", driver.synchronize());
    return work; // the context goes with the process, after the recorder's last flush
}

} // namespace

Journal doWork(const Driver& driver)
{
    Journal journal;
    (void)driver.version(&journal.driverVersion);
    int count = 0;
    if (const int status = driver.init(0); status != 0)
        journal.noGpu = fmt::format("The NVIDIA driver can't be used: {}. Check what nvidia-smi "
                                    "says.",
                                    driver.failureOf("cuInit", status));
    else if (driver.deviceCount(&count) != 0 || count == 0)
        journal.noGpu = "The NVIDIA driver shows no GPU: check what nvidia-smi lists, and the "
                        "variable CUDA_VISIBLE_DEVICES.";
    for (int ordinal = 0; ordinal < count; ++ordinal)
        journal.devices.push_back(workOn(driver, ordinal));
    return journal;
}

} // namespace plimsoll::cli
