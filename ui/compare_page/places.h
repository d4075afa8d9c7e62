// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/comparison/compared_profile.h"

#include <QAbstractButton>
#include <QWidget>

#include <array>

namespace plimsoll::ui {

/// An outlined place for a profile: dashed while it is empty, and then a button.
class ProfilePlace : public QAbstractButton
{
    Q_OBJECT

public:
    explicit ProfilePlace(std::size_t side, QWidget* parent = nullptr);

    /// Empty: the place is.
    void setProfile(const QString& name);

    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    std::size_t m_side;
    QString m_name;
    bool m_hasRing = false;
};

/// What a comparison shows until it has two profiles: a place for each.
class ProfilePlaces : public QWidget
{
    Q_OBJECT

public:
    explicit ProfilePlaces(QWidget* parent = nullptr);

    void setProfiles(const workspace::ComparedProfiles& profiles);
    [[nodiscard]] ProfilePlace& place(std::size_t side) const { return *m_places[side]; }

Q_SIGNALS:
    void profileWanted();

private:
    std::array<ProfilePlace*, 2> m_places{};
};

} // namespace plimsoll::ui
