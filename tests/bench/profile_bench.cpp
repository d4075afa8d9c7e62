// SPDX-License-Identifier: Apache-2.0
// Both plots of a profile at 1920x1080, with 10^4, 10^6 and 10^7 events: frames of a scripted pan
// and zoom, what is under the pointer, what is live at a step.
#include "core/base/random.h"
#include "core/base/try.h"
#include "core/memtrace/columns/column_file.h"
#include "core/readers/registry.h"
#include "core/session/session_store.h"
#include "core/workspace/profile/profile_picture.h"
#include "ui/base/theme.h"
#include "ui/memory_map/address_scene.h"
#include "ui/memory_map/memory_map_view.h"
#include "ui/profile_page/active_view.h"

#include "tests/bench/rows.h"
#include "tests/bench/yardsticks.h"
#include "tests/support/snapshots/snapshot_generator.h"
#include "tests/support/temp_folder.h"

#include <QApplication>
#include <QSplitter>
#include <QWheelEvent>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>

namespace {

using namespace plimsoll; // NOLINT(google-build-using-namespace)
using namespace plimsoll::bench;

constexpr int kFrames = 300;
constexpr QSize kWindow{1920, 1080};

/// A profile, and how long it took to get it: from its snapshot, and from a session's columns.
struct Opened
{
    workspace::ProfilePicturePtr picture;
    Span imported;
    Span reopened;
};

workspace::ProfilePicturePtr pictureOf(memtrace::MemoryTracePtr trace)
{
    const auto picture = workspace::profilePicture(std::move(trace), {}, {});
    if (!picture)
        std::abort();
    return *picture;
}

Span timeOf(const std::function<void()>& run)
{
    const Span begin = now();
    run();
    return now() - begin;
}

Opened openedOf(std::size_t events)
{
    const tests::TempFolder folder;
    const std::string path = folder.file("snapshot.pickle");
    {
        std::ofstream file{path, std::ios::binary};
        tests::GeneratedSnapshot snapshot;
        snapshot.events = events;
        static_cast<void>(tests::generateSnapshot(snapshot, [&](std::string_view part) {
            file.write(part.data(), static_cast<std::streamsize>(part.size()));
        }));
    }
    Opened opened;
    opened.imported = timeOf([&] {
        const auto read = readers::readProfile(io::Source{path});
        if (!read)
            std::abort();
        opened.picture = pictureOf(read->trace);
    });
    std::filesystem::remove(path);
    const std::string session = folder.file("session.plimsoll");
    session::DocumentId document{};
    const auto kept = session::SessionStore::create(
        session, [&](session::SessionStore& store) -> base::Result<void> {
            ASSIGN_OR_RETURN(document, store.addDocument({}));
            return store.saveBlob(document, session::kContent,
                                  memtrace::writeColumns(*opened.picture->trace));
        });
    if (!kept)
        std::abort();
    workspace::ProfilePicturePtr again; // letting go of it isn't part of opening
    opened.reopened = timeOf([&] {
        const auto store = session::SessionStore::open(session);
        auto content = store ? store->blob(document, session::kContent) : std::string{};
        if (!content)
            std::abort();
        const auto trace =
            memtrace::readColumns(std::make_shared<const std::string>(*std::move(content)));
        if (!trace)
            std::abort();
        again = pictureOf(*trace);
    });
    return opened;
}

/// The two plots over one axis, as the profile page has them.
class Plots
{
public:
    explicit Plots(const workspace::ProfilePicturePtr& picture)
        : active{new ui::ActiveView{&m_splitter}}, map{new ui::MemoryMapView{*active, &m_splitter}}
    {
        active->setPicture(picture);
        map->setScene(std::make_shared<ui::AddressScene>(picture->trace, picture->deviceIndex,
                                                         picture->timeline, picture->layout),
                      "Address map");
        m_splitter.resize(kWindow);
        m_splitter.show();
        settle();
    }
    void settle()
    {
        do
            QCoreApplication::processEvents();
        while (!map->isCurrent());
    }
    /// A wheel event over the upper plot or the map, and its frame.
    Span frame(QWidget& over, double share, int delta, Qt::KeyboardModifiers modifiers)
    {
        const QRectF plot = active->plotRect();
        const QPointF pos{plot.left() + share * plot.width(), over.height() / 2.0};
        QWheelEvent wheel{pos,       over.mapToGlobal(pos), {},   {0, delta}, Qt::NoButton,
                          modifiers, Qt::NoScrollPhase,     false};
        const Span begin = now();
        QCoreApplication::sendEvent(&over, &wheel);
        QCoreApplication::processEvents();
        return now() - begin;
    }

private:
    QSplitter m_splitter{Qt::Vertical};

public:
    ui::ActiveView* active;
    ui::MemoryMapView* map;
};

/// Zooms in and out again and pans, from the whole recording to a few events.
std::vector<Span> framesOf(Plots& plots)
{
    base::Random random{3};
    std::vector<Span> frames;
    for (int i = 0; i < kFrames; ++i) {
        QWidget& over = i % 2 == 0 ? static_cast<QWidget&>(*plots.active) : *plots.map;
        const bool isIn = i % 60 < 40;
        const double share = 0.1 + 0.8 * random.unit();
        frames.push_back(plots.frame(over, share, isIn ? 120 : -240, {}));
    }
    return frames;
}

std::vector<Span> hoversOf(Plots& plots)
{
    plots.active->showWholeStep();
    plots.settle();
    base::Random random{5};
    std::vector<Span> hovers;
    const QRectF plot = plots.map->plotRect();
    for (int i = 0; i < kFrames; ++i) {
        const QPointF pos{plot.left() + random.unit() * plot.width(),
                          plot.top() + random.unit() * plot.height()};
        QMouseEvent move{QEvent::MouseMove, pos,          plots.map->mapToGlobal(pos),
                         Qt::NoButton,      Qt::NoButton, {}};
        const Span begin = now();
        QCoreApplication::sendEvent(plots.map, &move);
        hovers.push_back(now() - begin);
    }
    return hovers;
}

std::vector<Span> fills(ColumnFill& fill)
{
    std::vector<Span> spans;
    for (int i = 0; i < 60; ++i) {
        const Span begin = now();
        if (fill.run() == 1)
            std::printf(" ");
        spans.push_back(now() - begin);
    }
    return spans;
}

double framesAt(std::size_t events)
{
    const Opened opened = openedOf(events);
    const workspace::ProfilePicturePtr& picture = opened.picture;
    Plots plots{picture};
    ColumnFill fill;
    const Span unit = quantile(fills(fill), 0.5);
    const std::vector<Span> frames = framesOf(plots);
    const std::vector<Span> hovers = hoversOf(plots);
    std::mt19937_64 random{11};
    std::vector<Span> live;
    for (int i = 0; i < 100; ++i) {
        const Span begin = now();
        if (picture->timeline->aliveAt(random() % picture->timeline->stepCount()).empty())
            std::printf(" ");
        live.push_back(now() - begin);
    }
    const Rows rows{"12", fmt::format("profile of {:.0e} events", static_cast<double>(events))};
    Rows{"13", fmt::format("profile of {:.0e} events", static_cast<double>(events))}.atMost(
        "opened from a session's columns / from the snapshot, processor",
        opened.reopened.processor / opened.imported.processor, 0.05);
    printFigure("the same, wall", opened.reopened.wall / opened.imported.wall);
    printFigure("opened from the snapshot, s", opened.imported.wall / 1e6);
    const Span p99 = quantile(frames, 0.99);
    rows.atMost("frame p99 of both plots, column fills, processor", p99.processor / unit.processor,
                3);
    printFigure("frame p50, column fills, processor",
                quantile(frames, 0.5).processor / unit.processor);
    printFigure("frame p99, column fills, wall", p99.wall / unit.wall);
    rows.atMost("under the pointer p99, column fills", quantile(hovers, 0.99).wall / unit.wall, 1);
    rows.atMost("live at a step p99, column fills", quantile(live, 0.99).processor / unit.processor,
                1.5);
    return p99.processor / unit.processor;
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application{argc, argv};
    const ui::Theme theme;
    for (int i = 1; i < argc; ++i) // only these sizes
        framesAt(std::strtoull(argv[i], nullptr, 10));
    if (argc > 1)
        return EXIT_SUCCESS;
    const double small = framesAt(10'000);
    framesAt(1'000'000);
    const double large = framesAt(10'000'000);
    Rows{"12", "profile"}.atMost("frame p99 of 1e7 events / of 1e4", large / small, 1.5);
    return EXIT_SUCCESS;
}
