// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/command.h"

#include <memory>
#include <string>
#include <vector>

namespace plimsoll::cli {

[[nodiscard]] std::unique_ptr<Verb> inspectVerb(CLI::App& app);
[[nodiscard]] std::unique_ptr<Verb> planVerb(CLI::App& app);
[[nodiscard]] std::unique_ptr<Verb> checkVerb(CLI::App& app);
[[nodiscard]] std::unique_ptr<Verb> exportVerb(CLI::App& app);
[[nodiscard]] std::unique_ptr<Verb> diffVerb(CLI::App& app);
[[nodiscard]] std::unique_ptr<Verb> liveVerb(CLI::App& app);
[[nodiscard]] std::unique_ptr<Verb> diagnoseVerb(CLI::App& app);
/// `program`: it and its arguments, which are not ours to read.
[[nodiscard]] std::unique_ptr<Verb> recordVerb(CLI::App& app, std::vector<std::string> program);
[[nodiscard]] std::unique_ptr<Verb> gpuCheckVerb(CLI::App& app);
/// Below `solve`.
[[nodiscard]] std::unique_ptr<Verb> solveChainVerb(CLI::App& solve);
[[nodiscard]] std::unique_ptr<Verb> solvePackVerb(CLI::App& solve);
[[nodiscard]] std::unique_ptr<Verb> solveRematVerb(CLI::App& solve);

[[nodiscard]] std::unique_ptr<Verb> sessionAddVerb(CLI::App& session);
/// list, show and compact, below `session`.
[[nodiscard]] std::vector<std::unique_ptr<Verb>> sessionVerbs(CLI::App& session);

} // namespace plimsoll::cli
