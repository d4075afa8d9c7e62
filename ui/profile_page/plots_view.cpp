// SPDX-License-Identifier: Apache-2.0
// The centre of a profile page: the plots over one axis.
#include "ui/base/numbers.h"
#include "ui/profile_page/active_view.h"
#include "ui/profile_page/profile_page.h"
#include "ui/profile_page/profile_texts.h"
#include "ui/profile_page/profile_views.h"

#include <QJsonArray>
#include <QJsonObject>

namespace plimsoll::ui {

namespace {

void show(ActiveView& active, const ProfileState& state)
{
    const workspace::ProfilePicture& picture = *state.picture;
    QStringList facts{deviceText(picture.device())};
    facts << QObject::tr("peak %1").arg(bytesText(picture.timeline->peak(), Rounding::Up))
          << QObject::tr("reserved %1")
                 .arg(bytesText(picture.device().reserved().largest(), Rounding::Up));
    active.setSubtitle(facts);
    active.setPicture(state.picture);
}

} // namespace

ProfileView makePlotsView(ProfilePage& page)
{
    auto* active = new ActiveView{&page};
    active->setSelection(&page.selection());
    QObject::connect(active, &TimelineView::stepHovered, &page,
                     [&page](std::optional<std::size_t> step) { page.selection().setStep(step); });
    QObject::connect(&page, &ProfilePage::stepWanted, active, &TimelineView::showStep);
    QObject::connect(active, &TimelineView::visibleRangeChanged, &page,
                     [&page] { page.storeView(); });
    return {.widget = active,
            .update =
                [active](const ProfileState& state, ProfileChanges what) {
                    if (what.testFlag(ProfileChange::Picture))
                        show(*active, state);
                },
            .goBack = [active] { return active->goBack(); },
            .store =
                [active](QJsonObject& view) {
                    const VisibleRange range = active->visibleRange();
                    view.insert(QStringLiteral("range"), QJsonArray{range.begin, range.end});
                },
            .restore =
                [active](const QJsonObject& view) {
                    const QJsonArray range = view.value(QStringLiteral("range")).toArray();
                    if (range.size() == 2)
                        active->setVisibleRange({range[0].toDouble(), range[1].toDouble(1)});
                }};
}

} // namespace plimsoll::ui
