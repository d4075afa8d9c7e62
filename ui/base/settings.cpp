// SPDX-License-Identifier: Apache-2.0
#include "ui/base/settings.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

#include <algorithm>
#include <array>

namespace plimsoll::ui {

namespace {

constexpr qsizetype kMostRecentFiles = 12;
constexpr qsizetype kMostOwnDevices = 12;
constexpr int kMostSourceFolders = 12;

constexpr QLatin1String kTheme{"appearance/theme"};
constexpr QLatin1String kScale{"appearance/scale_percent"};
constexpr QLatin1String kPatterns{"appearance/patterns"};
constexpr QLatin1String kLastFolder{"files/last_folder"};
constexpr QLatin1String kRecentFiles{"files/recent"};
constexpr QLatin1String kRecentPrograms{"record/recent"};
constexpr QLatin1String kOwnDevices{"planner/own_devices"};
constexpr QLatin1String kEditor{"sources/editor"};
constexpr QLatin1String kEditorCommand{"sources/command"};
constexpr QLatin1String kSourceFolders{"sources/folders"};
constexpr QLatin1String kSaveFolder{"files/save_folder"};
constexpr QLatin1String kGpu{"planner/gpu"};
constexpr QLatin1String kWindowGeometry{"window/geometry"};

// In the order of their enums.
constexpr std::array kThemeWords{"system", "light", "dark"};
constexpr std::array kPatternWords{"off", "normal", "strong"};

/// The value of a stored word; `otherwise` if the word isn't in the list.
template <typename Choice>
Choice choiceOf(const QString& word, const std::array<const char*, 3>& words, Choice otherwise)
{
    for (std::size_t place = 0; place < words.size(); ++place)
        if (word == QLatin1String{words[place]})
            return static_cast<Choice>(place);
    return otherwise;
}

template <typename Choice>
QString wordOf(Choice choice, const std::array<const char*, 3>& words)
{
    return QString::fromLatin1(words.at(static_cast<std::size_t>(choice)));
}

} // namespace

Settings::Settings(QObject* parent) : QObject{parent} {}

Settings::Settings(const QString& iniFile, QObject* parent)
    : QObject{parent}, m_store{iniFile, QSettings::IniFormat}
{
}

ThemeChoice Settings::theme() const
{
    return choiceOf(m_store.value(kTheme).toString(), kThemeWords, ThemeChoice::System);
}

void Settings::setTheme(ThemeChoice theme)
{
    if (theme == this->theme())
        return;
    m_store.setValue(kTheme, wordOf(theme, kThemeWords));
    Q_EMIT themeChanged(theme);
}

int Settings::scalePercent() const
{
    return std::clamp(m_store.value(kScale, 100).toInt(), 75, 300);
}

void Settings::setScalePercent(int percent)
{
    percent = std::clamp(percent, 75, 300);
    if (percent == scalePercent())
        return;
    m_store.setValue(kScale, percent);
    Q_EMIT scalePercentChanged(percent);
}

PatternStrength Settings::patterns() const
{
    return choiceOf(m_store.value(kPatterns).toString(), kPatternWords, PatternStrength::Normal);
}

void Settings::setPatterns(PatternStrength patterns)
{
    if (patterns == this->patterns())
        return;
    m_store.setValue(kPatterns, wordOf(patterns, kPatternWords));
    Q_EMIT patternsChanged(patterns);
}

QString Settings::lastFolder() const
{
    return m_store.value(kLastFolder).toString();
}

void Settings::setLastFolder(const QString& folder)
{
    m_store.setValue(kLastFolder, folder);
}

QString Settings::saveFolder() const
{
    const QString folder = m_store.value(kSaveFolder).toString();
    if (!folder.isEmpty() && QFileInfo{folder}.isDir())
        return folder;
    const QString documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    return QFileInfo{documents}.isDir() ? documents : QDir::homePath();
}

void Settings::setSaveFolder(const QString& folder)
{
    m_store.setValue(kSaveFolder, folder);
}

QStringList Settings::recentFiles() const
{
    return m_store.value(kRecentFiles).toStringList();
}

void Settings::addRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    files.prepend(path);
    setRecentFiles(files.mid(0, kMostRecentFiles));
}

void Settings::removeRecentFile(const QString& path)
{
    QStringList files = recentFiles();
    files.removeAll(path);
    setRecentFiles(files);
}

void Settings::setRecentFiles(const QStringList& files)
{
    if (files == recentFiles())
        return;
    m_store.setValue(kRecentFiles, files);
    Q_EMIT recentFilesChanged(files);
}

QStringList Settings::recentPrograms() const
{
    return m_store.value(kRecentPrograms).toStringList();
}

void Settings::addRecentProgram(const QString& program)
{
    QStringList programs = recentPrograms();
    programs.removeAll(program);
    programs.prepend(program);
    programs = programs.mid(0, kMostRecentFiles);
    if (programs == recentPrograms())
        return;
    m_store.setValue(kRecentPrograms, programs);
    Q_EMIT recentProgramsChanged(programs);
}

QStringList Settings::ownDevices() const
{
    return m_store.value(kOwnDevices).toStringList();
}

void Settings::addOwnDevice(const QString& line)
{
    QStringList lines = ownDevices();
    lines.removeAll(line);
    lines.prepend(line);
    lines = lines.mid(0, kMostOwnDevices);
    if (lines == ownDevices())
        return;
    m_store.setValue(kOwnDevices, lines);
    Q_EMIT ownDevicesChanged(lines);
}

QString Settings::gpu() const
{
    return m_store.value(kGpu).toString();
}

void Settings::setGpu(const QString& gpu)
{
    if (gpu == this->gpu())
        return;
    m_store.setValue(kGpu, gpu);
    Q_EMIT gpuChanged(gpu);
}

QString Settings::editor() const
{
    return m_store.value(kEditor).toString();
}

void Settings::setEditor(const QString& id)
{
    if (id == editor())
        return;
    m_store.setValue(kEditor, id);
    Q_EMIT editorChanged(id);
}

QString Settings::editorCommand() const
{
    return m_store.value(kEditorCommand).toString();
}

void Settings::setEditorCommand(const QString& command)
{
    if (command == editorCommand())
        return;
    m_store.setValue(kEditorCommand, command);
    Q_EMIT editorCommandChanged(command);
}

QStringList Settings::sourceFolders() const
{
    return m_store.value(kSourceFolders).toStringList();
}

void Settings::addSourceFolder(const QString& from, const QString& to)
{
    QStringList folders = sourceFolders();
    folders.removeIf([&](const QString& line) { return line.startsWith(from + u'\n'); });
    folders.prepend(from + u'\n' + to);
    m_store.setValue(kSourceFolders, QStringList{folders.mid(0, kMostSourceFolders)});
}

QByteArray Settings::windowGeometry() const
{
    return m_store.value(kWindowGeometry).toByteArray();
}

void Settings::setWindowGeometry(const QByteArray& geometry)
{
    m_store.setValue(kWindowGeometry, geometry);
}

void Settings::drive(Theme& theme)
{
    theme.setChoice(this->theme());
    theme.setScalePercent(scalePercent());
    theme.setPatterns(patterns());
    connect(this, &Settings::themeChanged, &theme, &Theme::setChoice);
    connect(this, &Settings::scalePercentChanged, &theme, &Theme::setScalePercent);
    connect(this, &Settings::patternsChanged, &theme, &Theme::setPatterns);
}

} // namespace plimsoll::ui
