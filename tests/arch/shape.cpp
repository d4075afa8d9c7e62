// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/shape.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <map>
#include <regex>
#include <set>

namespace plimsoll::arch {
namespace {

constexpr std::size_t kMostFiles = 30;
constexpr std::size_t kMostHeaderLines = 200;
constexpr std::size_t kLongestSubject = 72;

using Graph = std::map<std::string, std::set<std::string>>;

bool isCode(std::string_view path)
{
    return path.ends_with(".cpp") || path.ends_with(".h");
}

/// "core/plan/pins" of its header and of its source.
std::string pairOf(std::string_view path)
{
    return std::string{path.substr(0, path.rfind('.'))};
}

void checkFolders(const std::vector<SourceFile>& files, std::vector<std::string>& faults)
{
    std::map<std::string, std::size_t> count;
    for (const SourceFile& file : files) {
        if (isCode(file.path) || file.path.ends_with(".py")) {
            ++count[file.path.substr(0, file.path.rfind('/'))];
        }
    }
    for (const auto& [folder, size] : count) {
        if (size > kMostFiles) {
            faults.push_back(folder + " has " + std::to_string(size) + " source files, more than "
                             + std::to_string(kMostFiles) + ": open it by ideas");
        }
    }
}

void checkHeaders(const std::vector<SourceFile>& files, std::vector<std::string>& faults)
{
    for (const SourceFile& file : files) {
        const auto lines = static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
        if (file.path.ends_with(".h") && lines > kMostHeaderLines) {
            faults.push_back(file.path + " has " + std::to_string(lines)
                             + " lines, more than a header's " + std::to_string(kMostHeaderLines));
        }
    }
}

Graph includesOf(const std::vector<SourceFile>& files)
{
    static const std::regex kInclude{R"re(^[ \t]*#[ \t]*include[ \t]*"([^">]+\.h)")re",
                                     std::regex::ECMAScript | std::regex::multiline};
    Graph graph;
    for (const SourceFile& file : files) {
        if (!isCode(file.path)) {
            continue;
        }
        std::set<std::string>& to = graph[pairOf(file.path)];
        for (std::sregex_iterator hit{file.text.begin(), file.text.end(), kInclude}, end;
             hit != end; ++hit) {
            to.insert(pairOf((*hit)[1].str()));
        }
    }
    return graph;
}

/// Everything reachable from a pair; the pair itself only through a cycle.
std::set<std::string> reachedFrom(const Graph& graph, const std::string& begin)
{
    std::set<std::string> seen;
    std::vector<std::string> open{begin};
    while (!open.empty()) {
        const std::string at = std::move(open.back());
        open.pop_back();
        const auto row = graph.find(at);
        if (row == graph.end()) {
            continue;
        }
        for (const std::string& next : row->second) {
            if (next != at && seen.insert(next).second) {
                open.push_back(next);
            }
        }
    }
    return seen;
}

void checkCircles(const std::vector<SourceFile>& files, std::vector<std::string>& faults)
{
    const Graph graph = includesOf(files);
    std::set<std::string> told;
    for (const auto& [pair, includes] : graph) {
        if (told.contains(pair)) {
            continue;
        }
        const std::set<std::string> reached = reachedFrom(graph, pair);
        if (!reached.contains(pair)) {
            continue;
        }
        std::string circle = pair;
        for (const std::string& other : reached) {
            if (other != pair && reachedFrom(graph, other).contains(pair)) {
                told.insert(other);
                circle += ", " + other;
            }
        }
        faults.push_back(circle + ": include each other in a circle");
    }
}

} // namespace

std::vector<std::string> faultsOfShape(const std::vector<SourceFile>& files)
{
    std::vector<std::string> faults;
    checkFolders(files, faults);
    checkHeaders(files, faults);
    checkCircles(files, faults);
    return faults;
}

std::string faultOfCommit(const std::string& message)
{
    const std::size_t end = message.find('\n');
    const std::string subject = message.substr(0, end);
    const auto quoted = "\"" + subject + "\" ";
    if (subject.empty()) {
        return "a commit has no subject";
    }
    if (subject.size() > kLongestSubject) {
        return quoted + "has more than 72 characters";
    }
    if (subject.ends_with('.') || std::islower(static_cast<unsigned char>(subject.front())) != 0) {
        return quoted + "must begin with a capital letter and end without a period";
    }
    const bool hasBody =
        end != std::string::npos && message.find_first_not_of("\n ", end) != std::string::npos;
    return hasBody ? std::string{} : quoted + "has no body that says why";
}

} // namespace plimsoll::arch
