// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_tables/allocation_texts.h"

#include "core/memtrace/analysis/streams.h"
#include "core/memtrace/frames.h"
#include "ui/base/numbers.h"
#include "ui/base/texts.h"

#include <QObject>

namespace plimsoll::ui {

using memtrace::EventIndex;
using memtrace::kNoEvent;

QString stackText(const workspace::ProfilePicture& picture, std::uint32_t allocation)
{
    const memtrace::Allocations& allocations = picture.device().allocations();
    const memtrace::StackId stack{allocations.stack[allocation]};
    const memtrace::StackTable& stacks = picture.trace->stacks();
    const std::optional<memtrace::FrameId> top = memtrace::topFrame(stacks, stack);
    if (!top)
        return allocations.allocEvent[allocation] == kNoEvent ? QObject::tr("before the recording")
                                                              : QObject::tr("no Python frame");
    const memtrace::Frame& frame = stacks.frame(*top);
    const QString name = fileText(std::string{stacks.text(frame.name)});
    const QString source = shortSource(sourceText(stacks, stack));
    return source.isEmpty() ? name : name + QStringLiteral(", ") + source;
}

QString sourceText(const memtrace::StackTable& stacks, memtrace::StackId stack)
{
    const std::optional<memtrace::FrameId> top = memtrace::topFrame(stacks, stack);
    if (!top)
        return {};
    const memtrace::Frame& frame = stacks.frame(*top);
    if (frame.file.index() == 0)
        return {};
    return fileText(std::string{stacks.text(frame.file)}) + u':' + QString::number(frame.line);
}

QString shortSource(const QString& source)
{
    return source.mid(source.lastIndexOf(u'/') + 1);
}

QString classText(const workspace::ProfilePicture& picture, std::uint32_t allocation)
{
    return QString::fromStdString(
        memtrace::classLayers()->at(picture.facts.classes.classOf[allocation]).name);
}

std::int64_t lifeOf(const workspace::ProfilePicture& picture, std::uint32_t allocation)
{
    const memtrace::DeviceTrace& device = picture.device();
    const timeline::Timeline& timeline = *picture.timeline;
    const std::size_t end = device.lastStep(allocation) + std::size_t{1};
    return (timeline.timeAt(end) - timeline.timeAt(device.firstStep(allocation))).count();
}

QString lifeText(const workspace::ProfilePicture& picture, std::uint32_t allocation)
{
    const std::int64_t life = lifeOf(picture, allocation);
    return picture.settings.axis == memtrace::Axis::Events || !picture.trace->hasTimes()
               ? QObject::tr("%1 events").arg(countText(static_cast<std::uint64_t>(life)))
               : timeText(base::Nanoseconds{life});
}

QString eventText(const workspace::ProfilePicture& picture, EventIndex event,
                  const QString& otherwise)
{
    if (event == kNoEvent)
        return otherwise;
    return picture.settings.axis == memtrace::Axis::Events
               ? QObject::tr("event %1").arg(countText(picture.device().shownIndex(event)))
               : timeText(picture.device().timeOf(event));
}

QString plainAddressText(std::uint64_t address)
{
    return address == memtrace::kNoAddress ? QString{}
                                           : QStringLiteral("0x") + QString::number(address, 16);
}

QString deviceText(const memtrace::DeviceTrace& device)
{
    return deviceText(device.ordinal());
}

QString addressText(std::uint64_t address)
{
    if (address == memtrace::kNoAddress)
        return QObject::tr("not recorded");
    QString digits = QString::number(address, 16);
    for (qsizetype at = digits.size() - 4; at > 0; at -= 4)
        digits.insert(at, u'\u2009');
    return QStringLiteral("0x") + digits;
}

QString streamText(const memtrace::DeviceTrace& device, std::uint64_t stream)
{
    const std::size_t number = memtrace::streamNumber(device, stream);
    return number == 0 ? QObject::tr("default") : QString::number(number);
}

QString poolText(const memtrace::Place& place)
{
    return place.isPrivate() ? QObject::tr("private %1.%2").arg(place.pool[0]).arg(place.pool[1])
                             : QObject::tr("default");
}

QString actionText(memtrace::Action action)
{
    return QString::fromLatin1(memtrace::actionName(action));
}

} // namespace plimsoll::ui
