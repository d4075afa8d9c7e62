# SPDX-License-Identifier: Apache-2.0
"""Draws the manual's picture of the GPU's curves under the predicted ones.

`PYTHONPATH=resources/pytorch/src:tests/python python tests/gpu/draw_curve.py` traces both training steps, without a GPU.
"""

from __future__ import annotations

from itertools import groupby, pairwise

import plimsoll
from helpers import ROOT
from helpers.gpu_record import PROGRAMS, Predicted, Record, points, predicted, record_of
from plimsoll.record.tracing import trace_graph

PICTURE = ROOT / "resources" / "manual" / "gpu-record.svg"
TITLES = {
    "medium_256_training": "Training step, float32, context 256",
    "medium_512_training": "Training step, autocast in bfloat16, context 512",
}
PHASES = ("forward", "loss", "backward", "optimizer")
WIDTH, HEIGHT, LEFT, TOP, PANEL = 1440, 900, 110, 70, 300  # PANEL: height of one, each with TOP above it
RIGHT = WIDTH - 30
GB = 10**9
GPU, AREA, MINE, GRID, TEXT = "#7fb2e5", "#dcebf9", "#b3261e", "#d8d8d8", "#222222"


def _line(bottom: int, curve: list[tuple[int, int]], count: int, scale: float) -> str:
    """A path over a curve of (number of an allocation, bytes): the most bytes in each column of two pixels."""
    columns = groupby(curve, lambda point: point[0] * (RIGHT - LEFT) // 2 // count)
    heights = [round(max(live for _, live in group) * scale) for _, group in columns]
    return f"M{LEFT} {bottom - heights[0]}" + "".join(f"h2v{before - height}" for before, height in pairwise(heights)).replace("v0", "") + "h2"


def _text(x: float, y: float, text: str, size: int = 22, anchor: str = "start") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" fill="{TEXT}">{text}</text>\n'


def panel(name: str, mine: Predicted, record: Record) -> str:
    """One step: what the GPU's allocator holds after each of its allocations, and above it what is predicted."""
    number = list(TITLES).index(name)
    bottom = (number + 1) * (TOP + PANEL) + number * 50
    real, ours = points(sum(record.held), record.events), points(sum(mine.held), mine.events)
    most = -(-record.peak // (2 * GB)) * 2 * GB
    scale = PANEL / most
    drawn = [_text(LEFT, bottom - PANEL - 22, TITLES[name], 26)]
    for value in range(0, most + 1, 2 * GB):
        y = bottom - value * scale
        drawn.append(f'<path d="M{LEFT} {y:g}H{RIGHT}" stroke="{GRID}"/>\n')
        drawn.append(_text(LEFT - 10, y + 8, f"{value // GB} GB", anchor="end"))
    line = _line(bottom, [(place, live) for place, (_, live) in enumerate(real)], len(real), scale)
    drawn.append(f'<path d="{line}V{bottom}H{LEFT}Z" fill="{AREA}"/>\n<path d="{line}" fill="none" stroke="{GPU}" stroke-width="7"/>\n')
    scratch = {place for place, _ in mine.scratch}
    line = _line(bottom, [(place, live) for place, (_, live) in enumerate(ours) if place not in scratch], len(real), scale)
    drawn.append(f'<path d="{line}" fill="none" stroke="{MINE}" stroke-width="2"/>\n')
    for phase, begin, end in zip(PHASES, mine.phases.values(), [*list(mine.phases.values())[1:], len(real)]):
        x, right = (LEFT + place * (RIGHT - LEFT) / len(real) for place in (begin, end))
        if begin:
            drawn.append(f'<path d="M{x:.0f} {bottom}v{-PANEL}" stroke="{TEXT}" stroke-dasharray="2 6"/>\n')
        if right - x > 100:  # the loss's few allocations leave no room for its name
            drawn.append(_text(round((x + right) / 2), bottom + 26, phase, anchor="middle"))
    return "".join(drawn)


def picture(panels: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif">\n'
    legend, y = "", HEIGHT - 50
    for x, colour, width, text in (
        (LEFT, GPU, 7, "held by the GPU's allocator"),
        (LEFT + 420, MINE, 2, "predicted by plimsoll.trace() without a GPU"),
    ):
        legend += f'<path d="M{x} {y}h50" stroke="{colour}" stroke-width="{width}"/>\n' + _text(x + 64, y + 8, text)
    note = _text(RIGHT, HEIGHT - 12, "After each allocation of the step, in order; the highest of each column", 18, "end")
    return f'{head}<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>\n{"".join(panels)}{legend}{note}</svg>\n'


def main() -> None:
    panels = []
    for name in TITLES:
        program = PROGRAMS[name]
        with plimsoll.building():
            arguments = program.arguments()
        graph = trace_graph(arguments.pop("model"), target="cuda", **arguments)
        panels.append(panel(name, predicted(graph, program), record_of(name)))
    PICTURE.write_text(picture(panels))


if __name__ == "__main__":
    main()
