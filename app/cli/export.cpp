// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/export.h"

#include "app/cli/graph_input.h"
#include "app/cli/profile/export_profile.h"
#include "app/cli/profile/profile_input.h"
#include "app/cli/verbs.h"
#include "core/evaluate/certify.h"
#include "core/io/byte_source.h"
#include "core/writers/registry.h"

#include <fmt/format.h>

namespace plimsoll::cli {

namespace {

class Export : public Verb
{
public:
    explicit Export(CLI::App& app)
        : Verb{app, "export", "Write a plan or a memory profile in another file format"}
    {
        command()
            .add_option("FILE", m_graph,
                        "Graph that the plan was made for, memory profile, or "
                        "session that holds one")
            ->required();
        command().add_option("PLAN", m_plan, "Plan file (.json) of the graph");
        m_at.addTo(command());
        m_times.addTo(command());
        command()
            .add_option("-o,--output", m_output,
                        fmt::format("File to write; the extension selects the format: {}; of "
                                    "profiles {}",
                                    writers::planEndings(), profileEndings()))
            ->required();
        close("export GRAPH PLAN -o FILE, export PROFILE -o FILE,\n"
              "export GRAPH --times PROFILE -o FILE.plimsoll.json.\n"
              "Example: plimsoll-cli export model.plimsoll.json.gz plan.json -o plan.svg");
    }

    [[nodiscard]] Answer run() override
    {
        const Stopwatch clock;
        const std::optional<readers::FileKind> kind = inputKind(m_graph);
        // A session without a profile, alone, is refused as one.
        const bool isProfile = kind == readers::FileKind::Profile
                               || (kind == readers::FileKind::Session && m_plan.empty());
        Answer answer = isProfile && !m_times.isGiven()       ? ofProfile()
                        : m_plan.empty() && m_times.isGiven() ? ofGraph()
                                                              : ofPlan();
        answer.json["seconds"] = clock.seconds();
        return answer;
    }

private:
    [[nodiscard]] Answer ofProfile() const
    {
        if (!m_plan.empty())
            throw VerbError(base::ErrorKind::Usage,
                            fmt::format("{} is a memory profile, which is exported without a plan: "
                                        "export PROFILE -o FILE.",
                                        io::pathText(m_graph)));
        if (m_at.isGiven())
            throw VerbError(base::ErrorKind::Usage,
                            fmt::format("{} is a memory profile, which doesn't take --at.",
                                        io::pathText(m_graph)));
        return exportProfile(m_graph, m_output, common());
    }
    /// The graph with the times of a profile.
    [[nodiscard]] Answer ofGraph()
    {
        const graph::ProgramPtr program =
            m_times.applied(readGraph(m_graph, m_at, common()).program, common());
        orThrow(workspace::exportGraph(*program, m_output, {m_graph}));
        Answer answer;
        answer.json = {{"file", m_output}, {"kind", "graph"}};
        answer.text = fmt::format("Wrote {} (graph with {}).\n", io::pathText(m_output),
                                  m_times.sourceText());
        return answer;
    }
    [[nodiscard]] Answer ofPlan()
    {
        if (m_plan.empty())
            throw VerbError(
                base::ErrorKind::Usage,
                "PLAN is required: export GRAPH PLAN -o FILE. Only memory profiles, and "
                "graphs with --times, are exported alone.");
        const writers::PlanWriter* const writer = orThrow(writers::writerFor(m_output));
        const PlanInput input = readPlan(m_plan, m_graph, m_at, common(), &m_times);
        const plan::VerifiedPlanPtr plan = orThrow(plan::certify(input.problem, input.file.plan));
        orThrow(workspace::exportPlan(
            {plan, std::make_shared<const plan::Provenance>(input.file.provenance)}, m_output,
            {m_graph}));
        Answer answer;
        answer.json = {{"file", m_output}, {"kind", writer->id}};
        answer.text = fmt::format("Wrote {} ({}).\n", io::pathText(m_output), writer->name);
        return answer;
    }

    std::string m_graph; ///< or profile
    AtOption m_at;
    TimesOption m_times;
    std::string m_plan;
    std::string m_output;
};

} // namespace

std::unique_ptr<Verb> exportVerb(CLI::App& app)
{
    return std::make_unique<Export>(app);
}

} // namespace plimsoll::cli
