// SPDX-License-Identifier: Apache-2.0
#include "app/cli/times_option.h"

#include "app/cli/watch.h"
#include "core/base/format.h"
#include "core/io/byte_source.h"
#include "core/workspace/profile/step_times.h"

#include <fmt/format.h>

namespace plimsoll::cli {

namespace {

/// What the graph's file tells of its own times.
std::vector<std::string> sentencesOfGraph(const graph::Program& program)
{
    constexpr std::string_view kAbout = "times: ";
    std::vector<std::string> sentences;
    for (const std::string& sentence : program.header.assumed)
        if (sentence.starts_with(kAbout))
            sentences.push_back(sentence.substr(kAbout.size()));
    return sentences;
}

std::string modelledText(const compare::TimeShares& shares, const plan::Problem& problem)
{
    if (shares.modelledOps == 0)
        return {};
    return fmt::format("              {}, {:.1f} % of the step's time, {} estimated for {}\n",
                       base::counted(shares.modelledOps, "other op"), shares.modelledPercent(),
                       shares.modelledOps == 1 ? "is" : "are",
                       base::printable(problem.device.name, 60));
}

} // namespace

void TimesOption::addTo(CLI::App& command)
{
    command.add_option("--times", m_path,
                       "Profile of this step, such as a trace that torch.profiler exported: how "
                       "long the GPU worked for each op, instead of an estimate from flops, bytes "
                       "and --device, which stays for ops that aren't in it");
}

graph::ProgramPtr TimesOption::applied(const graph::ProgramPtr& program, const Common& common)
{
    if (!m_path)
        return program;
    Watch watch{common.quiet ? std::string{} : "Reading " + io::pathText(*m_path)};
    m_times = orThrow(workspace::readStepTimes(*m_path, *program, watch.context()));
    return compare::withTimes(program, *m_times);
}

ordered_json TimesOption::json(const plan::Problem& problem) const
{
    const compare::TimeShares shares = compare::timeShares(*problem.step(), problem.device);
    if (shares.measuredOps == 0)
        return nullptr;
    ordered_json json = {{"from", nullptr},
                         {"step", nullptr},
                         {"device", nullptr},
                         {"recorded_ns", nullptr},
                         {"measured_ops", shares.measuredOps},
                         {"modelled_ops", shares.modelledOps},
                         {"measured_time_ns", shares.measured.count()},
                         {"modelled_time_ns", shares.modelled.count()},
                         {"modelled_percent", number(shares.modelledPercent())},
                         {"other_time_ns", nullptr},
                         {"notes", nullptr}};
    if (!m_times) {
        json["notes"] = sentencesOfGraph(*problem.step());
        return json;
    }
    json["from"] = *m_path;
    json["step"] = m_times->step;
    json["other_time_ns"] = m_times->otherTime.count();
    json["notes"] = m_times->notes;
    if (!m_times->device.empty())
        json["device"] = m_times->device;
    if (m_times->epochNs > 0)
        json["recorded_ns"] = m_times->epochNs;
    return json;
}

std::string TimesOption::text(const plan::Problem& problem) const
{
    const compare::TimeShares shares = compare::timeShares(*problem.step(), problem.device);
    if (!m_times && shares.measuredOps > 0) {
        std::string text = fmt::format(
            "  times       {} of {}: the graph's file has their times\n", shares.measuredOps,
            base::counted(shares.measuredOps + shares.modelledOps, "op"));
        for (const std::string& sentence : sentencesOfGraph(*problem.step()))
            text += fmt::format("              {}\n", base::printable(sentence));
        return text + modelledText(shares, problem);
    }
    if (!m_times)
        return {};
    std::string text = fmt::format("  times       {}\n", compare::sourceText(*m_times));
    text += modelledText(shares, problem);
    if (m_times->otherTime.count() > 0)
        text += fmt::format("              {} of the GPU's work in that step are no op of the "
                            "graph's\n",
                            base::timeText(m_times->otherTime));
    for (const std::string& note : m_times->notes)
        text += fmt::format("              {}\n", note);
    return text;
}

} // namespace plimsoll::cli
