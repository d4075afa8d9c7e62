// SPDX-License-Identifier: Apache-2.0
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/base/unicode.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

namespace plimsoll::cli {

namespace {

constexpr auto kVersionText = "plimsoll-cli " PLIMSOLL_VERSION "\noptional libraries: none\n";

/// Escapes hidden characters, so that no text can control the terminal.
int finish(Exit exit, std::string_view text, std::string_view error)
{
    if (!error.empty())
        fmt::print(stderr, "{}\n", base::escapeHidden(error, base::Escapes::Python));
    const std::string out = base::escapeHidden(text, base::Escapes::Python);
    const bool written =
        out.empty() || std::fwrite(out.data(), 1, out.size(), stdout) == out.size();
    if (std::fflush(stdout) != 0 || !written) {
        fmt::print(stderr, "Standard output can't be written.\n");
        return static_cast<int>(Exit::File);
    }
    return static_cast<int>(exit);
}

std::string jsonText(const ordered_json& json)
{
    return base::escapeHidden(json.dump(-1, ' ', false, ordered_json::error_handler_t::replace),
                              base::Escapes::Json)
           + "\n";
}

int runVerb(Verb& verb)
{
    try {
        const Answer answer = verb.run();
        if (verb.common().json)
            return finish(answer.exit, jsonText(answer.json), answer.error);
        return finish(answer.exit, verb.common().quiet ? std::string_view{} : answer.text,
                      answer.error);
    } catch (const VerbError& end) {
        return finish(exitFor(end.error().kind), "", base::told(end.error()));
    }
}

/// The first argument that should be a verb but isn't one, at either level.
std::string unknownVerb(const CLI::App& app, const std::vector<std::string>& arguments)
{
    const CLI::App* level = &app;
    for (const std::string& argument : arguments) {
        if (argument.starts_with('-') || level->get_subcommands({}).empty())
            return {};
        std::vector<std::string> names;
        const CLI::App* next = nullptr;
        for (const CLI::App* verb : level->get_subcommands({})) {
            names.push_back(verb->get_name());
            if (verb->get_name() == argument)
                next = verb;
        }
        if (next == nullptr)
            return fmt::format("There is no verb \"{}\": use one of {}.",
                               base::printable(argument, 40), fmt::join(names, ", "));
        level = next;
    }
    return {};
}

/// Takes away what `record` is to run: CLI11 would read arguments such as "[1,2]" as several.
std::vector<std::string> takeProgram(std::vector<std::string>& arguments)
{
    const auto mark = std::ranges::find(arguments, "--");
    if (arguments.empty() || arguments.front() != "record" || mark == arguments.end())
        return {};
    std::vector<std::string> program{mark + 1, arguments.end()};
    arguments.erase(mark, arguments.end());
    return program;
}

int run(std::vector<std::string> arguments)
{
    std::vector<std::string> program = takeProgram(arguments);
    CLI::App app{"Plimsoll plans the device memory of training steps."};
    app.name("plimsoll-cli");
    app.require_subcommand(1);
    app.set_version_flag("--version", kVersionText, "Print the version and the optional libraries");
    app.footer("Example: plimsoll-cli plan model.plimsoll.json.gz --budget 80% --export plan.json");
    CLI::App* solve = app.add_subcommand("solve", "Solve a plain problem file");
    solve->require_subcommand(1);
    solve->footer("Example: plimsoll-cli solve chain chain.json --budget 24");

    CLI::App* session = app.add_subcommand("session", "Inspect or change a session file");
    session->require_subcommand(1);
    session->footer("Example: plimsoll-cli session list work.plimsoll");

    std::vector<std::unique_ptr<Verb>> verbs = sessionVerbs(*session);
    verbs.push_back(sessionAddVerb(*session));
    verbs.push_back(inspectVerb(app));
    verbs.push_back(planVerb(app));
    verbs.push_back(checkVerb(app));
    verbs.push_back(exportVerb(app));
    verbs.push_back(liveVerb(app));
    verbs.push_back(diagnoseVerb(app));
    verbs.push_back(diffVerb(app));
    verbs.push_back(recordVerb(app, std::move(program)));
    verbs.push_back(gpuCheckVerb(app));
    verbs.push_back(solveChainVerb(*solve));
    verbs.push_back(solvePackVerb(*solve));
    verbs.push_back(solveRematVerb(*solve));

    if (const std::string sentence = unknownVerb(app, arguments); !sentence.empty())
        return finish(Exit::Usage, "", sentence);
    try {
        app.parse(std::vector<std::string>{arguments.rbegin(), arguments.rend()});
    } catch (const CLI::CallForHelp&) {
        return finish(Exit::Done, app.help(), "");
    } catch (const CLI::CallForVersion&) {
        return finish(Exit::Done, kVersionText, "");
    } catch (const CLI::ParseError& error) {
        std::string sentence = base::printable(error.what(), 300);
        if (!sentence.ends_with('.'))
            sentence += '.';
        return finish(Exit::Usage, "", sentence + " See --help.");
    }
    for (const std::unique_ptr<Verb>& verb : verbs)
        if (verb->isParsed())
            return runVerb(*verb);
    return finish(Exit::Internal, "", "No verb ran. This is a bug: please report it.");
}

} // namespace

} // namespace plimsoll::cli

int main(int argc, char** argv)
{
    using plimsoll::cli::Exit;
    try {
        plimsoll::cli::catchInterrupts();
        return plimsoll::cli::run({argv + 1, argv + argc});
    } catch (const std::bad_alloc&) {
        std::fputs("There is not enough memory for this file.\n", stderr);
        return static_cast<int>(Exit::File);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "Internal error: %s. This is a bug: please report it.\n",
                     error.what());
        return static_cast<int>(Exit::Internal);
    }
}
