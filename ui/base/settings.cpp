// SPDX-License-Identifier: Apache-2.0
#include "ui/base/settings.h"

#include <algorithm>
#include <array>

namespace plimsoll::ui {

namespace {

constexpr qsizetype kMostRecentFiles = 12;
constexpr qsizetype kMostOwnDevices = 12;

QString key(const char* name)
{
    return QString::fromLatin1(name);
}

constexpr const char* kTheme = "appearance/theme";
constexpr const char* kScale = "appearance/scale_percent";
constexpr const char* kPatterns = "appearance/patterns";
constexpr const char* kLastFolder = "files/last_folder";
constexpr const char* kRecentFiles = "files/recent";
constexpr const char* kOwnDevices = "planner/own_devices";
constexpr const char* kWindowGeometry = "window/geometry";

/// The stored word's place in the list; 0 for a word that is not in it.
template <std::size_t N>
std::size_t placeOf(const QString& word, const std::array<const char*, N>& words)
{
    const auto found = std::find_if(words.begin(), words.end(), [&](const char* candidate) {
        return word == QLatin1String{candidate};
    });
    return found == words.end() ? 0 : static_cast<std::size_t>(found - words.begin());
}

constexpr std::array kThemeWords{"system", "light", "dark"};
constexpr std::array kPatternWords{"normal", "off", "strong"};
constexpr std::array kPatternValues{PatternStrength::Normal, PatternStrength::Off,
                                    PatternStrength::Strong};

} // namespace

Settings::Settings(QObject* parent) : QObject{parent} {}

Settings::Settings(const QString& iniFile, QObject* parent)
    : QObject{parent}, m_store{iniFile, QSettings::IniFormat}
{
}

ThemeChoice Settings::theme() const
{
    return static_cast<ThemeChoice>(placeOf(m_store.value(key(kTheme)).toString(), kThemeWords));
}

void Settings::setTheme(ThemeChoice theme)
{
    if (theme == this->theme())
        return;
    m_store.setValue(key(kTheme),
                     QString::fromLatin1(kThemeWords.at(static_cast<std::size_t>(theme))));
    Q_EMIT themeChanged(theme);
}

int Settings::scalePercent() const
{
    return std::clamp(m_store.value(key(kScale), 100).toInt(), 75, 300);
}

void Settings::setScalePercent(int percent)
{
    percent = std::clamp(percent, 75, 300);
    if (percent == scalePercent())
        return;
    m_store.setValue(key(kScale), percent);
    Q_EMIT scalePercentChanged(percent);
}

PatternStrength Settings::patterns() const
{
    return kPatternValues.at(placeOf(m_store.value(key(kPatterns)).toString(), kPatternWords));
}

void Settings::setPatterns(PatternStrength patterns)
{
    if (patterns == this->patterns())
        return;
    const auto place = std::find(kPatternValues.begin(), kPatternValues.end(), patterns);
    m_store.setValue(key(kPatterns), QString::fromLatin1(kPatternWords.at(static_cast<std::size_t>(
                                         place - kPatternValues.begin()))));
    Q_EMIT patternsChanged(patterns);
}

QString Settings::lastFolder() const
{
    return m_store.value(key(kLastFolder)).toString();
}

void Settings::setLastFolder(const QString& folder)
{
    if (folder == lastFolder())
        return;
    m_store.setValue(key(kLastFolder), folder);
}

QStringList Settings::recentFiles() const
{
    return m_store.value(key(kRecentFiles)).toStringList();
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
    m_store.setValue(key(kRecentFiles), files);
    Q_EMIT recentFilesChanged(files);
}

QStringList Settings::ownDevices() const
{
    return m_store.value(key(kOwnDevices)).toStringList();
}

void Settings::addOwnDevice(const QString& line)
{
    QStringList lines = ownDevices();
    lines.removeAll(line);
    lines.prepend(line);
    lines = lines.mid(0, kMostOwnDevices);
    if (lines == ownDevices())
        return;
    m_store.setValue(key(kOwnDevices), lines);
    Q_EMIT ownDevicesChanged(lines);
}

QByteArray Settings::windowGeometry() const
{
    return m_store.value(key(kWindowGeometry)).toByteArray();
}

void Settings::setWindowGeometry(const QByteArray& geometry)
{
    m_store.setValue(key(kWindowGeometry), geometry);
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
