"""A figure of the speed-ups, as SVG: bars of eager and PyTorch's times over captured ones, on a logarithmic scale."""

from __future__ import annotations

import html
import math

from tools.compare.replay.launch import Timing

SIDES = {"wengert": ("wengert, eager", "#7fb2dd"), "PyTorch": ("PyTorch, eager", "#e08a3c"),
         "JAX": ("JAX, jit", "#6a9a5b")}  # fmt: skip
"""The sides that have bars: their names and colors."""
LEFT, WIDTH, RIGHT, BAR, GAP = 260, 400, 60, 12, 10
"""Pixels: width of the names, of the longest bar, of the numbers; height of a bar, and between programs."""


def number_words(value: float) -> str:
    return f"{value:.{0 if value >= 10 else 1 if value >= 2 else 2}f}"


def speedup_figure(timings: dict[str, Timing]) -> str:
    """Return bars that show how many times as long other sides take as a captured call; a line marks once."""
    rows = [(timing, [side for side in SIDES if side in timing.times]) for timing in timings.values()
            if timing.times.get("captured")]  # fmt: skip
    ratios = {(timing.program, side): timing.times[side] / timing.times["captured"] for timing, sides in rows
              for side in sides}  # fmt: skip
    low, high = min([0.5, *ratios.values()]), max([10.0, *ratios.values()])
    scale = WIDTH / math.log(high / low)

    def position(ratio: float) -> float:
        return LEFT + scale * math.log(ratio / low)

    parts, y = [], 30
    for timing, sides in rows:
        middle = y + BAR * len(sides) / 2 + 4
        parts.append(f'<text x="{LEFT - 8}" y="{middle:.0f}" text-anchor="end">{html.escape(timing.program)}</text>')
        for side in sides:
            ratio = ratios[timing.program, side]
            begin, end = sorted((position(1.0), position(ratio)))
            parts.append(f'<rect x="{begin:.1f}" y="{y + 1}" width="{max(end - begin, 1):.1f}" height="{BAR - 2}" '
                         f'fill="{SIDES[side][1]}"/><text x="{max(end, position(1.0)) + 5:.1f}" y="{y + BAR - 2}" '
                         f'font-size="11">{number_words(ratio)}</text>')  # fmt: skip
            y += BAR
        y += GAP
    legend = [f'<rect x="{LEFT + 130 * i}" y="6" width="10" height="10" fill="{color}"/>'
              f'<text x="{LEFT + 130 * i + 15}" y="15">{name}</text>' for i, (name, color) in enumerate(SIDES.values())]
    line = (f'<path d="M{position(1.0):.1f} 24V{y}" stroke="#888" stroke-dasharray="3 3"/>'
            f'<text x="{position(1.0):.1f}" y="{y + 14}" text-anchor="middle">captured</text>')  # fmt: skip
    size = f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {y + 20}" width="{LEFT + WIDTH + RIGHT}" font-size="12"'
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" fill="#333" role="img" '
            'aria-label="How many times as long others take as a captured call">'
            '<rect width="100%" height="100%" fill="#fff"/>')  # fmt: skip
    return "\n".join([head, *legend, *parts, line, "</svg>"]) + "\n"
