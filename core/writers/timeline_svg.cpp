// SPDX-License-Identifier: Apache-2.0
#include "core/writers/timeline_svg.h"

#include "core/base/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

namespace plimsoll::writers {

namespace {

constexpr int kWidth = 1200;
constexpr int kHeight = 560;
constexpr int kLeft = 72;
constexpr int kRight = 1176;
constexpr int kTop = 104; ///< with one row of bands
constexpr int kBandRow = 18;
constexpr double kLetter = 7; ///< width of one in the name of a band, about
constexpr int kBottom = 508;
constexpr std::size_t kColumns = kRight - kLeft;
constexpr int kMaxLines = 9; ///< of the grid
constexpr double kMebi = 1048576.0;
constexpr double kGibi = 1073741824.0;

constexpr std::string_view kDashes = " stroke-dasharray=\"5 4\"";

/// The fills of the layers by their ink, as in the light theme.
constexpr std::array<std::string_view, timeline::kMostLayers> kFills{
    "#013777", "#7f5c85", "#8e8a95", "#955217", "#4b946d", "#2791cd", "#ae880e", "#89314c"};

std::string escaped(std::string_view text)
{
    std::string out;
    for (const char c : base::printable(text)) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

/// The unit of the x axis: a time unit, or ops if no op has a time.
struct TimeUnit
{
    std::string_view name;
    double factor;
};

TimeUnit unitFor(double duration)
{
    if (duration >= 1e9)
        return {"s", 1e9};
    if (duration >= 1e6)
        return {"ms", 1e6};
    return duration >= 1e3 ? TimeUnit{"µs", 1e3} : TimeUnit{"ns", 1};
}

/// 1, 2 or 5 times a power of ten, such that at most ten of them fit into the span.
double timeStep(double span)
{
    double step = std::pow(10.0, std::floor(std::log10(span / 10.0)));
    for (const double factor : {2.0, 2.5, 2.0})
        if (span / step > 10.0)
            step *= factor;
    return step;
}

class TimelineSvg
{
public:
    explicit TimelineSvg(const TimelinePicture& picture)
        : m_picture{picture}
        , m_timeline{picture.timeline}
        , m_byTime{m_timeline.duration().count() > 0}
        , m_span{m_byTime ? static_cast<double>(m_timeline.duration().count())
                          : static_cast<double>(m_timeline.stepCount())}
    {
        m_plotTop = kTop + (bandRows() - 1) * kBandRow;
        sampleColumns();
        chooseScale();
    }

    [[nodiscard]] std::string text() &&
    {
        frame();
        grid();
        bands();
        classes();
        for (const auto& [outline, bytes] : m_outlines)
            draw(outline, bytes);
        timeAxis();
        marks();
        line();
        peak();
        legend();
        m_out += "</svg>\n";
        return std::move(m_out);
    }

private:
    /// Every pixel column shows its largest sum, so that no peak is averaged away.
    void sampleColumns()
    {
        for (const Outline& outline : m_picture.outlines)
            m_outlines.emplace_back(outline, std::vector<double>{});
        const std::size_t steps = m_timeline.stepCount();
        for (std::size_t column = 0; column < kColumns && steps > 0; ++column) {
            const std::size_t begin = stepAt(column);
            const std::size_t end = std::max(begin + 1, std::min(stepAt(column + 1), steps));
            m_columns.push_back(m_timeline.stackAt(m_timeline.largestStepIn(begin, end)));
            for (auto& [outline, bytes] : m_outlines)
                bytes.push_back(static_cast<double>(outline.largest(begin, end).count()));
        }
    }
    [[nodiscard]] std::size_t stepAt(std::size_t column) const
    {
        const double at = m_span * static_cast<double>(column) / static_cast<double>(kColumns);
        if (m_byTime)
            return m_timeline.stepAtTime(base::Nanoseconds{std::llround(at)});
        return std::min(static_cast<std::size_t>(at), m_timeline.stepCount() - 1);
    }
    void chooseScale()
    {
        double highest = static_cast<double>(
            std::max({m_timeline.peak().count(), m_picture.line.value_or(base::Bytes{}).count(),
                      std::int64_t{1024}}));
        for (const auto& [outline, columns] : m_outlines)
            for (const double bytes : columns)
                highest = std::max(highest, bytes);
        const double wanted = highest * 1.04;
        m_tick = 1024;
        while (wanted / m_tick > kMaxLines - 1)
            m_tick *= 2;
        m_top = std::ceil(wanted / m_tick) * m_tick;
    }
    [[nodiscard]] double y(double bytes) const
    {
        return kBottom - bytes / m_top * (kBottom - m_plotTop);
    }
    [[nodiscard]] double xOfStep(std::size_t step) const
    {
        const double at = m_byTime ? static_cast<double>(m_timeline.timeAt(step).count())
                                   : static_cast<double>(step);
        return kLeft + (m_span > 0 ? at / m_span : 0) * static_cast<double>(kColumns);
    }
    void label(double x, double at, std::string_view anchor, std::string_view style,
               const std::string& content)
    {
        m_out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" {}>{}</text>\n", x,
                             at, anchor, style, content);
    }

    void frame()
    {
        m_out +=
            fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
                        "viewBox=\"0 0 {0} {1}\" font-family=\"sans-serif\" font-size=\"12\" "
                        "fill=\"#1a1e26\">\n<title>{2}: {3}</title>\n"
                        "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                        kWidth, kHeight, escaped(m_picture.title), m_picture.subject);
        label(kLeft, 26, "start", "font-size=\"16\" font-weight=\"600\"", escaped(m_picture.title));
        label(kLeft, 44, "start", "fill=\"#5a6372\"", escaped(m_picture.facts));
    }
    void grid()
    {
        const bool gibi = m_top >= kGibi;
        for (double at = 0; at <= m_top; at += m_tick) {
            m_out += fmt::format("<path d=\"M{} {:.1f}H{}\" stroke=\"#e9ecf0\"/>\n", kLeft, y(at),
                                 kRight);
            label(kLeft - 8, y(at) + 4, "end", "fill=\"#5a6372\"",
                  fmt::format("{:g}", at / (gibi ? kGibi : kMebi)));
        }
        label(kLeft - 8, m_plotTop - 12, "end", "fill=\"#5a6372\"", gibi ? "GiB" : "MiB");
    }
    [[nodiscard]] int bandRows() const
    {
        int rows = 1;
        for (const timeline::Band& band : m_timeline.bands())
            rows = std::max(rows, band.row + 1);
        return rows;
    }
    void bands()
    {
        for (const timeline::Band& band : m_timeline.bands()) {
            const double begin = xOfStep(band.begin);
            const double end = xOfStep(band.end + std::size_t{1});
            const int row = band.row + 1 == bandRows() ? 0 : kBandRow; // the last is the lowest
            m_out += fmt::format("<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"17\" "
                                 "fill=\"#f6f7f9\" stroke=\"#d9dde4\"/>\n",
                                 begin, m_plotTop - 20 - row, std::max(end - begin, 0.0));
            if (end - begin >= 60)
                label((begin + end) / 2, m_plotTop - 7 - row, "middle",
                      "font-size=\"11\" fill=\"#5a6372\"",
                      escaped(base::printable(band.label,
                                              static_cast<std::size_t>((end - begin) / kLetter))));
        }
    }
    void classes()
    {
        std::vector<double> floor(m_columns.size(), 0);
        for (std::size_t layer = 0; layer < m_picture.layers.size(); ++layer) {
            std::vector<double> ceiling = floor;
            for (std::size_t i = 0; i < m_columns.size(); ++i)
                ceiling[i] += static_cast<double>(m_columns[i].at(layer).count());
            if (ceiling != floor)
                area(m_picture.layers[layer], floor, ceiling);
            floor = std::move(ceiling);
        }
    }
    /// A step curve along `ceiling` and back along `floor`. Flat runs become one line.
    void area(const timeline::Layer& layer, const std::vector<double>& floor,
              const std::vector<double>& ceiling)
    {
        m_out += fmt::format("<path class=\"{}\" fill=\"{}\" d=\"M{} {:.1f}", layer.name,
                             kFills.at(layer.ink), kLeft, y(ceiling.front()));
        for (std::size_t i = 1; i < ceiling.size(); ++i)
            if (ceiling[i] != ceiling[i - 1])
                m_out += fmt::format("H{}V{:.1f}", kLeft + i, y(ceiling[i]));
        m_out += fmt::format("H{}V{:.1f}", kRight, y(floor.back()));
        for (std::size_t i = floor.size() - 1; i > 0; --i)
            if (floor[i] != floor[i - 1])
                m_out += fmt::format("H{}V{:.1f}", kLeft + i, y(floor[i - 1]));
        m_out += fmt::format("H{}Z\"/>\n", kLeft);
    }
    void draw(const Outline& outline, const std::vector<double>& bytes)
    {
        if (bytes.empty())
            return;
        m_out += fmt::format("<path class=\"outline\" fill=\"none\" stroke=\"#1a1e26\"{} "
                             "d=\"M{} {:.1f}",
                             outline.isDashed ? kDashes : "", kLeft, y(bytes.front()));
        for (std::size_t i = 1; i < bytes.size(); ++i)
            if (bytes[i] != bytes[i - 1])
                m_out += fmt::format("H{}V{:.1f}", kLeft + i, y(bytes[i]));
        m_out += fmt::format("H{}\"/>\n", kRight);
    }
    void marks()
    {
        for (const Mark& mark : m_picture.marks) {
            const double x = xOfStep(mark.step);
            const bool left = x > (kLeft + kRight) / 2.0;
            m_out += fmt::format("<path class=\"mark\" d=\"M{:.1f} {}V{}\" stroke=\"#b3261e\" "
                                 "stroke-width=\"1.5\"/>\n",
                                 x, m_plotTop, kBottom);
            label(left ? x - 6 : x + 6, m_plotTop + 16, left ? "end" : "start",
                  "font-weight=\"600\" fill=\"#b3261e\"", escaped(mark.text));
        }
    }
    void timeAxis()
    {
        m_out +=
            fmt::format("<path d=\"M{} {}H{}\" stroke=\"#7f8998\"/>\n", kLeft, kBottom, kRight);
        const TimeUnit unit = m_byTime ? unitFor(m_span) : TimeUnit{"", 1};
        if (m_span > 0) {
            const double step = timeStep(m_span);
            for (int i = 0; i * step <= m_span; ++i) {
                const double x = kLeft + i * step / m_span * static_cast<double>(kColumns);
                m_out += fmt::format("<path d=\"M{:.1f} {}v4\" stroke=\"#7f8998\"/>\n", x, kBottom);
                label(x, kBottom + 18, "middle", "fill=\"#5a6372\"",
                      fmt::format("{:g}", i * step / unit.factor));
            }
        }
        label((kLeft + kRight) / 2.0, kBottom + 38, "middle", "fill=\"#5a6372\"",
              m_byTime ? fmt::format("time [{}]", unit.name) : "execution");
    }
    void line()
    {
        if (!m_picture.line)
            return;
        const double at = y(static_cast<double>(m_picture.line->count()));
        m_out += fmt::format("<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#ffffff\" stroke-width=\"5\"/>"
                             "<path d=\"M{0} {1:.1f}H{2}\" stroke=\"#10131a\" "
                             "stroke-width=\"2\"/>\n",
                             kLeft, at, kRight);
        label(kRight - 4, at - 6, "end", "font-weight=\"600\"", m_picture.lineText);
    }
    void peak()
    {
        if (m_timeline.stepCount() == 0)
            return;
        const double x = xOfStep(m_timeline.peakStep());
        const double at = y(static_cast<double>(m_timeline.peak().count()));
        m_out += fmt::format("<path d=\"M{:.1f} {:.1f}l-5 10h10z\" fill=\"#1a1e26\" "
                             "stroke=\"#ffffff\"/>\n",
                             x, at);
        // Above the apex, where there is room, unless the line is there.
        const double line = m_picture.line ? y(static_cast<double>(m_picture.line->count())) : 0;
        const double baseline = at - line > 28 || at < line ? at - 8 : at + 26;
        const bool left = x > (kLeft + kRight) / 2.0;
        const std::string words = base::printable(m_picture.peakText);
        const double width = 7.2 * static_cast<double>(words.size()) + 8;
        m_out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"18\" "
                             "rx=\"3\" fill=\"#ffffff\" fill-opacity=\"0.92\"/>\n",
                             left ? x - width - 6 : x + 6, baseline - 13, width);
        label(left ? x - 10 : x + 10, baseline, left ? "end" : "start", "font-weight=\"600\"",
              escaped(words));
    }
    void legend()
    {
        double x = kLeft;
        const auto name = [&](std::string_view words) {
            label(x + 18, 66, "start", "", escaped(words));
            x += 36 + 7.5 * static_cast<double>(words.size());
        };
        for (std::size_t layer = 0; layer < m_picture.layers.size(); ++layer)
            if (std::ranges::any_of(m_columns, [&](const timeline::Stack& stack) {
                    return stack.at(layer).count() > 0;
                })) {
                m_out += fmt::format("<rect x=\"{:.1f}\" y=\"56\" width=\"12\" height=\"12\" "
                                     "fill=\"{}\"/>\n",
                                     x, kFills.at(m_picture.layers[layer].ink));
                name(m_picture.layers[layer].name);
            }
        for (const Outline& outline : m_picture.outlines) {
            m_out += fmt::format("<path d=\"M{:.1f} 62h14\" stroke=\"#1a1e26\" "
                                 "stroke-width=\"2\"{}/>\n",
                                 x, outline.isDashed ? kDashes : "");
            name(outline.name);
        }
    }

    const TimelinePicture& m_picture;
    const timeline::Timeline& m_timeline;
    bool m_byTime;
    double m_span; ///< of the x axis: nanoseconds or steps
    int m_plotTop = kTop;
    double m_tick = 0;
    double m_top = 0; ///< bytes at the upper edge of the plot
    std::vector<timeline::Stack> m_columns;
    std::vector<std::pair<const Outline&, std::vector<double>>> m_outlines; ///< bytes by column
    std::string m_out;
};

} // namespace

std::string timelineSvg(const TimelinePicture& picture)
{
    return TimelineSvg{picture}.text();
}

} // namespace plimsoll::writers
