// SPDX-License-Identifier: Apache-2.0
// Helper of session_kill_test: changes a session without end. Each line on standard output names a
// change that the store has acknowledged: "run ID BUDGET", "problem BUDGET", "view NUMBER".
#include "core/session/session_store.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using plimsoll::session::SavedProblem;
using plimsoll::session::SavedRun;
using plimsoll::session::SessionStore;

void tell(const std::string& line)
{
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
}

bool writeRound(SessionStore& store, std::int64_t number)
{
    SavedRun run;
    run.name = fmt::format("run {}", number);
    run.budgetBytes = number;
    run.planner = "rotor";
    run.status = "feasible";
    run.plan = std::string(4000, 'x');
    const auto id = store.addRun(run);
    if (!id)
        return false;
    tell(fmt::format("run {} {}", *id, number));
    SavedProblem problem;
    problem.device = "a100-80gb";
    problem.planner = "rotor";
    problem.budgetBytes = number;
    if (!store.saveProblem(problem))
        return false;
    tell(fmt::format("problem {}", number));
    if (!store.saveView(fmt::format("{{\"number\":{}}}", number)))
        return false;
    tell(fmt::format("view {}", number));
    return true;
}

} // namespace

int main(int argc, char** argv)
{
    if (argc != 3)
        return 2;
    auto store = SessionStore::open(argv[1]);
    if (!store)
        return 3;
    for (std::int64_t number = std::atoll(argv[2]);; ++number)
        if (!writeRound(*store, number))
            return 4;
}
