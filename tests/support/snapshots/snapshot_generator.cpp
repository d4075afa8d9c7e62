// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshots/snapshot_generator.h"

#include "tests/support/snapshots/generated_device.h"
#include "tests/support/snapshots/pickle_writer.h"

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plimsoll::tests {

namespace {

constexpr std::size_t kBatch = 1000;
constexpr std::size_t kFrameSize = std::size_t{64} << 10U; ///< of the pickle's own framing
constexpr int kProtocol = 4;

/// Batches of a list, as Python's pickler writes them.
class Batches
{
public:
    explicit Batches(PickleOpcodes& out) : m_out{out} {}
    void next()
    {
        if (m_count == kBatch) {
            m_out.op('e');
            m_count = 0;
        }
        if (m_count++ == 0)
            m_out.op('(');
    }
    void end()
    {
        if (m_count > 0)
            m_out.op('e');
    }

private:
    PickleOpcodes& m_out;
    std::size_t m_count = 0;
};

class Writer
{
public:
    Writer(const GeneratedSnapshot& snapshot, const std::function<void(std::string_view)>& sink)
        : m_snapshot{snapshot}, m_sink{sink}, m_random{snapshot.seed + 1}
    {
        makeStacks();
    }

    GeneratedFacts run()
    {
        // segments come first in the file, but are known last: the simulation runs twice.
        GeneratedDevice ended{m_snapshot};
        ended.run([](const GeneratedEvent& /*event*/) {});
        m_sink(std::string_view{"\x80\x04", 2});
        m_out.op('}');
        static_cast<void>(m_out.memoize());
        m_out.op('(');
        key("segments");
        list();
        Batches segments{m_out};
        for (const auto& [address, segment] : ended.segments()) {
            segments.next();
            writeSegment(address, segment);
        }
        segments.end();
        key("device_traces");
        list();
        list();
        Batches events{m_out};
        GeneratedDevice device{m_snapshot};
        device.run([&](const GeneratedEvent& event) {
            events.next();
            writeEvent(event);
            flush(kFrameSize);
        });
        events.end();
        m_out.op('a');
        m_out.op('u');
        m_out.op('.');
        flush(1);
        return device.facts();
    }

private:
    void makeStacks()
    {
        constexpr int kFrames = 500;
        for (int i = 0; i < m_snapshot.stacks; ++i) {
            const int depth = m_random.between(m_snapshot.fewestFrames, m_snapshot.mostFrames);
            std::vector<int> stack;
            stack.reserve(static_cast<std::size_t>(depth));
            // Stacks differ in their inner half and share their outer one.
            for (int level = 0; level < depth; ++level)
                stack.push_back(level < depth / 2 ? m_random.between(0, kFrames - 1)
                                                  : kFrames + depth - level);
            m_stacks.push_back(std::move(stack));
        }
    }
    /// What Python calls a frame of a pickle, when there is enough of it.
    void flush(std::size_t least)
    {
        std::string& bytes = m_out.bytes();
        if (bytes.size() < least)
            return;
        std::string head{'\x95'};
        for (unsigned i = 0; i < 8; ++i)
            head += static_cast<char>(bytes.size() >> (8 * i) & 0xffU);
        m_sink(head);
        m_sink(bytes);
        bytes.clear();
    }
    void list()
    {
        m_out.op(']');
        static_cast<void>(m_out.memoize());
    }
    /// A text that is one object wherever it occurs.
    void key(std::string_view text)
    {
        const auto known = m_texts.find(text);
        if (known != m_texts.end()) {
            m_out.get(known->second);
            return;
        }
        m_out.text(text);
        m_texts.emplace(text, m_out.memoize());
    }
    void field(std::string_view name, std::int64_t value)
    {
        key(name);
        m_out.integer(value);
    }
    void pool(std::string_view name)
    {
        key(name);
        m_out.integer(0);
        m_out.integer(0);
        m_out.op('\x86');
        static_cast<void>(m_out.memoize());
    }
    void frame(int index)
    {
        const auto [known, isNew] = m_frames.try_emplace(index);
        if (!isNew) {
            m_out.get(known->second);
            return;
        }
        m_out.op('}');
        known->second = m_out.memoize();
        m_out.op('(');
        const bool isNative = m_snapshot.hasNativeFrames && index % 2 == 0;
        key("name");
        m_out.text(isNative ? fmt::format("at::native::kernel_{}(at::Tensor const&)", index)
                            : fmt::format("function_{}", index));
        static_cast<void>(m_out.memoize());
        key("filename");
        key(isNative ? "??" : fmt::format("/project/model/layer_{}.py", index % 40));
        field("line", isNative ? 0 : index * 7 % 2000);
        m_out.op('u');
    }
    void frames(int stack)
    {
        m_out.op(']');
        m_lastFrames = m_out.memoize();
        if (stack < 0)
            return;
        m_out.op('(');
        for (const int index : m_stacks.at(static_cast<std::size_t>(stack)))
            frame(index);
        m_out.op('e');
    }
    void writeEvent(const GeneratedEvent& event)
    {
        m_out.op('}');
        static_cast<void>(m_out.memoize());
        m_out.op('(');
        key("action");
        key(event.action);
        field("addr", static_cast<std::int64_t>(event.address));
        field("size", event.bytes);
        field("stream", 0);
        if (m_snapshot.hasTimes)
            field("time_us", event.timeUs);
        key("compile_context");
        m_out.text("N/A"); // each time a new object, as PyTorch makes it
        static_cast<void>(m_out.memoize());
        key("user_metadata");
        key("");
        key("frames");
        if (event.sharesFrames)
            m_out.get(m_lastFrames);
        else
            frames(event.stack);
        m_out.op('u');
    }
    void writeSegment(std::uint64_t address, const GeneratedDevice::Segment& segment)
    {
        m_out.op('}');
        static_cast<void>(m_out.memoize());
        m_out.op('(');
        field("device", 0);
        field("address", static_cast<std::int64_t>(address));
        field("total_size", segment.bytes);
        field("stream", 0);
        key("segment_type");
        key(segment.blockBytes > (1 << 20) ? "large" : "small");
        pool("segment_pool_id");
        key("is_expandable");
        m_out.op(m_snapshot.isExpandable ? '\x88' : '\x89');
        key("frames");
        frames(-1);
        key("blocks");
        list();
        Batches blocks{m_out};
        for (const auto& [begin, block] : segment.blocks) {
            blocks.next();
            writeBlock(begin, segment.blockBytes, block);
        }
        blocks.end();
        m_out.op('u');
        flush(kFrameSize);
    }
    void writeBlock(std::uint64_t address, std::int64_t bytes, const GeneratedDevice::Block& block)
    {
        m_out.op('}');
        static_cast<void>(m_out.memoize());
        m_out.op('(');
        field("address", static_cast<std::int64_t>(address));
        field("size", bytes);
        field("requested_size", block.requested);
        key("state");
        key(block.requested > 0 ? "active_allocated" : "inactive");
        key("frames");
        frames(block.requested > 0 ? block.stack : -1);
        m_out.op('u');
    }

    const GeneratedSnapshot& m_snapshot;
    const std::function<void(std::string_view)>& m_sink;
    Random m_random;
    PickleOpcodes m_out{kProtocol};
    std::map<std::string, std::uint32_t, std::less<>> m_texts;
    std::map<int, std::uint32_t> m_frames;
    std::vector<std::vector<int>> m_stacks;
    std::uint32_t m_lastFrames = 0;
};

} // namespace

GeneratedFacts generateSnapshot(const GeneratedSnapshot& snapshot,
                                const std::function<void(std::string_view)>& sink)
{
    return Writer{snapshot, sink}.run();
}

} // namespace plimsoll::tests
