// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/evaluate/evaluate.h"

#include <QWidget>

#include <array>
#include <optional>
#include <string>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;

namespace plimsoll::ui {

class TextLabel;

/// Whether the step is that of one rank under DistributedDataParallel or, from ZeRO-2 on,
/// fully_shard(): the number of processes, buckets, the bus between them, and the cost of
/// reductions. Hidden for steps that don't support it.
class ParallelForm : public QWidget
{
    Q_OBJECT

public:
    using Setting = std::optional<plan::DataParallel>;

    explicit ParallelForm(QWidget* parent = nullptr);

    /// The graph as read.
    void setRecorded(const graph::Program& recorded);
    /// The current setting; the device provides the default bandwidth.
    void setSetting(const Setting& setting, const plan::Device& device);
    void showSpent(const plan::Evaluation& evaluation);

Q_SIGNALS:
    void settingChosen(const std::optional<plimsoll::plan::DataParallel>& setting);

private:
    [[nodiscard]] QLineEdit* addEdit(QFormLayout& form, const QString& title, const QString& tip);
    [[nodiscard]] QCheckBox* addSwitch(QFormLayout& form, const QString& title, const QString& tip);
    [[nodiscard]] std::string line() const;
    void fillIn();
    void choose();
    [[nodiscard]] static QString sentenceOf(const base::Error& error);

    Setting m_setting;
    plan::Device m_device;
    QCheckBox* m_isOn = nullptr;
    QWidget* m_fields = nullptr;
    QLineEdit* m_world = nullptr;
    QLineEdit* m_bucket = nullptr;
    QLineEdit* m_bandwidth = nullptr;
    QLineEdit* m_latency = nullptr;
    QCheckBox* m_views = nullptr;
    QCheckBox* m_manual = nullptr;
    QComboBox* m_zero = nullptr;
    std::array<TextLabel*, 2> m_spent{}; ///< the cost of communication, in as many lines
    QLabel* m_error = nullptr;
};

} // namespace plimsoll::ui
