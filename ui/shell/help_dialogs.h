// SPDX-License-Identifier: Apache-2.0
#pragma once

class QWidget;

namespace plimsoll::plan {
class VerifiedPlan;
}

namespace plimsoll::ui {

// Small informative windows; none of them blocks the program.

/// The sheet of keys, made from the window's actions.
void showKeys(QWidget* window);
/// Every planner: what it does, what it is based on, what it leaves out, its options.
void showPlanners(QWidget* parent);
void showNotModelled(QWidget* parent, const plan::VerifiedPlan& plan);
void showAbout(QWidget* parent);

} // namespace plimsoll::ui
