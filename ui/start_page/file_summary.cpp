// SPDX-License-Identifier: Apache-2.0
#include "ui/start_page/file_summary.h"

#include "core/device/known_devices.h"
#include "core/workspace/composition.h"
#include "core/workspace/plan_document.h"
#include "core/workspace/profile/profile_document.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/base/widgets.h"
#include "ui/models/program_texts.h"
#include "ui/start_page/samples.h"

#include <QFileInfo>
#include <QObject>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace plimsoll::ui {

namespace {

constexpr std::size_t kColumns = 120;
/// Larger profiles are not opened for their summary, which would take seconds at each start.
constexpr qint64 kLargeFile = qint64{64} << 20;

/// `fixedOf`: the part of a stack that doesn't change in a step.
Thumbnail thumbnailOf(const timeline::Timeline& timeline,
                      base::Bytes (*fixedOf)(const timeline::Stack& stack))
{
    Thumbnail thumbnail;
    const std::size_t steps = timeline.stepCount();
    const auto top = static_cast<double>(timeline.peak().count());
    if (steps == 0 || top <= 0)
        return thumbnail;
    const std::size_t columns = std::min(kColumns, steps);
    for (std::size_t i = 0; i < columns; ++i) {
        const std::size_t at = timeline.largestStepIn(
            i * steps / columns, std::max(i * steps / columns + 1, (i + 1) * steps / columns));
        thumbnail.total.push_back(static_cast<double>(timeline.totalAt(at).count()) / top);
        thumbnail.fixed.push_back(static_cast<double>(fixedOf(timeline.stackAt(at)).count()) / top);
    }
    return thumbnail;
}

void addProfile(FileSummary& summary, const workspace::ProfileDocument& document)
{
    const workspace::ProfilePicture& picture = *document.first;
    if (!document.session.file)
        summary.kind = QObject::tr("Memory profile · %1 allocations")
                           .arg(countText(picture.device().allocations().size()));
    if (const QString title = profileTitleOfSample(summary.path); !title.isEmpty()) {
        summary.name = title;
        summary.kind = QObject::tr("Memory profile · stand-in GPU");
    }
    summary.isRecorded = true;
    summary.peak = picture.timeline->peak();
    summary.thumbnail = thumbnailOf(*picture.timeline, [](const timeline::Stack& /*stack*/) {
        return base::Bytes{}; // layers of profiles don't tell weights apart
    });
}

void addPlan(FileSummary& summary, const workspace::PlanDocument& document)
{
    const plan::Evaluation& unplanned = document.first->unplanned->evaluation();
    if (!document.session.file)
        return;
    const plan::FrontierPoint plan = workspace::planAt(*document.first, document.budget);
    if (!plan)
        return;
    summary.planned = plan->evaluation().peak;
    summary.plan =
        QObject::tr("%1 at %2, %3")
            .arg(QString::fromStdString(plan.provenance->asked.planner), bytesText(document.budget),
                 percentDifferenceText(slowDown(plan->evaluation().stepTime, unplanned.stepTime)));
    summary.thumbnail.budget =
        static_cast<double>(document.budget.count())
        / static_cast<double>(std::max<std::int64_t>(1, unplanned.peak.count()));
}

} // namespace

FileSummary summarize(const QString& path, const base::JobContext& job)
{
    FileSummary summary;
    summary.path = path;
    summary.name = fileText(QFileInfo{path}.fileName());
    if (!QFileInfo::exists(path)) {
        summary.fault = QObject::tr("not found");
        return summary;
    }
    workspace::Choices choices;
    choices.device = plan::findDevice(plan::kDefaultDevice).value_or(plan::Device{});
    const workspace::DocumentKinds kinds = workspace::documentKinds(choices);
    const qint64 bytes = QFileInfo{path}.size();
    if (bytes > kLargeFile
        && kinds.formats.kindOf(path.toStdString()) == readers::FileKind::Profile) {
        summary.kind =
            QObject::tr("Memory profile · file of %1").arg(bytesText(base::Bytes{bytes}));
        return summary;
    }
    const auto opened = workspace::openFile(path.toStdString(), kinds, job);
    if (!opened) {
        summary.fault = QObject::tr("can't be read");
        return summary;
    }
    const workspace::Document& first = *opened->front();
    const auto* document = dynamic_cast<const workspace::PlanDocument*>(&first);
    if (first.session.file)
        summary.kind = QObject::tr("Session");
    else if (document != nullptr)
        summary.name = fileText(document->graph.program->header.model);
    if (summary.name.isEmpty())
        summary.name = QString::fromStdString(first.name());
    if (const auto* profile = dynamic_cast<const workspace::ProfileDocument*>(&first))
        addProfile(summary, *profile);
    if (document == nullptr)
        return summary;
    if (!first.session.file)
        summary.kind =
            QObject::tr("Traced step · %1 ops").arg(countText(document->graph.program->ops.size()));
    if (const std::optional<plan::Device> gpu = gpuOfSample(path))
        summary.kind =
            QObject::tr("%1 ops · for %2")
                .arg(countText(document->graph.program->ops.size()), shortDeviceName(*gpu));
    const plan::Evaluation& unplanned = document->first->unplanned->evaluation();
    summary.peak = unplanned.peak;
    summary.thumbnail = thumbnailOf(*unplanned.timeline, [](const timeline::Stack& stack) {
        return stack[static_cast<std::size_t>(timeline::Category::Parameters)]
               + stack[static_cast<std::size_t>(timeline::Category::OptimizerState)];
    });
    addPlan(summary, *document);
    return summary;
}

void paintThumbnail(QPainter& painter, const QRectF& rect, const Thumbnail& thumbnail)
{
    const Theme& theme = Theme::current();
    painter.fillRect(rect, theme.color(Role::Plot));
    if (thumbnail.total.empty())
        return;
    const double columns = static_cast<double>(thumbnail.total.size());
    const auto area = [&](const std::vector<double>& values, bool closed) {
        QPainterPath path;
        const double top = rect.height() * 0.9;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double x = rect.left() + rect.width() * static_cast<double>(i) / columns;
            const double next = rect.left() + rect.width() * static_cast<double>(i + 1) / columns;
            const double y = rect.bottom() - top * values[i];
            if (i == 0)
                path.moveTo(x, closed ? rect.bottom() : y);
            path.lineTo(x, y);
            path.lineTo(next, y);
        }
        if (closed)
            path.lineTo(rect.right(), rect.bottom());
        return path;
    };
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillPath(area(thumbnail.total, true), theme.color(Role::ClassAct));
    painter.fillPath(area(thumbnail.fixed, true), theme.color(Role::ClassParam));
    painter.strokePath(area(thumbnail.total, false), QPen{theme.color(Role::Text), 1.2});
    if (thumbnail.budget && rect.height() > 40) {
        const double y = rect.bottom() - rect.height() * 0.9 * std::min(*thumbnail.budget, 1.05);
        setShape(painter, QPen{theme.color(Role::Line), 1.5}, theme.color(Role::Panel));
        painter.drawLine(QPointF{rect.left(), y}, QPointF{rect.right(), y});
        painter.drawEllipse(QPointF{rect.right() - 9, y}, 4.5, 4.5);
    }
    painter.restore();
}

} // namespace plimsoll::ui
