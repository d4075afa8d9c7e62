// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>

namespace plimsoll::tests {

/// A trace of one step: operators, each with a kernel of so many microseconds.
class OpTrace
{
public:
    OpTrace& op(const char* name, int kernel, const char* shape = "[[4, 4], [4, 4]]")
    {
        span("cpu_op", name, 4, fmt::format(R"(, "Input Dims": {})", shape));
        if (kernel > 0)
            m_events += fmt::format(
                R"({{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": {}, )"
                R"("dur": {}, "args": {{"External id": {}, "device": 0}}}},)",
                1000 + m_time, kernel, m_id);
        m_time += 10;
        return *this;
    }
    /// Around the next ops.
    OpTrace& around(const char* category, const char* name, int ops)
    {
        span(category, name, ops * 10, "");
        return *this;
    }
    [[nodiscard]] std::string text(const char* device = "NVIDIA H100 80GB HBM3") const
    {
        return fmt::format(
            R"({{"schemaVersion": 1, "baseTimeNanoseconds": 1772323200000000000, )"
            R"("deviceProperties": [{{"id": 0, "name": "{}"}}], "traceEvents": [{}{{}}]}})",
            device, m_events);
    }

private:
    void span(const char* category, const char* name, int duration, const std::string& arguments)
    {
        m_events += fmt::format(
            R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": 1, "ts": {}, "dur": {}, )"
            R"("args": {{"External id": {}{}}}}},)",
            category, name, m_time, duration, ++m_id, arguments);
    }

    std::string m_events;
    int m_time = 100;
    int m_id = 0;
};

/// The step of tests/data/tiny.plimsoll.json; the sum has another name there.
inline OpTrace tinyStep()
{
    OpTrace trace;
    trace.around("user_annotation", "ProfilerStep#5", 20);
    trace.op("aten::t", 0).op("aten::mm", 40).op("aten::relu", 20).op("aten::mean", 7);
    trace.op("aten::ones_like", 3, "[[]]");
    trace.around("cpu_op", "autograd::engine::evaluate_function: ReluBackward0", 1);
    trace.op("aten::threshold_backward", 25);
    trace.around("cpu_op", "autograd::engine::evaluate_function: MmBackward0", 1);
    trace.op("aten::mm", 50);
    trace.around("user_annotation", "Optimizer.step#SGD.step", 1);
    trace.op("aten::_foreach_add_", 5, "[[[4, 4]], [[4, 4]]]");
    return trace;
}

} // namespace plimsoll::tests
