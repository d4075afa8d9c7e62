// SPDX-License-Identifier: Apache-2.0
#include "app/cli/gpu_check/driver.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <dlfcn.h>

namespace plimsoll::cli {

namespace {

constexpr auto kDriverLibrary = "libcuda.so.1";

/// Finds functions by their names and keeps the first that is missing.
class Functions
{
public:
    explicit Functions(void* library) : m_library{library} {}

    template <typename Function>
    void find(const char* name, Function*& to)
    {
        to = reinterpret_cast<Function*>(dlsym(m_library, name));
        if (to == nullptr && m_missing.empty())
            m_missing = name;
    }
    [[nodiscard]] const std::string& missing() const { return m_missing; }

private:
    void* m_library;
    std::string m_missing;
};

void findDevices(Functions& functions, Driver& driver)
{
    functions.find("cuInit", driver.init);
    functions.find("cuDriverGetVersion", driver.version);
    functions.find("cuDeviceGetCount", driver.deviceCount);
    functions.find("cuDeviceGet", driver.device);
    functions.find("cuDeviceGetName", driver.deviceName);
    functions.find("cuDeviceGetAttribute", driver.attribute);
    functions.find("cuDevicePrimaryCtxRetain", driver.retainContext);
    functions.find("cuDevicePrimaryCtxRelease_v2", driver.releaseContext);
    functions.find("cuCtxSetCurrent", driver.setContext);
    functions.find("cuCtxSynchronize", driver.synchronize);
    functions.find("cuGetErrorName", driver.errorName);
}

void findMemory(Functions& functions, Driver& driver)
{
    functions.find("cuMemAlloc_v2", driver.allocate);
    functions.find("cuMemFree_v2", driver.free);
    functions.find("cuMemAllocAsync", driver.allocateAsync);
    functions.find("cuMemFreeAsync", driver.freeAsync);
    functions.find("cuMemHostAlloc", driver.allocateHost);
    functions.find("cuMemFreeHost", driver.freeHost);
    functions.find("cuMemGetAllocationGranularity", driver.granularity);
    functions.find("cuMemAddressReserve", driver.reserve);
    functions.find("cuMemAddressFree", driver.freeRange);
    functions.find("cuMemCreate", driver.create);
    functions.find("cuMemRelease", driver.release);
    functions.find("cuMemMap", driver.map);
    functions.find("cuMemUnmap", driver.unmap);
    functions.find("cuMemSetAccess", driver.setAccess);
}

void findWork(Functions& functions, Driver& driver)
{
    functions.find("cuMemcpyHtoD_v2", driver.copyToDevice);
    functions.find("cuMemcpyDtoH_v2", driver.copyToHost);
    functions.find("cuMemcpyDtoD_v2", driver.copyOnDevice);
    functions.find("cuMemsetD8_v2", driver.fill);
    functions.find("cuModuleLoadData", driver.loadModule);
    functions.find("cuModuleUnload", driver.unloadModule);
    functions.find("cuModuleGetFunction", driver.function);
    functions.find("cuLaunchKernel", driver.launch);
}

} // namespace

base::Result<Driver> Driver::open()
{
    // For all libraries, since CUPTI looks for the driver, too. Never closed: threads of it may
    // run.
    void* const library = dlopen(kDriverLibrary, RTLD_LAZY | RTLD_GLOBAL);
    if (library == nullptr) {
        const char* const why = dlerror(); // NOLINT(concurrency-mt-unsafe): this thread's text
        return base::failure(
            base::ErrorKind::File,
            fmt::format("There is no NVIDIA driver here ({}): run gpu-check on a machine where "
                        "nvidia-smi lists a GPU.",
                        base::printable(why != nullptr ? why : kDriverLibrary)));
    }
    Functions functions{library};
    Driver driver;
    findDevices(functions, driver);
    findMemory(functions, driver);
    findWork(functions, driver);
    if (!functions.missing().empty())
        return base::failure(
            base::ErrorKind::File,
            fmt::format("The NVIDIA driver ({}) has no function {}: gpu-check needs one of CUDA "
                        "11.2 or newer.",
                        kDriverLibrary, functions.missing()));
    return driver;
}

std::string Driver::failureOf(const char* call, int status) const
{
    const char* name = nullptr;
    if (errorName(status, &name) != 0 || name == nullptr)
        return fmt::format("{} failed with error {}", call, status);
    return fmt::format("{} failed with {} ({})", call, base::printable(name), status);
}

} // namespace plimsoll::cli
