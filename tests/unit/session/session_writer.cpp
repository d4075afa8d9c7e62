// SPDX-License-Identifier: Apache-2.0
// Helper of session_kill_test: changes a session without end. Each line on standard output names a
// change that the store has acknowledged: "run ID BUDGET", "problem BUDGET", "view NUMBER" of the
// first document, "blob NUMBER" of the second.
#include "core/session/plan_records.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

using plimsoll::session::SavedProblem;
using plimsoll::session::SavedRun;
using plimsoll::session::SessionStore;

constexpr plimsoll::session::DocumentId kFirst{1};
constexpr plimsoll::session::DocumentId kSecond{2};

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
    run.id = number;
    if (!plimsoll::session::saveRun(store, kFirst, run))
        return false;
    tell(fmt::format("run {} {}", number, number));
    SavedProblem problem;
    problem.device = "a100-80gb";
    problem.planner = "rotor";
    problem.budgetBytes = number;
    if (!plimsoll::session::saveProblem(store, kFirst, problem))
        return false;
    tell(fmt::format("problem {}", number));
    if (!store.saveView(kFirst, fmt::format("{{\"number\":{}}}", number)))
        return false;
    tell(fmt::format("view {}", number));
    if (!store.saveBlob(kSecond, "number", std::to_string(number)))
        return false;
    tell(fmt::format("blob {}", number));
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
