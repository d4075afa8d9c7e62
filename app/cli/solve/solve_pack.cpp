// SPDX-License-Identifier: Apache-2.0
#include "core/solve/pack/solve_pack.h"

#include "app/cli/numbers.h"
#include "app/cli/solve/small_file.h"
#include "app/cli/verbs.h"
#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/io/atomic_file.h"
#include "core/io/byte_source.h"
#include "core/solve/pack/pack_csv.h"

#include <fmt/format.h>

#include <utility>

namespace plimsoll::cli {

namespace {

bool fits(const solve::PackAnswer& answer)
{
    return answer.status == solve::Status::Optimal || answer.status == solve::Status::Feasible;
}

class SolvePack : public Verb
{
public:
    explicit SolvePack(CLI::App& solve)
        : Verb{solve, "pack", "Assign addresses to buffers in as little memory as possible"}
    {
        command()
            .add_option("FILE", m_file,
                        "CSV with the columns id, lower, upper, size: a buffer is live on [lower, "
                        "upper)")
            ->required();
        command().add_option("--capacity", m_capacityText,
                             "Available memory, in the file's size unit or as a size such as 6GiB; "
                             "if absent, the height is minimised");
        command()
            .add_option("--time-limit", m_timeLimit,
                        "Seconds after which the search stops with the best answer so far")
            ->check(seconds());
        command().add_option("--output", m_output, "CSV to write: the input with a column offset");
        close("Example: plimsoll-cli solve pack buffers.csv --capacity 1048576 --output "
              "packed.csv");
    }

    [[nodiscard]] Answer run() override
    {
        const Stopwatch clock;
        solve::PackQuery query;
        if (!m_capacityText.empty()) {
            const base::Bytes capacity = orThrow(base::parseBytes(m_capacityText));
            query.capacity = capacity.count();
        }
        Watch watch{common().quiet ? std::string{} : "Packing", m_timeLimit};
        // Only the search has a time limit: a partly read file is no problem to solve.
        const solve::PackCsv csv =
            readSmall<solve::PackCsv>(m_file, readers::FileKind::Problem, solve::readPackCsv, {});
        const solve::PackAnswer solved =
            orThrow(solve::solvePack(csv.buffers, query, watch.context()));
        if (fits(solved) && !m_output.empty())
            orThrow(io::writeAtomically(m_output, solve::withOffsets(csv, solved.offsets)));
        Answer answer = describe(solved, query.capacity);
        answer.json["seconds"] = clock.seconds();
        return answer;
    }

private:
    [[nodiscard]] Answer describe(const solve::PackAnswer& solved,
                                  const std::optional<std::int64_t>& capacity) const
    {
        const bool found = fits(solved);
        Answer answer;
        answer.json["status"] = solve::statusName(solved.status);
        answer.json["height"] = found ? ordered_json(solved.height) : ordered_json{};
        answer.json["lower_bound"] = solved.lowerBound;
        answer.json["capacity"] = orNull(capacity);
        answer.json["offsets"] = found ? ordered_json(solved.offsets) : ordered_json::array();
        answer.json["smallest_known_capacity"] = solved.height;
        answer.json["stopped"] = solved.stopped;
        answer.text = fmt::format("{}{}\n", solve::statusName(solved.status),
                                  solved.stopped ? ", stopped early" : "");
        if (found)
            answer.text += fmt::format("  height      {}\n", solved.height);
        answer.text += fmt::format("  lower bound {}\n", solved.lowerBound);
        if (found && !m_output.empty())
            answer.text += fmt::format("  wrote {}\n", io::pathText(m_output));
        if (!found) {
            answer.exit = Exit::NoPlan;
            answer.error = fmt::format(
                "{} within {}; the lowest packing known is {} high, none can be below {}.",
                solved.status == solve::Status::Infeasible ? "No packing exists"
                : solved.stopped ? "The search was stopped early; no packing was found yet"
                                 : "No packing was found",
                *capacity, solved.height, solved.lowerBound);
        }
        return answer;
    }

    std::string m_file;
    std::string m_capacityText;
    std::string m_output;
    std::optional<double> m_timeLimit;
};

} // namespace

std::unique_ptr<Verb> solvePackVerb(CLI::App& solve)
{
    return std::make_unique<SolvePack>(solve);
}

} // namespace plimsoll::cli
