// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/saved_session.h"

#include <QFile>
#include <QTest>

#include <sqlite3.h>

#include <string>

namespace plimsoll::tests {

/// With everything in it that a session may hold of a plan.
inline SavedSession aSession()
{
    SavedSession session;
    std::string content = "graph with a zero ";
    content += '\0';
    content += " and bytes \xff\xfe";
    session.document.kind = "plan";
    session.document.name = "GPT-2";
    session.document.sourcePath = "folder/gpt2.json";
    session.document.contentHash = "0123456789abcdef";
    session.content = content;
    session.plan.problem = {"a100-80gb",
                            1 << 20,
                            512,
                            "rotor",
                            {{"boundaries", "layer2,layer3.1"}, {"slots", 500}},
                            7'784'628'224,
                            {{"batch", 16}, {"sequence", 512}},
                            {},
                            "world=8,busbw=100000000000,latency=5000ns"};
    session::SavedRun run;
    run.id = 1;
    run.name = "über den Daumen";
    run.budgetBytes = 7'784'628'224;
    run.planner = "rotor";
    run.status = "feasible";
    run.peakBytes = 7'600'000'000;
    run.stepTimeNs = 164'000'000;
    run.plan = R"({"plan": 1})";
    run.sizes = {{"batch", 4}};
    session.plan.runs.push_back(run);
    run = {};
    run.id = 2;
    run.budgetBytes = 1;
    run.planner = "rotor";
    run.status = "infeasible";
    session.plan.runs.push_back(run);
    session.plan.measurement = {"step.measurement.json", content, {{"batch", 16}}};
    session.document.view = R"({"begin":0.25})";
    return session;
}

inline void execute(const std::string& path, const char* sql)
{
    sqlite3* database = nullptr;
    QCOMPARE(sqlite3_open(path.c_str(), &database), SQLITE_OK);
    QCOMPARE(sqlite3_exec(database, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
}

inline std::string contentOf(const std::string& path)
{
    QFile file{QString::fromStdString(path)};
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string{};
}

} // namespace plimsoll::tests
