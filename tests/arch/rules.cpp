// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/rules.h"

#include "tests/arch/include_table.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <regex>

namespace plimsoll::arch {
namespace {

constexpr std::size_t kMaxLines = 500;

/// Written by CMake into the build folder, so that there is no path from the root: the migrations.
constexpr std::string_view kGeneratedHeader = "schema.h";

struct Library
{
    std::string_view name;
    std::string_view pattern; ///< of the header between the angle brackets
};

/// Libraries that only some modules may use; Result and text (tl, fmt) may be used everywhere.
constexpr std::array kLibraries = {
    Library{"zlib", "zlib\\.h|zconf\\.h"},
    Library{"robin-map", "tsl/.*"},
    Library{"re2", "re2/.*"},
    Library{"simdjson", "simdjson.*"},
    Library{"nlohmann", "nlohmann/.*"},
    Library{"sqlite3", "sqlite3.*"},
    Library{"cli11", "CLI/.*"},
    Library{"cbc", "Cbc_.*|coin/.*"},
    Library{"graphviz", "graphviz/.*|gvc\\.h"},
    Library{"cupti", "cupti.*|cuda.*"},
    Library{"benchmark", "benchmark/.*"},
    Library{"libarchive", "archive.*"},
};

bool isBelow(std::string_view path, std::string_view folder)
{
    return path == folder
           || (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'));
}

bool hasEnding(std::string_view path, std::initializer_list<std::string_view> endings)
{
    return std::ranges::any_of(endings, [&](std::string_view end) { return path.ends_with(end); });
}

std::string quoted(std::string_view text)
{
    std::string result = "\"";
    return result.append(text).append("\"");
}

std::string fault(const SourceFile& file, std::string_view what)
{
    return std::string{file.path}.append(": ").append(what);
}

/// Formats and planners are sibling folders that must not include each other.
bool isSiblingFolder(std::string_view path, std::string_view include)
{
    constexpr std::array<std::string_view, 2> kParents = {"core/readers/", "core/solve/"};
    return std::ranges::any_of(kParents, [&](std::string_view parent) {
        if (!path.starts_with(parent) || !include.starts_with(parent)) {
            return false;
        }
        const std::string_view own = path.substr(parent.size());
        const std::string_view other = include.substr(parent.size());
        const std::size_t ownEnd = own.find('/');
        const std::size_t otherEnd = other.find('/');
        if (ownEnd == std::string_view::npos || otherEnd == std::string_view::npos) {
            return false; // the registry includes all of them, and all may include its interface
        }
        const std::string_view otherFolder = other.substr(0, otherEnd);
        return own.substr(0, ownEnd) != otherFolder && otherFolder != "api"
               && otherFolder != "regions" && otherFolder != "bounds";
    });
}

bool mayInclude(const Rule& rule, std::string_view module, std::string_view path,
                std::string_view include)
{
    if (isSiblingFolder(path, include)) {
        return false;
    }
    return isBelow(include, module)
           || std::ranges::any_of(
               rule.modules, [&](std::string_view allowed) { return isBelow(include, allowed); });
}

void checkProjectInclude(const SourceFile& file, std::string_view include,
                         std::vector<std::string>& faults)
{
    const std::string module = moduleOf(file.path);
    const Rule* rule = ruleOf(file.path, module);
    if (!include.starts_with("core/") && !include.starts_with("ui/") && !include.starts_with("app/")
        && !include.starts_with("tests/")) {
        if (!file.path.starts_with("tests/") && !include.ends_with(".moc")
            && include != kGeneratedHeader) {
            faults.push_back(
                fault(file, "includes " + quoted(include) + ", which is not named from the root"));
        }
        return;
    }
    if (rule == nullptr) {
        const bool product = file.path.starts_with("core/") || file.path.starts_with("ui/");
        if (product) {
            faults.push_back(fault(
                file,
                "lies in a module that the table of tests/arch/include_table.cpp does not know"));
        }
        return;
    }
    if (!mayInclude(*rule, rule->module.ends_with('*') ? module : rule->module, file.path,
                    include)) {
        faults.push_back(fault(file, module + " may not include " + quoted(include)));
    }
}

void checkLibraryInclude(const SourceFile& file, std::string_view include,
                         std::vector<std::string>& faults)
{
    const bool inCore = file.path.starts_with("core/");
    if (inCore && include.starts_with('Q')) {
        faults.push_back(fault(file, "includes <" + std::string{include} + ">: core knows no Qt"));
    }
    if (moduleOf(file.path).empty()) {
        return;
    }
    const Rule* rule = ruleOf(file.path, moduleOf(file.path));
    for (const Library& library : kLibraries) {
        if (!std::regex_match(std::string{include}, std::regex{std::string{library.pattern}})) {
            continue;
        }
        if (rule == nullptr
            || std::ranges::find(rule->thirdParty, library.name) == rule->thirdParty.end()) {
            faults.push_back(fault(file, "includes <" + std::string{include}
                                             + ">, a library that is not its module's"));
        }
    }
}

void checkIncludes(const SourceFile& file, std::vector<std::string>& faults)
{
    static const std::regex kInclude{R"(^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"])",
                                     std::regex::ECMAScript | std::regex::multiline};
    for (std::sregex_iterator hit{file.text.begin(), file.text.end(), kInclude}, end; hit != end;
         ++hit) {
        if ((*hit)[1] == "<") {
            checkLibraryInclude(file, (*hit)[2].str(), faults);
        } else {
            checkProjectInclude(file, (*hit)[2].str(), faults);
        }
    }
}

/// Replaces comments and the contents of string literals by spaces, so that only code is examined.
std::string codeOnly(std::string_view text)
{
    enum class Within { Code, Line, Block, Text };
    std::string result{text};
    Within within = Within::Code;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const std::string_view rest = text.substr(i);
        const char c = text[i];
        switch (within) {
        case Within::Code:
            within = rest.starts_with("//")   ? Within::Line
                     : rest.starts_with("/*") ? Within::Block
                     : c == '"'               ? Within::Text
                                              : Within::Code;
            if (within == Within::Line || within == Within::Block) {
                result[i] = ' ';
            }
            continue;
        case Within::Line: within = c == '\n' ? Within::Code : within; break;
        case Within::Block:
            if (c == '/' && i > 0 && text[i - 1] == '*') {
                within = Within::Code;
            }
            break;
        case Within::Text:
            if (c == '"' && text[i - 1] != '\\') {
                within = Within::Code;
                continue;
            }
            break;
        }
        if (c != '\n') {
            result[i] = ' ';
        }
    }
    return result;
}

bool isWordChar(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::size_t skipSpace(std::string_view code, std::size_t at)
{
    while (at < code.size() && std::isspace(static_cast<unsigned char>(code[at])) != 0) {
        ++at;
    }
    return at;
}

/// The name of the function declared with a Result that begins at `at`, or empty.
std::string functionAfterResult(std::string_view code, std::size_t at)
{
    std::size_t depth = 0;
    do {
        depth += code[at] == '<' ? 1U : 0U;
        depth -= code[at] == '>' && depth > 0 ? 1U : 0U;
        ++at;
    } while (at < code.size() && (depth > 0 || code[at - 1] != '>'));
    const std::size_t begin = skipSpace(code, at);
    std::size_t end = begin;
    while (end < code.size() && (isWordChar(code[end]) || code[end] == ':')) {
        ++end;
    }
    const bool isFunction =
        end > begin && skipSpace(code, end) < code.size() && code[skipSpace(code, end)] == '(';
    return isFunction ? std::string{code.substr(begin, end - begin)} : std::string{};
}

/// Where the declaration around `at` begins: after the last `;`, brace or access specifier's colon
/// before it.
std::size_t declarationBegin(std::string_view code, std::size_t at)
{
    while (at > 0) {
        const char c = code[at - 1];
        const bool doubleColon = c == ':' && ((at >= 2 && code[at - 2] == ':') || code[at] == ':');
        if (c == ';' || c == '{' || c == '}' || (c == ':' && !doubleColon)) {
            break;
        }
        --at;
    }
    return at;
}

/// tl::expected is not [[nodiscard]] itself, so that every function which returns a Result has to
/// say so.
void checkNodiscard(const SourceFile& file, std::vector<std::string>& faults)
{
    const std::string code = codeOnly(file.text);
    constexpr std::string_view kResult = "Result<";
    for (std::size_t at = code.find(kResult); at != std::string::npos;
         at = code.find(kResult, at + 1)) {
        if (at > 0 && isWordChar(code[at - 1])) {
            continue;
        }
        const std::string name = functionAfterResult(code, at);
        const std::size_t begin = declarationBegin(code, at);
        const std::string_view before = std::string_view{code}.substr(begin, at - begin);
        const bool isDeclaration = before.find("return") == std::string_view::npos
                                   && before.find("friend") == std::string_view::npos
                                   && before.find("using") == std::string_view::npos
                                   && before.find('(') == std::string_view::npos
                                   && before.find('=') == std::string_view::npos;
        if (!name.empty() && isDeclaration
            && before.find("[[nodiscard]]") == std::string_view::npos) {
            faults.push_back(fault(file, name + "() returns a Result and is not [[nodiscard]]"));
        }
    }
}

bool isScript(std::string_view path)
{
    return path == "packaging/run" || path == "packaging/test" || path == ".ci/run"
           || path.ends_with(".sh");
}

bool isSource(std::string_view path)
{
    return isScript(path)
           || hasEnding(path, {".cpp", ".h", ".py", ".cmake", ".sql", "CMakeLists.txt"});
}

void checkHead(const SourceFile& file, std::vector<std::string>& faults)
{
    std::size_t end = 0;
    for (int line = 0; line < 3 && end != std::string::npos; ++line) {
        end = file.text.find('\n', end == 0 ? 0 : end + 1);
    }
    if (file.text.substr(0, end).find("SPDX-License-Identifier: Apache-2.0") == std::string::npos) {
        faults.push_back(fault(file, "has no SPDX line at its head"));
    }
}

void checkLength(const SourceFile& file, std::vector<std::string>& faults)
{
    const auto lines = static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
    if (lines > kMaxLines) {
        faults.push_back(fault(file, "has " + std::to_string(lines) + " lines, more than "
                                         + std::to_string(kMaxLines)));
    }
}

} // namespace

std::string moduleOf(std::string_view path)
{
    const auto folders = [&](int count) {
        std::size_t end = 0;
        for (int i = 0; i < count && end != std::string_view::npos; ++i) {
            end = path.find('/', end == 0 ? 0 : end + 1);
        }
        return end == std::string_view::npos ? std::string{} : std::string{path.substr(0, end)};
    };
    if (path.starts_with("core/solve/")) {
        const std::string three = folders(3);
        return three.empty() ? "core/solve" : three;
    }
    if (path.starts_with("core/") || path.starts_with("ui/") || path.starts_with("app/inject/")) {
        return folders(2);
    }
    return {}; // programs compose everything
}

std::vector<std::string> machineWords(std::string_view text)
{
    // Spelled so that this file doesn't contain what it searches for.
    static const std::regex kWords{"(^|[^A-Za-z0-9_.-])/(wor[k]|far[m]|roo[t])/|/hom[e]/[a-z]+/"
                                   "|bash_job[s]|/\\.librar[y]|pyen[v]|pypi\\.or[g]"
                                   "|pythonhoste[d]|debian\\.or[g]/debian",
                                   std::regex::ECMAScript | std::regex::multiline};
    std::vector<std::string> words;
    for (std::cregex_iterator hit{text.data(), text.data() + text.size(), kWords}, end; hit != end;
         ++hit) {
        words.push_back(hit->str());
    }
    return words;
}

std::vector<std::string> faultsOfFile(const SourceFile& file)
{
    std::vector<std::string> faults;
    if (hasEnding(file.path, {".cpp", ".h"})) {
        checkIncludes(file, faults);
    }
    if (file.path.ends_with(".h")) {
        checkNodiscard(file, faults);
    }
    if (isSource(file.path)) {
        checkHead(file, faults);
        checkLength(file, faults);
    }
    for (const std::string& word : machineWords(file.text)) {
        faults.push_back(fault(file, "names a computer somebody worked on: " + quoted(word)));
    }
    return faults;
}

std::vector<std::string> faultsOfTree(const std::vector<std::string>& paths)
{
    static const std::vector<std::string_view> kTop = {"app",
                                                       "core",
                                                       "ui",
                                                       "resources",
                                                       "tests",
                                                       "packaging",
                                                       "CMakeLists.txt",
                                                       "CMakePresets.json",
                                                       "README.md",
                                                       "LICENSE"};
    std::vector<std::string> faults;
    std::vector<std::string> needFormat;
    for (const std::string& path : paths) {
        const std::string top = path.substr(0, path.find('/'));
        if (!top.starts_with('.') && std::ranges::find(kTop, top) == kTop.end()) {
            faults.push_back(path + ": the top level holds more than was agreed");
        }
        const std::size_t slash = path.rfind('/');
        const std::string folder =
            slash == std::string::npos ? std::string{} : path.substr(0, slash);
        const bool reader = path.starts_with("core/readers/") && path.ends_with("/reader.cpp");
        if (reader || (path.starts_with("core/session/") && path.ends_with(".cpp"))
            || path.starts_with("core/plan_file/plan_json")) {
            needFormat.push_back(folder + "/FORMAT.md");
        }
    }
    std::ranges::sort(needFormat);
    const auto repeated = std::ranges::unique(needFormat);
    needFormat.erase(repeated.begin(), repeated.end());
    for (const std::string& format : needFormat) {
        if (std::ranges::find(paths, format) == paths.end()) {
            faults.push_back(format + ": missing; each file format is described beside its code");
        }
    }
    return faults;
}

} // namespace plimsoll::arch
