// SPDX-License-Identifier: Apache-2.0
#include "tests/support/graph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <zlib.h>

namespace plimsoll::tests {

namespace {

using graph::OpIndex;
using graph::Program;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kSide = 4;
constexpr std::int64_t kMatrixBytes = kSide * kSide * 4;
constexpr std::int64_t kScalarBytes = 4;
constexpr std::int64_t kFirstSequence = 10;
constexpr graph::StructureId kOneTensor{0};

/// Builds the layers op by op; storages that live on have no last op yet.
class Builder
{
public:
    explicit Builder(std::size_t layers) : m_layers{layers}
    {
        m_program.header = {.version = 1,
                            .exporter = "0.1.0",
                            .torch = "2.6.0",
                            .execution = "eager",
                            .mode = "train",
                            .model = "tiny",
                            .modelClass = "Tiny",
                            .batch = "4x4 float32",
                            .target = "cuda",
                            .optimizer = "SGD (foreach)",
                            .autocast = "",
                            .kernels = {{"optimizer", "foreach", 1}},
                            .assumed = {"The loss is the sum of the output."}};
        m_program.dtypes = {"float32"};
        m_program.sources = {"model.py:12", "train.py:3"};
        m_program.targets = {"aten.t.default",         "aten.mm.default",
                             "aten.relu.default",      "aten.sum.default",
                             "aten.ones_like.default", "aten.threshold_backward.default",
                             "aten._foreach_add_.List"};
        m_program.nodes = {"MmBackward0", "ReluBackward0"};
        m_program.modules.push_back({std::nullopt, "", "Tiny"});
        m_program.structures.push_back({{{"", R"({"t":0})"}}, {}, {{0, false}}});
    }

    Program run()
    {
        graph::TensorId value = tensor(storage(graph::StorageClass::Input, "x"));
        const graph::TensorId input = value;
        m_program.calls.push_back(
            {graph::ModuleId{0}, std::nullopt, 0, 0, {input}, {}, 1, kOneTensor, kOneTensor});
        for (std::size_t layer = 0; layer < m_layers; ++layer)
            value = forward(layer, value);
        m_program.calls[0].last = now() - 1;
        m_program.calls[0].outputs = {value};

        const graph::TensorId loss = scalar(graph::StorageClass::Output);
        add(3, graph::Phase::Loss, {value}, {}, {loss});
        graph::TensorId gradient = scalar(graph::StorageClass::Temporary);
        add(4, graph::Phase::Backward, {loss}, {}, {gradient});
        for (std::size_t layer = m_layers; layer-- > 0;)
            gradient = backward(layer, gradient);
        for (const Layer& layer : m_built)
            step(layer);
        std::sort(m_program.saved.begin(), m_program.saved.end(),
                  [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
        closeLifetimes();
        m_program.checks = graph::recount(m_program);
        return std::move(m_program);
    }

private:
    struct Layer
    {
        graph::TensorId weight;
        graph::TensorId momentum;
        graph::TensorId input;
        graph::TensorId hidden;
        graph::TensorId result;
        graph::TensorId gradient;
        graph::OpId multiply;
        graph::OpId activate;
        graph::ModuleId linear;
        graph::ModuleId relu;
    };

    [[nodiscard]] OpIndex now() const { return static_cast<OpIndex>(m_program.ops.size()); }
    [[nodiscard]] static bool isStepped(graph::StorageClass storageClass)
    {
        return storageClass == graph::StorageClass::Activation
               || storageClass == graph::StorageClass::Temporary;
    }

    graph::StorageId storage(graph::StorageClass storageClass, const std::string& name = "",
                             std::int64_t bytes = kMatrixBytes)
    {
        graph::Storage& made = m_program.storages.emplace_back();
        made.bytes = base::Bytes{bytes};
        made.storageClass = storageClass;
        if (storageClass != graph::StorageClass::Input
            && storageClass != graph::StorageClass::Parameter
            && storageClass != graph::StorageClass::OptimizerState)
            made.alloc = now();
        if (!name.empty())
            made.names = {name};
        return graph::StorageId{m_program.storages.size() - 1};
    }
    graph::TensorId tensor(graph::StorageId id, std::vector<std::int64_t> strides = {kSide, 1})
    {
        m_program.tensors.push_back({id, {kSide, kSide}, std::move(strides), 0, 0});
        return graph::TensorId{m_program.tensors.size() - 1};
    }
    graph::TensorId scalar(graph::StorageClass storageClass)
    {
        m_program.tensors.push_back({storage(storageClass, "", kScalarBytes), {}, {}, 0, 0});
        return graph::TensorId{m_program.tensors.size() - 1};
    }
    graph::Op& add(std::uint32_t target, graph::Phase phase, std::vector<graph::TensorId> reads,
                   std::vector<graph::TensorId> writes, std::vector<graph::TensorId> outputs)
    {
        graph::Op& op = m_program.ops.emplace_back();
        op.target = target;
        op.phase = phase;
        op.source = phase == graph::Phase::Forward ? 0 : 1;
        op.reads = std::move(reads);
        op.writes = std::move(writes);
        op.outputs = std::move(outputs);
        op.bytesMoved = base::Bytes{
            kMatrixBytes * static_cast<std::int64_t>(op.reads.size() + op.outputs.size())};
        return op;
    }

    void call(graph::ModuleId module, OpIndex first, graph::TensorId in, graph::TensorId out)
    {
        m_program.calls.push_back(
            {module, graph::CallId{0}, first, now() - 1, {in}, {out}, 0, kOneTensor, kOneTensor});
        for (OpIndex op = first; op < now(); ++op) {
            m_program.ops[static_cast<std::size_t>(op)].module = module;
            m_program.ops[static_cast<std::size_t>(op)].call =
                graph::CallId{m_program.calls.size() - 1};
        }
    }

    graph::TensorId forward(std::size_t index, graph::TensorId input)
    {
        Layer layer;
        const std::string suffix = index == 0 ? "" : fmt::format("{}", index);
        layer.linear = graph::ModuleId{m_program.modules.size()};
        m_program.modules.push_back({graph::ModuleId{0}, "fc" + suffix, "Linear"});
        layer.relu = graph::ModuleId{m_program.modules.size()};
        m_program.modules.push_back({graph::ModuleId{0}, "act" + suffix, "ReLU"});
        layer.input = input;
        layer.weight = tensor(storage(graph::StorageClass::Parameter, "fc" + suffix + ".weight"));
        layer.momentum = tensor(storage(graph::StorageClass::OptimizerState));

        const OpIndex first = now();
        const graph::TensorId turned = tensor(m_program.tensor(layer.weight).storage, {1, kSide});
        add(0, graph::Phase::Forward, {layer.weight}, {}, {turned}).isView = true;
        layer.multiply = graph::OpId{m_program.ops.size()};
        layer.hidden = tensor(storage(graph::StorageClass::Temporary));
        graph::Op& multiply = add(1, graph::Phase::Forward, {input, turned}, {}, {layer.hidden});
        multiply.flops = 2 * kSide * kSide * kSide;
        multiply.sequence = kFirstSequence + 2 * static_cast<std::int64_t>(index);
        call(layer.linear, first, input, layer.hidden);

        layer.activate = graph::OpId{m_program.ops.size()};
        layer.result = tensor(storage(graph::StorageClass::Activation));
        add(2, graph::Phase::Forward, {layer.hidden}, {}, {layer.result}).sequence =
            m_program.op(layer.multiply).sequence + 1;
        call(layer.relu, static_cast<OpIndex>(layer.activate.index()), layer.hidden, layer.result);
        m_built.push_back(layer);
        return layer.result;
    }

    void unpackedHere(graph::TensorId tensor, graph::OpId op, bool afterKernel)
    {
        const OpIndex opIndex = now();
        m_program.saved.push_back(
            {tensor, op, afterKernel, m_program.op(op).sequence, opIndex, opIndex, opIndex});
    }

    void ranBy(graph::Op& op, graph::OpId forwardOp, std::int32_t node) const
    {
        const graph::Op& forward = m_program.op(forwardOp);
        op.forwardOp = forwardOp;
        op.node = node;
        op.sequence = forward.sequence;
        op.module = forward.module;
        op.call = forward.call;
    }

    graph::TensorId backward(std::size_t index, graph::TensorId gradient)
    {
        Layer& layer = m_built[index];
        unpackedHere(layer.result, layer.activate, true);
        graph::TensorId passed = tensor(storage(graph::StorageClass::Temporary));
        ranBy(add(5, graph::Phase::Backward, {gradient, layer.result}, {}, {passed}),
              layer.activate, 1);
        unpackedHere(layer.input, layer.multiply, false);
        layer.gradient = tensor(storage(graph::StorageClass::Gradient));
        ranBy(add(1, graph::Phase::Backward, {layer.input, passed}, {}, {layer.gradient}),
              layer.multiply, 0);
        if (index == 0)
            return passed;
        const graph::TensorId next = tensor(storage(graph::StorageClass::Temporary));
        ranBy(add(1, graph::Phase::Backward, {passed, layer.weight}, {}, {next}), layer.multiply,
              0);
        return next;
    }

    void step(const Layer& layer)
    {
        add(6, graph::Phase::Optimizer, {layer.weight, layer.gradient, layer.momentum},
            {layer.momentum, layer.weight}, {});
        const auto storageOf = [this](graph::TensorId id) { return m_program.tensor(id).storage; };
        m_program.parameters.push_back({m_program.storageOf(layer.weight).names.front(),
                                        storageOf(layer.weight),
                                        storageOf(layer.gradient),
                                        {storageOf(layer.momentum)}});
    }

    /// Frees everything that the step makes and doesn't keep after its last use.
    void closeLifetimes()
    {
        for (std::size_t op = 0; op < m_program.ops.size(); ++op)
            for (const auto* tensors :
                 {&m_program.ops[op].reads, &m_program.ops[op].writes, &m_program.ops[op].outputs})
                for (const graph::TensorId id : *tensors)
                    m_program.storages[m_program.tensor(id).storage.index()].lastUse =
                        static_cast<OpIndex>(op);
        for (graph::Storage& storage : m_program.storages)
            if (isStepped(storage.storageClass))
                storage.free = storage.pythonFree = storage.lastUse;
        for (std::size_t layer = 0; layer < m_built.size(); ++layer) {
            // Python drops a layer's result once the next op has read it.
            graph::Storage& result =
                m_program.storages[m_program.tensor(m_built[layer].result).storage.index()];
            result.pythonFree = layer + 1 < m_built.size()
                                    ? static_cast<OpIndex>(m_built[layer + 1].multiply.index())
                                    : static_cast<OpIndex>(m_built[layer].activate.index() + 1);
        }
    }

    std::size_t m_layers;
    Program m_program;
    std::vector<Layer> m_built;
};

template <typename Id>
Json ids(const std::vector<Id>& list)
{
    Json array = Json::array();
    for (const Id id : list)
        array.push_back(id.index());
    return array;
}

template <typename Id>
Json idOrNone(const std::optional<Id>& id)
{
    return id ? Json(id->index()) : Json(-1);
}

Json opIndex(OpIndex value)
{
    return value == graph::kNever ? Json(nullptr) : Json(value);
}

Json textOrNull(const std::string& text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

Json opJson(const graph::Op& op)
{
    Json arguments = Json::array();
    for (const graph::TensorId id : op.reads)
        arguments.push_back({{"t", id.index()}});
    const int flags = (op.isView ? 1 : 0) + (op.isRandom ? 2 : 0) + (op.isCollective ? 4 : 0)
                      + (op.isAccumulation ? 8 : 0) + 16;
    return Json::array(
        {op.target, static_cast<int>(op.phase), idOrNone(op.module), idOrNone(op.call), op.source,
         ids(op.reads), ids(op.writes), ids(op.outputs), flags, op.sequence, op.node,
         idOrNone(op.forwardOp), op.flops, op.bytesMoved.count(),
         op.measured ? Json(op.measured->count()) : Json(nullptr), idOrNone(op.recomputeOf),
         arguments, Json::object({{"alpha", 1.5}, {"dtype", {{"dtype", "float32"}}}})});
}

Json checksJson(const graph::Checks& checks)
{
    Json phases;
    for (std::size_t i = 0; i < graph::kPhaseCount; ++i)
        phases[graph::phaseName(static_cast<graph::Phase>(i))] = checks.opsByPhase.at(i);
    Json classes;
    for (std::size_t i = 0; i < graph::kStorageClassCount; ++i)
        classes[graph::className(static_cast<graph::StorageClass>(i))] =
            checks.bytesByClass.at(i).count();
    return {{"ops", checks.ops},
            {"ops_by_phase", phases},
            {"storages", checks.storages},
            {"tensors", checks.tensors},
            {"bytes_by_class", classes},
            {"saved_bytes", checks.savedBytes.count()},
            {"peak_bytes", checks.peakBytes.count()},
            {"peak_op", checks.peakOp}};
}

Json headerJson(const graph::Header& header)
{
    Json kernels = Json::object();
    for (const graph::KernelChoice& choice : header.kernels)
        kernels[choice.family][choice.kernel] = choice.times;
    const std::string& optimizer = header.optimizer;
    const std::size_t space = std::min(optimizer.find(" ("), optimizer.size());
    Json optimizerJson = nullptr;
    if (!optimizer.empty())
        optimizerJson = {{"class", optimizer.substr(0, space)},
                         {"variant", optimizer.substr(space + 2, optimizer.size() - space - 3)},
                         {"dtype", "float32"}};
    Json json{{"format", "plimsoll-graph"},
              {"version", header.version},
              {"exporter", header.exporter},
              {"torch", header.torch},
              {"execution", header.execution},
              {"mode", header.mode},
              {"model", header.model},
              {"model_class", header.modelClass},
              {"batch", header.batch},
              {"target", header.target},
              {"optimizer", optimizerJson},
              {"autocast", textOrNull(header.autocast)},
              {"kernels", kernels},
              {"assumed", header.assumed}};
    if (!header.values.empty())
        json["values"] = header.values;
    return json;
}

Json structureJson(const graph::Structure& structure)
{
    Json args = Json::array();
    Json kwargs = Json::array();
    for (const graph::Argument& argument : structure.arguments) {
        if (argument.name.empty())
            args.push_back(Json::parse(argument.value));
        else
            kwargs.push_back({argument.name, Json::parse(argument.value)});
    }
    return Json::array({args, kwargs, structure.modes});
}

void addTables(Json& file, const Program& program)
{
    for (const char* table :
         {"modules", "calls", "structures", "storages", "tensors", "ops", "saved", "params"})
        file[table] = Json::array();
    for (const graph::Module& m : program.modules)
        file["modules"].push_back({idOrNone(m.parent), m.path, m.className,
                                   (m.hasHooks ? 1 : 0) | (m.isCalledDirectly ? 2 : 0)});
    for (const graph::Call& c : program.calls)
        file["calls"].push_back({c.module.index(), idOrNone(c.parent), c.first, c.last,
                                 ids(c.inputs), ids(c.outputs), c.source, idOrNone(c.arguments),
                                 idOrNone(c.result)});
    for (const graph::Structure& s : program.structures)
        file["structures"].push_back(structureJson(s));
    for (const graph::Storage& s : program.storages)
        file["storages"].push_back({s.bytes.count(), static_cast<int>(s.storageClass), s.alloc,
                                    opIndex(s.free), s.lastUse, opIndex(s.pythonFree), s.names});
    for (const graph::Tensor& t : program.tensors)
        file["tensors"].push_back({t.storage.index(), t.shape, t.strides, t.offset, t.dtype});
    for (const graph::Op& op : program.ops)
        file["ops"].push_back(opJson(op));
    for (const graph::Saved& s : program.saved)
        file["saved"].push_back({s.tensor.index(), s.op.index(), s.afterKernel ? 1 : 0, s.sequence,
                                 s.unpack ? Json(*s.unpack) : Json(nullptr),
                                 s.unpack ? opIndex(s.dropped) : Json(nullptr),
                                 opIndex(s.released)});
    for (const graph::Parameter& p : program.parameters)
        file["params"].push_back({p.name, p.storage.index(), idOrNone(p.gradient), ids(p.states)});
}

} // namespace

Program tinyProgram()
{
    return Builder{1}.run();
}

Program layeredProgram(std::size_t ops)
{
    constexpr std::size_t kOpsPerLayer = 7;
    return Builder{ops / kOpsPerLayer + 1}.run();
}

Json graphJson(const Program& program)
{
    Json file = headerJson(program.header);
    file["targets"] = program.targets;
    file["sources"] = program.sources;
    file["dtypes"] = program.dtypes;
    file["nodes"] = program.nodes;
    addTables(file, program);
    file["checks"] = checksJson(program.checks);
    return file;
}

std::string graphText(const Program& program)
{
    return graphJson(program).dump();
}

std::string gzipped(std::string_view bytes)
{
    z_stream stream = {};
    constexpr int kGzipWindow = 15 + 16;
    constexpr int kMemoryLevel = 8;
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                     Z_DEFAULT_STRATEGY)
        != Z_OK)
        return {};
    std::string out(deflateBound(&stream, static_cast<uLong>(bytes.size())) + 64, '\0');
    std::string in{bytes};
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(in.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(out.size() - stream.avail_out);
    deflateEnd(&stream);
    return out;
}

} // namespace plimsoll::tests
