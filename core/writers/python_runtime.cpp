// SPDX-License-Identifier: Apache-2.0
#include "core/writers/python_runtime.h"

#include <algorithm>
#include <set>

namespace plimsoll::writers {

namespace {

struct Joined
{
    std::string_view docstring;              // of the module that was added last
    std::set<std::string_view> imports;      // `import x`
    std::set<std::string_view> namedImports; // `from x import y`
    std::string definitions;
};

/// The first line of the text, of which it is removed; without its end.
std::string_view takeLine(std::string_view& text)
{
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    return line;
}

/// Imports are one line each and stand before everything but the docstring.
void add(Joined& joined, std::string_view module)
{
    constexpr std::string_view kQuotes = R"(""")";
    const std::size_t begin = module.find(kQuotes);
    const std::size_t end = module.find(kQuotes, begin + kQuotes.size()) + kQuotes.size();
    joined.docstring = module.substr(begin, end - begin);
    module.remove_prefix(end);
    while (!module.empty()) {
        const std::string_view rest = module;
        const std::string_view line = takeLine(module);
        if (line.starts_with("import "))
            joined.imports.insert(line);
        else if (line.starts_with("from ") && !line.starts_with("from ."))
            joined.namedImports.insert(line);
        else if (!line.empty() && !line.starts_with("from .")) {
            joined.definitions += joined.definitions.empty() ? "" : "\n\n";
            joined.definitions += rest;
            return;
        }
    }
}

} // namespace

std::string joinPythonModules(std::span<const std::string_view> modules)
{
    Joined joined;
    for (const std::string_view module : modules)
        add(joined, module);
    std::string text{joined.docstring};
    text += "\n\n";
    for (const auto* lines : {&joined.imports, &joined.namedImports})
        for (const std::string_view line : *lines)
            (text += line) += '\n';
    return text + "\n\n" + joined.definitions;
}

} // namespace plimsoll::writers
