// SPDX-License-Identifier: Apache-2.0
#include "core/graph/find_index.h"

#include "core/base/text.h"

#include <algorithm>

namespace plimsoll::graph {

namespace {

constexpr std::size_t kNoOp = SIZE_MAX;
constexpr std::size_t kStopCheck = 1024; ///< ops between two looks at the stop token

void addPart(std::string& text, std::string_view part)
{
    text += base::lowered(part);
    text += '\n'; // a word has none, so nothing matches across two parts
}

/// By storage: the op that allocates it, else the first that uses it.
std::vector<std::size_t> homes(const Program& program)
{
    std::vector<std::size_t> home(program.storages.size(), kNoOp);
    for (std::size_t i = 0; i < home.size(); ++i)
        if (program.storages[i].alloc >= 0)
            home[i] = static_cast<std::size_t>(program.storages[i].alloc);
    for (std::size_t op = 0; op < program.ops.size(); ++op)
        for (const std::vector<TensorId>* tensors :
             {&program.ops[op].reads, &program.ops[op].writes})
            for (const TensorId tensor : *tensors)
                if (std::size_t& at = home[program.tensor(tensor).storage.index()]; at == kNoOp)
                    at = op;
    return home;
}

std::vector<std::string> wordsOf(std::string_view query)
{
    std::vector<std::string> words;
    const std::string text = base::lowered(query);
    constexpr const char* kSpaces = " \t\n";
    for (std::size_t begin = text.find_first_not_of(kSpaces); begin != std::string::npos;) {
        const std::size_t end = std::min(text.find_first_of(kSpaces, begin), text.size());
        words.push_back(text.substr(begin, end - begin));
        begin = text.find_first_not_of(kSpaces, end);
    }
    return words;
}

} // namespace

FindIndex::FindIndex(const Program& program)
{
    m_texts.reserve(program.ops.size());
    for (const Op& op : program.ops) {
        std::string text;
        addPart(text, program.targetOf(op));
        if (op.module) {
            const Module& module = program.module(*op.module);
            addPart(text, module.path);
            addPart(text, module.className);
        }
        if (op.source >= 0)
            addPart(text, program.sources[static_cast<std::size_t>(op.source)]);
        m_texts.push_back(std::move(text));
    }
    const std::vector<std::size_t> home = homes(program);
    for (std::size_t i = 0; i < home.size(); ++i)
        if (home[i] < m_texts.size())
            for (const std::string& name : program.storages[i].names)
                addPart(m_texts[home[i]], name);
}

std::vector<OpId> FindIndex::find(std::string_view query, const base::JobContext& job) const
{
    const std::vector<std::string> words = wordsOf(query);
    std::vector<OpId> hits;
    if (words.empty())
        return hits;
    for (std::size_t op = 0; op < m_texts.size(); ++op) {
        if (op % kStopCheck == 0 && job.stopRequested())
            break;
        if (std::all_of(words.begin(), words.end(), [&](const std::string& word) {
                return m_texts[op].find(word) != std::string::npos;
            }))
            hits.emplace_back(op);
    }
    return hits;
}

} // namespace plimsoll::graph
