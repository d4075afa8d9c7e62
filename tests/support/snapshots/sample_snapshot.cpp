// SPDX-License-Identifier: Apache-2.0
#include "tests/support/snapshots/sample_snapshot.h"

#include "tests/support/readers/feed_parts.h"

#include <fmt/format.h>

namespace plimsoll::tests {

namespace {

using memtrace::DeviceTrace;
using memtrace::EventIndex;

constexpr std::int64_t kBase = 0x7f0000000000;
constexpr std::int64_t kMiB = 1 << 20;

std::string stackText(const memtrace::StackTable& stacks, std::uint32_t stack)
{
    std::string text;
    for (const memtrace::FrameId id : stacks.stack(memtrace::StackId{stack})) {
        const memtrace::Frame& frame = stacks.frame(id);
        text +=
            fmt::format(" {}:{}:{}", stacks.text(frame.file), frame.line, stacks.text(frame.name));
        if (frame.detail.index() != 0)
            text += fmt::format("[{}]", stacks.text(frame.detail));
    }
    return text;
}

std::string at(EventIndex event)
{
    return event == memtrace::kNoEvent ? "-" : fmt::format("{}", event);
}

std::string placeText(const memtrace::Place& place)
{
    return fmt::format("stream {:#x} pool {},{}", place.stream, place.pool[0], place.pool[1]);
}

std::string dumpDevice(const DeviceTrace& device, const memtrace::StackTable& stacks)
{
    std::string text =
        fmt::format("device {}, {} events recorded\n", device.ordinal(), device.recordedCount());
    for (EventIndex event = 0; event < device.eventCount(); ++event)
        text += fmt::format("  event {} {} subject {} at {} ns, recorded as {}\n", event,
                            memtrace::actionName(device.action(event)), at(device.subject(event)),
                            device.timeOf(event).count(), device.recordedIndex(event));
    const memtrace::Allocations& all = device.allocations();
    for (std::size_t i = 0; i < all.size(); ++i)
        text +=
            fmt::format("  allocation {} {:#x} {} B, events {} to {}, {},{}\n", i, all.address[i],
                        all.bytes[i], at(all.allocEvent[i]), at(all.freeEvent[i]),
                        placeText(device.places()[all.place[i]]), stackText(stacks, all.stack[i]));
    for (const memtrace::Segment& segment : device.segments())
        text += fmt::format(
            "  segment {:#x} {} B, events {} to {}, {}{}{}\n", segment.address, segment.bytes,
            at(segment.begin), at(segment.end), placeText(device.places()[segment.place]),
            segment.isLarge ? ", large" : "", segment.isExpandable ? ", expandable" : "");
    for (const memtrace::StepCurve::Point& total : device.columns().reservedTotals)
        text += fmt::format("  reserved from step {}: {} B\n", total.step, total.bytes.count());
    for (const memtrace::EndBlock& block : device.endBlocks())
        text += fmt::format("  block {:#x} {} B, allocation {}{}\n", block.address, block.bytes,
                            at(block.allocation), block.isPending ? ", pending" : "");
    for (const memtrace::OutOfMemory& failed : device.outOfMemory())
        text +=
            fmt::format("  out of memory at {}: {} B asked, {} B left,{}\n", failed.event,
                        failed.askedBytes, failed.deviceFreeBytes, stackText(stacks, failed.stack));
    for (const memtrace::EventText& note : device.texts())
        text += fmt::format("  text of {}, kind {}: {}\n", note.event, static_cast<int>(note.kind),
                            stacks.text(note.text));
    return text;
}

} // namespace

PyValue sampleFrames(int line)
{
    return pyList({pyDict({{"filename", "/w/toy.py"}, {"line", line}, {"name", "block"}}),
                   pyDict({{"filename", "/w/run.py"}, {"line", 3}, {"name", "<module>"}})});
}

PyValue sampleEvent(std::string_view action, std::int64_t address, std::int64_t size, int time)
{
    return pyDict({{"action", std::string{action}},
                   {"addr", address},
                   {"size", size},
                   {"stream", 0},
                   {"time_us", std::int64_t{1'700'000'000'000'000} + time},
                   {"frames", sampleFrames(7)}});
}

PyValue sampleBlock(std::int64_t address, std::int64_t size, std::int64_t requested,
                    const char* state)
{
    return pyDict({{"address", address},
                   {"size", size},
                   {"requested_size", requested},
                   {"state", state},
                   {"frames", sampleFrames(7)}});
}

PyValue sampleSegment(std::int64_t address, std::int64_t size, PyItems blocks)
{
    return pyDict({{"device", 1},
                   {"address", address},
                   {"total_size", size},
                   {"allocated_size", 0},
                   {"active_size", 0},
                   {"requested_size", 0},
                   {"stream", 0},
                   {"segment_type", "large"},
                   {"segment_pool_id", pyTuple({0, 0})},
                   {"is_expandable", false},
                   {"frames", pyList()},
                   {"blocks", pyList(std::move(blocks))}});
}

PyValue sampleSnapshot()
{
    PyValue compiled = sampleEvent("alloc", kBase + 4096, 4000, 20);
    compiled["compile_context"] = "0/0";
    compiled["user_metadata"] = "phase 1";
    compiled["internal_metadata"] = "inner";
    compiled["category"] = "GRADIENT";
    compiled["pool_id"] = pyTuple({0, 3});
    PyValue traced = pyDict({{"filename", "/w/graph.py"}, {"line", 9}, {"name", "forward"}});
    traced["fx_node_op"] = "call_function";
    traced["fx_node_name"] = "mm";
    traced["fx_node_target"] = "aten.mm";
    PyValue plain = sampleEvent("alloc", kBase, 900, 10);
    plain["compile_context"] = "N/A";
    plain["user_metadata"] = "";
    plain["frames"] = pyList({traced});
    PyValue noFrames = sampleEvent("free_completed", kBase, 900, 31);
    noFrames.fields().pop_back();
    PyValue note = sampleEvent("annotate", kBase + 4096, 0, 35);
    note["user_metadata"] = "weights";
    const PyValue oom = pyDict({{"action", "oom"},
                                {"device_free", kMiB},
                                {"size", std::int64_t{8'589'934'592}},
                                {"stream", 0},
                                {"time_us", std::int64_t{1'700'000'000'000'040}},
                                {"frames", sampleFrames(11)}});
    const PyValue events = pyList({sampleEvent("segment_alloc", kBase, 2 * kMiB, 0), plain,
                                   compiled, sampleEvent("free_requested", kBase, 900, 30),
                                   noFrames, sampleEvent("free_requested", kBase + 8192, 512, 33),
                                   sampleEvent("free_completed", kBase + 8192, 512, 34), note, oom,
                                   sampleEvent("segment_map", kBase + 32 * kMiB, 2 * kMiB, 41),
                                   sampleEvent("snapshot", 0, 0, 50)});
    const auto mark = [](const char* stage, int time) {
        return pyDict({{"name", "step 1"},
                       {"stage", stage},
                       {"device", 0},
                       {"time_us", std::int64_t{1'700'000'000'000'000} + time}});
    };
    PyValue host = sampleSegment(kBase, 4096, {sampleBlock(kBase, 4096, 4096, "active_allocated")});
    host["device"] = -1;
    return pyDict(
        {{"segments",
          pyList({sampleSegment(kBase, 2 * kMiB,
                                {sampleBlock(kBase, 4096, 0, "inactive"),
                                 sampleBlock(kBase + 4096, 4096, 4000, "active_pending_free"),
                                 sampleBlock(kBase + 8192, 2 * kMiB - 8192, 0, "inactive")}),
                  sampleSegment(kBase + 32 * kMiB, 2 * kMiB,
                                {sampleBlock(kBase + 32 * kMiB, kMiB, kMiB - 1, "active_allocated"),
                                 sampleBlock(kBase + 33 * kMiB, kMiB, 0, "inactive")})})},
         {"device_traces", pyList({pyList(), events, pyList()})},
         {"allocator_settings", pyDict({{"PYTORCH_CUDA_ALLOC_CONF", "max_split_size_mb:32"},
                                        {"max_split_size", std::uint64_t{0xffffffffffffffff}},
                                        {"garbage_collection_threshold", 0.5},
                                        {"expandable_segments", false},
                                        {"roundup_power2_divisions", pyDict({{"1", 0}, {"2", 4}})},
                                        {"trace_alloc_overflowed", pyList({false, true})}})},
         {"external_annotations", pyList({mark("START", 5), mark("END", 45)})},
         {"host_segments", pyList({host})},
         {"host_traces", pyList({sampleEvent("alloc", kBase, 4096, 4)})},
         {"a key of the future", pyDict({{"deep", pyList({1, pyTuple({1, 2, 3, 4}), {}})}})}});
}

base::Result<readers::ReadProfile> readPickle(std::string_view bytes, std::size_t part)
{
    return readParts(readers::torch_snapshot::Reading{"net.pickle"}, bytes, part);
}

std::string dumpTrace(const memtrace::MemoryTrace& trace)
{
    std::string text = fmt::format("epoch {} ns, duration {} ns, times {}\n", trace.epochNs(),
                                   trace.duration().count(), trace.hasTimes());
    for (const DeviceTrace& device : trace.devices())
        text += dumpDevice(device, trace.stacks());
    for (const memtrace::Annotation& range : trace.annotations())
        text += fmt::format("annotation {} on {}: {} to {} ns, depth {}\n", range.name,
                            range.device, range.begin.count(), range.end.count(), range.depth);
    for (const auto& [name, value] : trace.settings())
        text += fmt::format("setting {} = {}\n", name, value);
    for (const auto& [fault, count] : trace.statistics())
        text += fmt::format("fault {}: {}\n", fault, count);
    for (const std::string& gap : trace.gaps())
        text += fmt::format("gap: {}\n", gap);
    return text;
}

} // namespace plimsoll::tests
