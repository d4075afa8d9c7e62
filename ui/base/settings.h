// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/base/theme.h"

#include <QByteArray>
#include <QObject>
#include <QSettings>
#include <QStringList>

namespace plimsoll::ui {

/// The user's settings, kept between runs. Typed; each value has its signal, emitted only on
/// change. Created once by the application and passed down.
class Settings : public QObject
{
    Q_OBJECT

public:
    /// The user's own settings.
    explicit Settings(QObject* parent = nullptr);
    /// Stored in an INI file: for tests and portable use.
    explicit Settings(const QString& iniFile, QObject* parent = nullptr);

    [[nodiscard]] ThemeChoice theme() const;
    void setTheme(ThemeChoice theme);
    [[nodiscard]] int scalePercent() const; ///< 75 … 300
    void setScalePercent(int percent);
    [[nodiscard]] PatternStrength patterns() const;
    void setPatterns(PatternStrength patterns);
    [[nodiscard]] QString lastFolder() const;
    void setLastFolder(const QString& folder);
    /// Newest first, at most 12.
    /// Where files are proposed to be written: the user's documents at first.
    [[nodiscard]] QString saveFolder() const;
    void setSaveFolder(const QString& folder);
    [[nodiscard]] QStringList recentFiles() const;
    void addRecentFile(const QString& path);
    void removeRecentFile(const QString& path);
    void forgetRecentFiles() { setRecentFiles({}); }
    /// Programs that were recorded, newest first, at most 12, as ui/record/launch_spec.h writes
    /// them.
    [[nodiscard]] QStringList recentPrograms() const;
    void addRecentProgram(const QString& program);
    /// Devices given by hand, newest first, at most 12, as lines of core/device/device_spec.h.
    [[nodiscard]] QStringList ownDevices() const;
    void addOwnDevice(const QString& line);
    /// The user's GPU, as findDevice() takes it; empty: not known yet.
    [[nodiscard]] QString gpu() const;
    void setGpu(const QString& gpu);
    /// An editor's id (ui/document_page/source_editor.h); empty: the own command, or the first
    /// editor that is installed.
    [[nodiscard]] QString editor() const;
    void setEditor(const QString& id);
    /// A command line with {file} and {line}.
    [[nodiscard]] QString editorCommand() const;
    void setEditorCommand(const QString& command);
    /// Where source files are, by the folder that graphs name: each as two lines, from and to,
    /// newest first, at most 12.
    [[nodiscard]] QStringList sourceFolders() const;
    void addSourceFolder(const QString& from, const QString& to);
    /// Written and read by the shell only; contains a version of its own.
    [[nodiscard]] QByteArray windowGeometry() const;
    void setWindowGeometry(const QByteArray& geometry);

    /// Applies theme, scale and patterns to the theme, now and on every later change.
    void drive(Theme& theme);

Q_SIGNALS:
    void themeChanged(ThemeChoice theme);
    void scalePercentChanged(int percent);
    void patternsChanged(PatternStrength patterns);
    void recentFilesChanged(const QStringList& files);
    void recentProgramsChanged(const QStringList& programs);
    void editorChanged(const QString& id);
    void editorCommandChanged(const QString& command);
    void gpuChanged(const QString& gpu);
    void ownDevicesChanged(const QStringList& lines);

private:
    void setRecentFiles(const QStringList& files);

    QSettings m_store;
};

} // namespace plimsoll::ui
