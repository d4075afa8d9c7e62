// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/job_runner.h"

#include <QWidget>

#include <vector>

class QButtonGroup;
class QHBoxLayout;
class QStackedWidget;
class QToolButton;

namespace plimsoll::ui {

struct FitSettings;
class DeviceFitsPane;
class FitsPane;
class LargestSizesPane;

/// The page What Fits: on which GPUs the step fits, and up to which sizes it runs. Two tables, one
/// of them shown; nothing is planned until the user asks for it.
class FitsPage : public QWidget
{
    Q_OBJECT

public:
    explicit FitsPage(QWidget* parent = nullptr);

    void setSettings(const FitSettings& settings);
    [[nodiscard]] DeviceFitsPane& devices() { return *m_devices; }
    [[nodiscard]] LargestSizesPane& sizes() { return *m_sizes; }
    /// What may be running.
    [[nodiscard]] std::vector<JobRunnerBase*> jobs();

private:
    void buildPanes();
    [[nodiscard]] QToolButton* makeSegment(const QString& title, const QString& tip);
    void addPane(FitsPane& pane, QToolButton& segment);

    QHBoxLayout* m_segments = nullptr;
    QButtonGroup* m_group = nullptr;
    QStackedWidget* m_heads = nullptr;
    QStackedWidget* m_panes = nullptr;
    DeviceFitsPane* m_devices = nullptr;
    LargestSizesPane* m_sizes = nullptr;
};

} // namespace plimsoll::ui
