// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/memtrace/analysis/address_layout.h"
#include "core/memtrace/memory_trace.h"
#include "ui/plot/byte_range.h"
#include "ui/timeline/coordinates.h"

#include <QColor>
#include <QImage>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace plimsoll::ui {

/// What an address map draws: each allocation as a rectangle of its steps and its addresses. A
/// value, used by any thread.
struct AddressScene
{
    memtrace::MemoryTracePtr trace;
    std::size_t device = 0; ///< in MemoryTrace::devices()
    timeline::TimelinePtr
        timeline; ///< of that device: intervals with layers; origins are allocations
    memtrace::AddressLayout layout;

    [[nodiscard]] const memtrace::DeviceTrace& trackedDevice() const
    {
        return trace->devices()[device];
    }
};
using AddressScenePtr = std::shared_ptr<const AddressScene>;

/// The part of a scene that a picture shows, and its size in device pixels.
struct AddressPart
{
    double begin = 0; ///< positions on the axis, as StepAxis has them
    double end = 1;
    ByteRange bytes; ///< places on AddressLayout's axis
    QSize pixels;

    bool operator==(const AddressPart&) const = default;
};

struct AddressInks
{
    std::array<QRgb, timeline::kMostLayers> layers{};
    QRgb ground = 0;   ///< not reserved
    QRgb reserved = 0; ///< reserved and idle
    double scale = 1;  ///< device pixels of a logical one

    bool operator==(const AddressInks&) const = default;
};

/// A drawn part, and which allocation is at each pixel.
struct AddressPicture
{
    AddressPart part;
    QImage image;
    std::vector<std::uint32_t> allocations; ///< by pixel, row by row; memtrace::kNone: none

    [[nodiscard]] std::optional<std::uint32_t> allocationAt(const QPoint& pixel) const;
};
using AddressPicturePtr = std::shared_ptr<const AddressPicture>;

/// Its time depends on the number of allocations that live in the part. Null: it was stopped.
[[nodiscard]] AddressPicturePtr drawAddresses(const AddressScene& scene, const AddressPart& part,
                                              const AddressInks& inks,
                                              const base::JobContext& job = {});

/// How many allocations drawAddresses() would draw, at most.
[[nodiscard]] std::size_t allocationsIn(const AddressScene& scene, const AddressPart& part);

} // namespace plimsoll::ui
