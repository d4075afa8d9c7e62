// SPDX-License-Identifier: Apache-2.0
#include "core/solve/remat/search/remat_file.h"

#include "core/base/format.h"
#include "core/base/try.h"
#include "core/io/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace plimsoll::solve {

namespace {

using base::ErrorKind;
using base::Result;
using nlohmann::json;

constexpr double kMostTime = 1e15;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 60U; ///< of all nodes together
constexpr std::uint32_t kUnknown = UINT32_MAX;

tl::unexpected<base::Error> fault(std::string sentence)
{
    return base::failure(ErrorKind::File, std::move(sentence));
}

/// Reads one file; fields are checked in this order.
class RematReader
{
public:
    explicit RematReader(const json& root) : m_root{root} {}

    Result<RematFile> run() &&
    {
        for (const auto step :
             {&RematReader::readNodes, &RematReader::readEdges, &RematReader::readOrder,
              &RematReader::checkCycles, &RematReader::build})
            RETURN_IF_ERROR((this->*step)());
        return std::move(m_file);
    }

private:
    Result<void> readNodes()
    {
        if (!m_root.is_object())
            return fault("a graph is a JSON object with \"nodes\" or the columns \"time\" and "
                         "\"size\", and \"edges\".");
        const bool isColumns = m_root.find("nodes") == m_root.end();
        ASSIGN_OR_RETURN(const json* first, arrayOf(isColumns ? "time" : "nodes"));
        ASSIGN_OR_RETURN(const json* second, arrayOf(isColumns ? "size" : "nodes"));
        if (first->size() != second->size())
            return fault(fmt::format("\"time\" has {} entries and \"size\" {}.", first->size(),
                                     second->size()));
        if (first->empty())
            return fault("There are no nodes.");
        for (std::size_t node = 0; node < first->size(); ++node) {
            const json& entry = (*first)[node];
            const std::string where = fmt::format("node {}", node);
            if (!isColumns && !entry.is_object())
                return fault(fmt::format("Node {} must be an object with time and size.", node));
            const json none;
            const auto field = [&](const char* key) -> const json& {
                const auto found = entry.find(key);
                return found == entry.end() ? none : *found;
            };
            RETURN_IF_ERROR(isColumns ? readNode(entry, (*second)[node], where)
                                      : readNode(field("time"), field("size"), where));
            if (!isColumns)
                m_file.names.push_back(field("name").is_string() ? field("name").get<std::string>()
                                                                 : std::string{});
        }
        return {};
    }

    Result<void> readNode(const json& time, const json& size, const std::string& where)
    {
        const double seconds = time.is_number() ? time.get<double>() : -1;
        if (!(seconds >= 0) || seconds > kMostTime)
            return fault(fmt::format("The time of {} must be a number from 0 to 1e15.", where));
        const double bytes = size.is_number() ? size.get<double>() : -1;
        if (!(bytes >= 0) || bytes != std::floor(bytes))
            return fault(
                fmt::format("The size of {} must be a whole number that is not negative.", where));
        if (bytes > static_cast<double>(kMostBytes - m_bytes))
            return fault(fmt::format("With {} the sizes add up to more than 2^60.", where));
        m_times.push_back(seconds);
        m_sizes.push_back(static_cast<std::int64_t>(bytes));
        m_bytes += m_sizes.back();
        return {};
    }

    Result<void> readEdges()
    {
        ASSIGN_OR_RETURN(const json* edges, arrayOf("edges"));
        m_edges.reserve(edges->size());
        for (std::size_t index = 0; index < edges->size(); ++index) {
            const json& edge = (*edges)[index];
            if (!edge.is_array() || edge.size() != 2)
                return fault(fmt::format("edges[{}] must be a pair [from, to] of nodes.", index));
            ASSIGN_OR_RETURN(const auto from, nodeOf(edge[0], fmt::format("edges[{}][0]", index)));
            ASSIGN_OR_RETURN(const auto to, nodeOf(edge[1], fmt::format("edges[{}][1]", index)));
            m_edges.emplace_back(from, to);
        }
        return {};
    }

    Result<void> readOrder()
    {
        m_file.nodes.resize(m_times.size());
        for (std::uint32_t node = 0; node < m_file.nodes.size(); ++node)
            m_file.nodes[node] = node;
        m_place = m_file.nodes;
        if (m_root.find("order") == m_root.end())
            return {};
        ASSIGN_OR_RETURN(const json* order, arrayOf("order"));
        if (order->size() != m_times.size())
            return fault(fmt::format("\"order\" has {} entries for {} nodes.", order->size(),
                                     m_times.size()));
        std::ranges::fill(m_place, kUnknown);
        for (std::uint32_t place = 0; place < m_place.size(); ++place) {
            ASSIGN_OR_RETURN(const std::uint32_t node,
                             nodeOf((*order)[place], fmt::format("order[{}]", place)));
            if (m_place[node] != kUnknown)
                return fault(fmt::format("\"order\" has node {} twice.", node));
            m_place[node] = place;
            m_file.nodes[place] = node;
        }
        return {};
    }

    /// Removes nodes that no remaining node points to; those left lie on cycles or after them.
    Result<void> checkCycles()
    {
        std::vector<std::uint32_t> waiting(m_times.size(), 0);
        std::vector<std::vector<std::uint32_t>> after(m_times.size());
        for (const auto& [from, to] : m_edges) {
            ++waiting[to];
            after[from].push_back(to);
        }
        std::vector<std::uint32_t> ready;
        for (std::uint32_t node = 0; node < waiting.size(); ++node)
            if (waiting[node] == 0)
                ready.push_back(node);
        for (std::size_t done = 0; done < ready.size(); ++done)
            for (const std::uint32_t node : after[ready[done]])
                if (--waiting[node] == 0)
                    ready.push_back(node);
        if (ready.size() == waiting.size())
            return {};
        const auto stuck =
            std::ranges::find_if(waiting, [](std::uint32_t count) { return count > 0; });
        return fault(fmt::format("The edges have a cycle: node {} can't run before itself.",
                                 stuck - waiting.begin()));
    }

    Result<void> build()
    {
        m_file.problem.ops.resize(m_times.size());
        m_file.problem.values.resize(m_times.size());
        for (std::uint32_t place = 0; place < m_times.size(); ++place) {
            m_file.problem.ops[place].time = m_times[m_file.nodes[place]];
            m_file.problem.ops[place].makes = {place};
            m_file.problem.values[place].size = m_sizes[m_file.nodes[place]];
        }
        for (const auto& [from, to] : m_edges) {
            if (m_place[from] > m_place[to])
                return fault(
                    fmt::format("Node {} reads node {}, which comes later in the order: give "
                                "an \"order\" in which it comes earlier.",
                                to, from));
            m_file.problem.ops[m_place[to]].reads.push_back(m_place[from]);
        }
        for (RematOp& op : m_file.problem.ops) {
            std::ranges::sort(op.reads); // a duplicate edge counts once
            op.reads.erase(std::unique(op.reads.begin(), op.reads.end()), op.reads.end());
        }
        return {};
    }

    [[nodiscard]] Result<const json*> arrayOf(const char* key) const
    {
        const auto array = m_root.find(key);
        if (array == m_root.end() || !array->is_array())
            return fault(fmt::format("\"{}\" must be an array.", key));
        return &*array;
    }

    [[nodiscard]] Result<std::uint32_t> nodeOf(const json& value, const std::string& where) const
    {
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= m_times.size())
            return fault(fmt::format("{} names no node: nodes are numbered from 0 to {}.", where,
                                     m_times.size() - 1));
        return value.get<std::uint32_t>();
    }

    const json& m_root;
    RematFile m_file;
    std::vector<double> m_times;
    std::vector<std::int64_t> m_sizes;
    std::int64_t m_bytes = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_edges;
    std::vector<std::uint32_t> m_place; ///< by node: its position in the order
};

} // namespace

bool looksLikeRemat(std::string_view head)
{
    const auto first = head.substr(0, head.find(':'));
    return head.starts_with('{')
           && (first.find("\"nodes\"") != std::string_view::npos
               || first.find("\"time\"") != std::string_view::npos);
}

Result<RematFile> readRemat(std::string_view text)
{
    ASSIGN_OR_RETURN(const json root, io::parseJson(text));
    return RematReader{root}.run();
}

} // namespace plimsoll::solve
