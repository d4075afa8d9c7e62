// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/workspace/planning.h"

#include <QWidget>

#include <vector>

namespace plimsoll::ui {

/// What the Plan dock shows when no plan fits: the mark, the reason, the tensors that make the
/// bound.
class BoundPage : public QWidget
{
    Q_OBJECT

public:
    explicit BoundPage(QWidget* parent = nullptr);

    void show(const graph::ProgramPtr& program, const plan::PeakBound& bound,
              const QString& sentence);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    struct Row
    {
        QString name;
        QString bytes;
    };
    QString m_sentence;
    std::vector<Row> m_rows; ///< largest first, the rest summed in the last one
};

} // namespace plimsoll::ui
