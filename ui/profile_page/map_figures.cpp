// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/map_figures.h"

#include "ui/base/numbers.h"
#include "ui/profile_page/profile_texts.h"

#include <QLocale>

#include <utility>
#include <vector>

namespace plimsoll::ui {

namespace {
constexpr int kFigureDelay = 40; ///< ms after the last move of the cursor
} // namespace

MapFigures::MapFigures(QObject* parent) : QObject{parent}
{
    m_later.setSingleShot(true);
    m_later.setInterval(kFigureDelay);
    connect(&m_later, &QTimer::timeout, this, &MapFigures::refresh);
}

void MapFigures::setPicture(workspace::ProfilePicturePtr picture)
{
    if (m_picture && m_picture->deviceIndex != picture->deviceIndex)
        m_step.reset();
    const bool isSameDevice = m_picture && m_picture->recorded == picture->recorded
                              && m_picture->deviceIndex == picture->deviceIndex;
    m_picture = std::move(picture);
    if (!isSameDevice)
        makeCurve();
    m_text.clear();
    m_later.start();
}

void MapFigures::setStep(std::optional<std::size_t> step)
{
    if (!step || step == m_step)
        return;
    m_step = step;
    m_later.start();
}

void MapFigures::makeCurve()
{
    m_curve = nullptr;
    if (m_picture->trace->isOfDriver()) { // of what is idle in its blocks nothing is known
        m_curveMaker.stop();
        return;
    }
    m_curveMaker.start(
        [picture = m_picture](const base::JobContext& job) {
            return memtrace::largestGaps(picture->device(), job);
        },
        [this](const base::Result<memtrace::GapCurvePtr>& curve) {
            if (!curve)
                return;
            m_curve = *curve;
            Q_EMIT curveChanged();
        });
}

void MapFigures::refresh()
{
    if (!m_picture || m_picture->timeline->stepCount() == 0
        || m_picture->device().segments().empty() || m_picture->trace->isOfDriver())
        return;
    const std::size_t step = m_step.value_or(m_picture->mainStep());
    m_finder.start(
        [picture = m_picture, step](const base::JobContext&) {
            const timeline::Timeline& timeline = *picture->timeline;
            std::vector<std::uint32_t> live;
            for (const std::uint32_t index : timeline.aliveAt(step))
                live.push_back(timeline.intervals()[index].origin);
            return base::Result<memtrace::Gaps>{memtrace::gapsAt(picture->device(), live, step)};
        },
        [this, step, picture = m_picture](const base::Result<memtrace::Gaps>& gaps) {
            if (!gaps || picture != m_picture)
                return;
            const memtrace::GapFigures figures = memtrace::figuresOf(*gaps);
            // Gaps between allocations may be parts of their blocks, which aren't idle.
            const QString text = gaps->areBlocks
                                     ? tr("%1: %2 idle, the largest %3, fragmentation %4")
                                     : tr("%1: %2 in gaps, the largest %3, fragmentation %4");
            m_text = text.arg(stepText(*picture, step), bytesText(figures.idle),
                              bytesText(figures.largest),
                              QLocale::c().toString(figures.fragmentation(), 'f', 2));
            Q_EMIT textChanged();
        });
}

} // namespace plimsoll::ui
