// SPDX-License-Identifier: Apache-2.0
#include "core/workspace/export.h"

#include "app/cli/graph_input.h"
#include "app/cli/verbs.h"
#include "core/io/byte_source.h"
#include "core/plan/certify.h"
#include "core/writers/registry.h"

#include <fmt/format.h>

namespace plimsoll::cli {

namespace {

class Export : public Verb
{
public:
    explicit Export(CLI::App& app)
    {
        m_app = app.add_subcommand("export", "Write a plan as another kind of file");
        m_app->add_option("GRAPH", m_graph, "Graph that the plan was made for")->required();
        m_app->add_option("PLAN", m_plan, "Plan file (.json)")->required();
        m_app
            ->add_option(
                "-o,--output", m_output,
                fmt::format("File to write; its ending says the kind: {}", writers::planEndings()))
            ->required();
        addCommon(*m_app, m_common);
        m_app->footer("Example: plimsoll-cli export model.plimsoll.json.gz plan.json -o plan.svg");
    }
    [[nodiscard]] const CLI::App* app() const override { return m_app; }
    [[nodiscard]] const Common& common() const override { return m_common; }

    [[nodiscard]] AnswerResult run() override
    {
        const Stopwatch clock;
        const base::Result<const writers::PlanWriter*> writer = writers::writerFor(m_output);
        if (!writer)
            return tl::unexpected{writer.error()};
        const base::Result<readers::ReadProgram> read = readGraph(m_graph, m_common);
        if (!read)
            return tl::unexpected{read.error()};
        const base::Result<plan::PlanFile> file = readPlanFile(m_plan, *read->program);
        if (!file)
            return tl::unexpected{file.error()};
        const base::Result<plan::Problem> problem = plan::problemOf(*file, read->program);
        if (!problem)
            return base::failure(base::ErrorKind::File, m_plan + ": " + problem.error().message);
        const base::Result<plan::VerifiedPlanPtr> plan = plan::certify(*problem, file->plan);
        if (!plan)
            return tl::unexpected{plan.error()};
        const base::Result<void> written = workspace::exportPlan(**plan, m_output, {m_graph});
        if (!written)
            return tl::unexpected{written.error()};
        Answer answer;
        answer.json = {{"file", m_output}, {"kind", (*writer)->id}, {"seconds", clock.seconds()}};
        answer.text = fmt::format("Wrote {} ({}).\n", io::pathText(m_output), (*writer)->name);
        return answer;
    }

private:
    CLI::App* m_app = nullptr;
    Common m_common;
    std::string m_graph;
    std::string m_plan;
    std::string m_output;
};

} // namespace

std::unique_ptr<Verb> exportVerb(CLI::App& app)
{
    return std::make_unique<Export>(app);
}

} // namespace plimsoll::cli
