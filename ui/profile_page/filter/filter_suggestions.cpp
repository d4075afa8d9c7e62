// SPDX-License-Identifier: Apache-2.0
#include "ui/profile_page/filter/filter_suggestions.h"

#include "core/memtrace/analysis/streams.h"
#include "ui/base/texts.h"

#include <QObject>
#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace plimsoll::ui {

namespace {

using memtrace::FilterField;

constexpr std::size_t kMost = 300; ///< a longer list is no help

QStringList streams(const memtrace::DeviceTrace& device)
{
    std::set<std::size_t> numbers;
    for (std::size_t i = 0; i < std::min(device.places().size(), kMost); ++i)
        numbers.insert(memtrace::streamNumber(device, device.places()[i].stream));
    QStringList texts;
    for (const std::size_t number : numbers)
        texts << (number == 0 ? QStringLiteral("default") : QString::number(number));
    return texts;
}

QStringList pools(const memtrace::DeviceTrace& device)
{
    std::set<QString> texts;
    for (std::size_t i = 0; i < std::min(device.places().size(), kMost); ++i) {
        const memtrace::Place& place = device.places()[i];
        texts.insert(place.isPrivate()
                         ? QStringLiteral("%1.%2").arg(place.pool[0]).arg(place.pool[1])
                         : QStringLiteral("default"));
        if (place.isPrivate())
            texts.insert(QStringLiteral("private"));
    }
    return {texts.begin(), texts.end()};
}

/// A list of names can't name one that has a comma.
QString phaseValue(const QString& name)
{
    return name.contains(u',') ? QStringLiteral("/^%1$/").arg(QRegularExpression::escape(name))
                               : name;
}

/// Of frames of the project, as they are found by their file and line.
QStringList frames(const workspace::ProfilePicture& picture)
{
    const memtrace::StackTable& stacks = picture.trace->stacks();
    std::set<QString> texts;
    for (std::size_t i = 0; i < stacks.frameCount() && texts.size() < kMost; ++i) {
        const std::string_view file = stacks.text(stacks.frame(memtrace::FrameId{i}).file);
        if (file.ends_with(".py"))
            texts.insert(fileText(std::string{file.substr(file.rfind('/') + 1)}));
    }
    return {texts.begin(), texts.end()};
}

} // namespace

QString fieldTitle(FilterField field)
{
    switch (field) {
    case FilterField::Class: return QObject::tr("Class");
    case FilterField::Size: return QObject::tr("Size");
    case FilterField::Stream: return QObject::tr("Stream");
    case FilterField::Pool: return QObject::tr("Pool");
    case FilterField::Phase: return QObject::tr("Phase");
    case FilterField::Frame: return QObject::tr("Frame");
    case FilterField::Module: return QObject::tr("Module");
    case FilterField::Life: break;
    }
    return QObject::tr("Lifetime");
}

QString fieldExample(FilterField field)
{
    switch (field) {
    case FilterField::Class: return QObject::tr("activations, temporaries");
    case FilterField::Size: return QObject::tr(">= 1 MiB");
    case FilterField::Stream: return QObject::tr("default, 2");
    case FilterField::Pool: return QObject::tr("private");
    case FilterField::Phase: return QObject::tr("forward, or /step \\d+/");
    case FilterField::Frame: return QObject::tr("model.py, or /attn|mlp/");
    case FilterField::Module: return QObject::tr("model.py, or /block\\.py/");
    case FilterField::Life: break;
    }
    return QObject::tr(">= 10 ms, < 100 events, to the end");
}

QStringList fieldSuggestions(const workspace::ProfilePicture& picture, FilterField field)
{
    QStringList texts;
    switch (field) {
    case FilterField::Class:
        for (const timeline::Layer& layer : *memtrace::classLayers())
            texts << QString::fromStdString(layer.name).toLower();
        return texts;
    case FilterField::Phase:
        for (std::size_t i = 0; i < std::min(picture.facts.phases.names.size(), kMost); ++i)
            texts << phaseValue(fileText(picture.facts.phases.names[i]));
        return texts;
    case FilterField::Stream: return streams(picture.device());
    case FilterField::Pool: return pools(picture.device());
    case FilterField::Frame:
    case FilterField::Module: return frames(picture);
    case FilterField::Size:
        return {QStringLiteral(">= 1 MiB"), QStringLiteral(">= 64 MiB"),
                QStringLiteral("< 512 KiB"), QStringLiteral("1 MiB to 20 MiB")};
    case FilterField::Life: break;
    }
    texts << QStringLiteral("to the end") << QStringLiteral("from before")
          << QStringLiteral("< 100 events");
    if (picture.trace->hasTimes())
        texts << QStringLiteral(">= 10 ms") << QStringLiteral("< 1 ms");
    return texts;
}

} // namespace plimsoll::ui
