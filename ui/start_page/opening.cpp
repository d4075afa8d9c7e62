// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/opening.h"

#include "core/device/known_devices.h"
#include "ui/base/settings.h"
#include "ui/start_page/samples.h"

#include <memory>
#include <mutex>
#include <utility>

namespace plimsoll::ui {

namespace {

/// The user's GPU, read by jobs. Thread-safe.
class SharedGpu
{
public:
    void set(const QString& gpu)
    {
        const base::Result<plan::Device> device = plan::findDevice(gpu.toStdString());
        const std::scoped_lock lock{m_mutex};
        m_device = device ? std::optional{*device} : std::nullopt;
    }
    [[nodiscard]] std::optional<plan::Device> get() const
    {
        const std::scoped_lock lock{m_mutex};
        return m_device;
    }

private:
    mutable std::mutex m_mutex;
    std::optional<plan::Device> m_device;
};

} // namespace

workspace::OpeningOf openingOf(Settings& settings, const std::optional<plan::Device>& given,
                               const plan::Device& otherwise)
{
    const auto own = std::make_shared<SharedGpu>();
    own->set(settings.gpu());
    QObject::connect(&settings, &Settings::gpuChanged, &settings,
                     [own](const QString& gpu) { own->set(gpu); });
    return [own, given, otherwise](const std::filesystem::path& file) {
        const QString path = QString::fromStdString(file.string());
        const std::optional<plan::Device> gpu = given            ? given
                                                : isSample(path) ? gpuOfSample(path)
                                                                 : own->get();
        workspace::Opening opening;
        opening.choices.device = gpu.value_or(own->get().value_or(otherwise));
        if (gpu)
            opening.budget = gpu->memory;
        opening.isDeviceGuessed = !gpu && !isSample(path);
        return opening;
    };
}

} // namespace plimsoll::ui
