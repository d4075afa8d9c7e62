// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFileDialog>
#include <QString>
#include <QStringList>

class QWidget;

namespace plimsoll::ui {

/// QFileDialog's static functions, without reading the files of the folder: Qt does that to
/// determine their types, and closing a session that is open here would drop this process's locks
/// on it.
[[nodiscard]] QStringList chooseFiles(QWidget* parent, const QString& title, const QString& folder,
                                      const QString& filters,
                                      QFileDialog::FileMode mode = QFileDialog::ExistingFiles);
/// `proposal`: a folder and a file's name. Empty: cancelled.
[[nodiscard]] QString chooseFileToSave(QWidget* parent, const QString& title,
                                       const QString& proposal, const QString& filters);

} // namespace plimsoll::ui
