// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/class_lines.h"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

namespace plimsoll::arch {
namespace {

constexpr std::size_t kMostLines = 500;

struct Limit
{
    std::string_view name;
    std::size_t lines;
};

/// Classes with a limit of their own: those that tend to accumulate everything in the window.
constexpr std::array<Limit, 2> kTighter = {
    {{"ui/shell/MainWindow", 300}, {"ui/planner_page/PlannerPage", 400}}};

/// A piece of a file that begins and ends in the first column: a class, a function.
struct Piece
{
    std::string name; ///< "Replay" of a definition, "Replay::" of a member function
    std::size_t lines = 0;
};

std::string withoutTemplateArguments(const std::string& text)
{
    std::string rest;
    int depth = 0;
    for (const char c : text) {
        depth += c == '<' ? 1 : 0;
        if (depth == 0) {
            rest += c;
        }
        depth -= c == '>' && depth > 0 ? 1 : 0;
    }
    return rest;
}

/// The subject of the lines before a "{"; empty if it is neither a class nor a member function.
std::string nameOf(const std::string& head)
{
    static const std::regex kClass{R"(^\s*(?:template\s*)?(?:class|struct) ([\w:]+))"};
    static const std::regex kMember{R"(((?:\w+::)+)(?:~?\w+|operator\W+|operator \w+) *\()"};
    const std::string text = withoutTemplateArguments(head);
    if (text.find("::") == std::string::npos && text.find("class ") == std::string::npos
        && text.find("struct ") == std::string::npos) {
        return {};
    }
    std::smatch found;
    if (std::regex_search(text, found, kClass)) {
        return found[1].str();
    }
    return std::regex_search(text, found, kMember) ? found[1].str() : std::string{};
}

bool endsHead(const std::string& line)
{
    return line.empty() || line.front() == '}' || line.front() == '#' || line.starts_with("//")
           || line.ends_with(';') || line.ends_with("Q_OBJECT") || line.ends_with('{');
}

std::vector<Piece> piecesOf(const std::string& text)
{
    std::vector<Piece> pieces;
    std::string head;
    std::size_t headLines = 0;
    Piece* open = nullptr;
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);) {
        if (open != nullptr) {
            ++open->lines;
            if (line.starts_with('}')) {
                open = nullptr;
            }
            continue;
        }
        if (line == "{") {
            pieces.push_back({nameOf(head), headLines + 1});
            open = &pieces.back();
        } else if (line.ends_with("{}") || line.ends_with(" = default;")) {
            pieces.push_back({nameOf(head + line), headLines + 1});
        } else if (!endsHead(line)) {
            head += line + ' ';
            ++headLines;
            continue;
        }
        head.clear();
        headLines = 0;
    }
    return pieces;
}

} // namespace

std::vector<ClassLines> classesOf(const std::vector<SourceFile>& files)
{
    std::map<std::string, ClassLines> classes;
    std::map<std::string, std::vector<Piece>> pieces;
    const auto folderOf = [](const std::string& path) {
        return path.substr(0, path.rfind('/') + 1);
    };
    for (const SourceFile& file : files) {
        pieces[file.path] = piecesOf(file.text);
        for (const Piece& piece : pieces[file.path]) {
            if (!piece.name.empty() && !piece.name.ends_with(':')) {
                // The same name in another .cpp may be another class.
                const std::string place =
                    file.path.ends_with(".h") ? folderOf(file.path) : file.path + ':';
                ClassLines& lines = classes[place + piece.name];
                lines.name = place + piece.name;
                lines.lines += piece.lines;
            }
        }
    }
    for (const auto& [path, all] : pieces) {
        for (const Piece& piece : all) {
            if (!piece.name.ends_with("::")) {
                continue;
            }
            const std::string name = piece.name.substr(0, piece.name.size() - 2);
            auto owner = classes.find(std::string{path}.append(":").append(name));
            owner = owner == classes.end() ? classes.find(folderOf(path) + name) : owner;
            if (owner == classes.end()) {
                continue; // a namespace
            }
            owner->second.lines += piece.lines;
            if (path.ends_with(".cpp")) {
                owner->second.sources.insert(path);
            }
        }
    }
    std::vector<ClassLines> result;
    result.reserve(classes.size());
    for (auto& [name, lines] : classes) {
        result.push_back(std::move(lines));
    }
    return result;
}

std::vector<std::string> faultsOfClasses(const std::vector<SourceFile>& files)
{
    std::vector<std::string> faults;
    for (const ClassLines& lines : classesOf(files)) {
        const auto is = [&lines](std::string_view name) { return name == lines.name; };
        const auto* limit = std::ranges::find_if(kTighter, is, &Limit::name);
        const std::size_t most = limit == kTighter.end() ? kMostLines : limit->lines;
        if (lines.lines > most) {
            faults.push_back(lines.name + " has " + std::to_string(lines.lines)
                             + " lines over all its files, more than " + std::to_string(most));
        }
        if (lines.sources.size() > 1) {
            faults.push_back(lines.name + " is spread over " + std::to_string(lines.sources.size())
                             + " files: split it by ideas");
        }
    }
    return faults;
}

} // namespace plimsoll::arch
