// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/device/device.h"

#include <QDialog>

#include <vector>

class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace plimsoll::ui {

/// A GPU that no table has: a field for each value, filled in from another GPU. Input is validated
/// as it is typed; a sentence says what is wrong with it.
class DeviceDialog : public QDialog
{
    Q_OBJECT

public:
    explicit DeviceDialog(const plan::Device& like, QWidget* parent = nullptr);

Q_SIGNALS:
    void chosen(const plimsoll::plan::Device& device);

private:
    /// A value with its name in core/device/device_spec.h.
    struct Field
    {
        const char* key = "";
        QString title;
        QLineEdit* edit = nullptr;
    };

    void addFields(QFormLayout& form, const plan::Device& like);
    [[nodiscard]] QString sentenceOf(const base::Error& error) const;
    [[nodiscard]] base::Result<plan::Device> device() const;
    void readFields();

    std::vector<Field> m_fields;
    QLabel* m_error = nullptr;
    QPushButton* m_use = nullptr;
};

} // namespace plimsoll::ui
