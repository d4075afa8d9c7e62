// SPDX-License-Identifier: Apache-2.0
#include "ui/fits_page/fit_settings.h"

#include "ui/base/numbers.h"
#include "ui/base/texts.h"
#include "ui/models/option_names.h"
#include "ui/models/program_texts.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>
#include <utility>

namespace plimsoll::ui {

namespace {

QString translated(const char* text)
{
    return QCoreApplication::translate("FitSettings", text);
}

bool isSameQuestion(workspace::SizeQuestion former, workspace::SizeQuestion now)
{
    former.choices.sizes.erase(former.axis);
    now.choices.sizes.erase(now.axis);
    return former.axis == now.axis && former.choices == now.choices;
}

QString parallelText(const std::optional<plan::DataParallel>& parallel)
{
    return parallel ? translated("one of %1 processes").arg(parallel->world)
                    : translated("a single process");
}

QString allocatorText(allocator::AllocatorSettings settings)
{
    const bool isExpandable = std::exchange(settings.expandableSegments, false);
    return settings != allocator::AllocatorSettings{} ? translated("other allocator settings")
           : isExpandable                             ? translated("expandable segments")
                                                      : translated("no expandable segments");
}

QString pinsText(std::size_t count)
{
    return count == 0   ? translated("no pins")
           : count == 1 ? translated("1 pin")
                        : translated("%1 pins").arg(countText(count));
}

/// "batch 8, planner rotor": the former values.
QString differences(const FitSettings& former, const FitSettings& now)
{
    const workspace::Choices& then = former.choices;
    QStringList texts;
    const auto add = [&texts](bool isOther, const QString& text) {
        if (isOther)
            texts << text;
    };
    add(then.sizes != now.choices.sizes, sizeText(*former.recorded, then.sizes));
    add(former.budget != now.budget, translated("a budget of %1").arg(bytesText(former.budget)));
    add(then.device != now.choices.device, fileText(then.device.name));
    add(then.planner != now.choices.planner || then.options != now.choices.options,
        translated("planner %1").arg(plannerTitle(then)));
    add(then.reserve != now.choices.reserve,
        translated("%1 in reserve").arg(bytesText(then.reserve)));
    add(then.profiled != now.choices.profiled, translated("other times of ops"));
    add(then.pins != now.choices.pins, pinsText(then.pins.size()));
    add(then.parallel != now.choices.parallel, parallelText(then.parallel));
    add(former.allocator != now.allocator, allocatorText(former.allocator));
    return texts.join(QStringLiteral(", "));
}

} // namespace

std::vector<workspace::Choices> deviceChoices(const FitSettings& settings)
{
    std::vector<workspace::Choices> all;
    for (const plan::Device& device : settings.devices) {
        workspace::Choices choices = settings.choices;
        workspace::setDevice(choices, *settings.recorded, device);
        choices.profiled = {}; // of one GPU
        all.push_back(std::move(choices));
    }
    return all;
}

std::vector<workspace::SizeQuestion> sizeQuestions(const FitSettings& settings)
{
    std::vector<workspace::SizeQuestion> questions;
    if (!settings.recorded->vary)
        return questions;
    for (const graph::Axis& axis : settings.recorded->vary->axes)
        for (const workspace::Choices& choices : workspace::choicesByPlanner(settings.choices))
            questions.push_back({axis.name, choices});
    return questions;
}

QString formerOfDeviceFits(const FitSettings& former, const FitSettings& now)
{
    FitSettings current = now;
    current.devices = former.devices;
    current.budget = former.budget; // each GPU has all of its memory
    const std::vector<workspace::Choices> before = deviceChoices(former);
    const std::vector<workspace::Choices> after = deviceChoices(current);
    FitSettings then = former;
    then.choices = before.front();
    current.choices = after.front();
    // A reserve may be that of some GPUs.
    if (const auto other = std::ranges::mismatch(before, after); other.in1 != before.end()) {
        then.choices = *other.in1;
        current.choices = *other.in2;
    }
    return differences(then, current);
}

QString formerOfLargestSizes(const FitSettings& former, const FitSettings& now)
{
    const bool isSame =
        former.budget == now.budget && former.allocator == now.allocator
        && std::ranges::equal(sizeQuestions(former), sizeQuestions(now), isSameQuestion);
    return isSame ? QString{} : differences(former, now);
}

} // namespace plimsoll::ui
