// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/job_context.h"
#include "core/base/quantity.h"
#include "core/base/result.h"

#include <QString>

#include <optional>
#include <vector>

class QPainter;
class QRectF;

namespace plimsoll::ui {

/// The memory curve of a file in a few columns, as fractions of its highest value.
struct Thumbnail
{
    std::vector<double> total;
    std::vector<double> fixed;    ///< parameters and optimizer state
    std::optional<double> budget; ///< of the last plan
};

/// What the start page shows about a file without opening it.
struct FileSummary
{
    QString path;
    QString name;
    QString kind;                       ///< "Session", "Traced step, 1,672 ops"
    std::optional<base::Bytes> peak;    ///< unplanned, or as recorded
    bool isRecorded = false;            ///< a profile
    std::optional<base::Bytes> planned; ///< of the last plan
    QString plan;                       ///< "rotor at 7.25 GiB, +10.2 %"
    QString fault;                      ///< it can't be read: why
    Thumbnail thumbnail;
};

/// Reads a graph or session; if the file can't be read, `fault` says why. Takes as long as opening
/// it: run it in a job.
[[nodiscard]] FileSummary summarize(const QString& path, const base::JobContext& job);

/// Draws a thumbnail: fixed part, the rest, outline, and the budget line, if any.
void paintThumbnail(QPainter& painter, const QRectF& rect, const Thumbnail& thumbnail);

} // namespace plimsoll::ui
