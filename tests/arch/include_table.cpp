// SPDX-License-Identifier: Apache-2.0
#include "tests/arch/include_table.h"

#include <algorithm>

namespace plimsoll::arch {

const std::vector<Rule>& includeTable()
{
    using Modules = std::vector<std::string_view>;
    static const auto kWith = [](Modules modules, const Modules& more) {
        modules.insert(modules.end(), more.begin(), more.end());
        return modules;
    };
    static const Modules kPlan = {"core/base", "core/graph", "core/device", "core/plan"};
    static const Modules kEvaluated =
        kWith(kPlan, {"core/timeline", "core/parallel", "core/lower", "core/evaluate"});
    static const Modules kPlanner =
        kWith(kEvaluated, {"core/solve/bounds", "core/solve/api", "core/solve/regions",
                           "core/allocator", "core/run"});
    static const Modules kPage = {"core",           "ui/base",        "ui/models",
                                  "ui/plot",        "ui/timeline",    "ui/budget_timeline",
                                  "ui/frontier",    "ui/manual",      "ui/plan_tables",
                                  "ui/tables",      "ui/module_page", "ui/problem_form",
                                  "ui/step_filter", "ui/menus"};
    static const std::vector<Rule> kTable = {
        {"core/base", {}, {}},
        {"core/io", {"core/base"}, {"zlib", "nlohmann"}},
        // What the injected library shares with us: it takes nothing of ours into a foreign
        // process.
        {"core/capture/checksum.h", {}, {}},
        {"core/capture/wire.h", {}, {}},
        {"core/capture/wire_activity.h", {"core/capture/wire.h"}, {}},
        {"core/capture", {"core/base"}, {}},
        {"core/record", {"core/base", "core/io", "core/capture"}, {}},
        {"app/inject",
         {"core/capture/checksum.h", "core/capture/wire.h", "core/capture/wire_activity.h"},
         {"cupti"}},
        {"core/timeline", {"core/base"}, {}},
        {"core/memtrace", {"core/base", "core/timeline"}, {"robin-map", "re2"}},
        {"core/graph", {"core/base"}, {}},
        {"core/allocator", {"core/base"}, {}},
        {"core/doctor", {"core/base", "core/timeline", "core/memtrace", "core/allocator"}, {}},
        {"core/readers",
         {"core/base", "core/io", "core/graph", "core/timeline", "core/memtrace", "core/capture"},
         {"simdjson", "nlohmann", "sqlite3"}},
        {"core/device", {"core/base", "core/io", "core/graph"}, {"nlohmann"}},
        {"core/plan", {"core/base", "core/graph", "core/device"}, {}},
        {"core/parallel", kPlan, {}},
        {"core/lower", kWith(kPlan, {"core/parallel"}), {"nlohmann"}},
        // verify() uses the data types of what it checks, but no code that computes with them.
        {"core/verify", {"core/base", "core/graph", "core/plan/plan.h"}, {}},
        {"core/evaluate",
         kWith(kPlan, {"core/timeline", "core/parallel", "core/lower", "core/verify"}),
         {}},
        {"core/run", kWith(kEvaluated, {"core/allocator"}), {}},
        {"core/plan_file", kWith(kEvaluated, {"core/io"}), {"nlohmann"}},
        {"core/solve/bounds", kEvaluated, {}},
        {"core/solve/api", kWith(kEvaluated, {"core/solve/bounds"}), {}},
        {"core/solve/regions", kWith(kEvaluated, {"core/solve/bounds", "core/solve/api"}), {}},
        {"core/solve/*", kWith(kPlanner, {"core/io"}), {"nlohmann"}},
        {"core/solve", kWith(kEvaluated, {"core/solve"}), {}},
        {"core/compare",
         kWith(kEvaluated, {"core/io", "core/memtrace", "core/plan_file"}),
         {"nlohmann"}},
        {"core/waterfall",
         kWith(kEvaluated, {"core/allocator", "core/memtrace", "core/doctor", "core/compare"}),
         {}},
        {"core/writers",
         kWith(kEvaluated, {"core/io", "core/memtrace", "core/plan_file", "core/compare"}),
         {"nlohmann"}},
        {"core/session", kWith(kEvaluated, {"core/io", "core/plan_file"}), {"sqlite3", "nlohmann"}},
        {"core/workspace", {"core"}, {"nlohmann"}},
        {"ui/base", {"core/base"}, {}},
        {"ui/menus", {"ui/base"}, {}},
        {"ui/models", {"core", "ui/base"}, {}},
        {"ui/plot", {"core/base", "ui/base"}, {}},
        {"ui/timeline", {"core/base", "core/timeline", "ui/base", "ui/plot"}, {}},
        {"ui/budget_timeline",
         {"core/base", "core/timeline", "ui/base", "ui/plot", "ui/timeline"},
         {}},
        {"ui/memory_map",
         {"core/base", "core/timeline", "core/memtrace", "ui/base", "ui/plot", "ui/timeline"},
         {}},
        {"ui/pictures", {"core", "ui/base", "ui/document_page"}, {}},
        {"ui/diagnosis",
         {"core/base", "core/memtrace", "core/doctor", "ui/base", "ui/profile_tables"},
         {}},
        {"ui/flame", {"core/base", "core/timeline", "core/memtrace", "ui/base", "ui/timeline"}, {}},
        {"ui/treemap", {"core/base", "core/timeline", "ui/base", "ui/timeline"}, {}},
        {"ui/manual", {"core/base", "ui/base"}, {}},
        {"ui/frontier",
         kWith(kEvaluated, {"core/allocator", "core/run", "ui/base", "ui/plot"}),
         {}},
        {"ui/step_filter", {"ui/base"}, {}},
        {"ui/tables", {"core/base", "ui/base", "ui/menus"}, {}},
        {"ui/problem_form", kPage, {}},
        {"ui/plan_tables", kPage, {}},
        {"ui/module_page", kPage, {}},
        {"ui/fits_page", kPage, {}},
        {"ui/plan_panel", kPage, {}},
        {"ui/start_page", kPage, {}},
        {"ui/document_page", {"core", "ui/base", "ui/menus", "ui/tables"}, {}},
        {"ui/record", {"core", "ui/base", "ui/document_page"}, {}},
        {"ui/timeline_commands",
         {"core", "ui/base", "ui/timeline", "ui/plot", "ui/document_page"},
         {}},
        // The window knows no kind of page.
        {"ui/shell",
         {"core", "ui/base", "ui/manual", "ui/menus", "ui/start_page", "ui/document_page"},
         {}},
        {"ui/planner_page", {"core", "ui"}, {}},
        {"ui/profile_tables", {"core", "ui/base", "ui/models", "ui/tables"}, {}},
        {"ui/compare_page",
         {"core", "ui/base", "ui/plot", "ui/timeline", "ui/document_page", "ui/models", "ui/menus",
          "ui/tables", "ui/pictures", "ui/profile_tables"},
         {}},
        {"ui/waterfall_page",
         {"core", "ui/base", "ui/plot", "ui/timeline", "ui/document_page", "ui/models", "ui/tables",
          "ui/pictures", "ui/compare_page"},
         {}},
        {"ui/profile_page",
         {"core", "ui/base", "ui/plot", "ui/timeline", "ui/memory_map", "ui/document_page",
          "ui/models", "ui/menus", "ui/tables", "ui/treemap", "ui/flame", "ui/pictures",
          "ui/diagnosis", "ui/profile_tables", "ui/step_filter", "ui/record"},
         {}},
    };
    return kTable;
}

const Rule* ruleOf(std::string_view path, std::string_view module)
{
    const Rule* const own = ruleOf(path);
    return own != nullptr ? own : ruleOf(module);
}

const Rule* ruleOf(std::string_view module)
{
    const auto exact = std::ranges::find(includeTable(), module, &Rule::module);
    if (exact != includeTable().end()) {
        return &*exact;
    }
    for (const Rule& rule : includeTable()) {
        if (rule.module.ends_with("/*")
            && module.starts_with(rule.module.substr(0, rule.module.size() - 1))) {
            return &rule;
        }
    }
    return nullptr;
}

} // namespace plimsoll::arch
