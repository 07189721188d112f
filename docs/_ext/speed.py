"""The figure of the landing page: how many times as fast as PyTorch, from the table of the page of benchmarks."""

import html
import re
from pathlib import Path
from typing import NamedTuple

PAGE = Path(__file__).resolve().parent.parent / "benchmarks.md"
HEADING = "**PyTorch's time over wengert's, for each aim**"
NAMES = {
    "one recorded pointwise op": "one recorded operation, 1 to 16 elements",
    "one unrecorded pointwise op": "the same, not recorded",
    "backward, each node of a pointwise chain": "backward of such an operation",
    "chain of 200 custom Functions": "a custom Function, there and back",
    "8 x 8 matmul, recorded": "product of 8 x 8 matrices, recorded",
    "digits MLP step": "training step of a small network",
    "RK4 example": "fitting a differential equation, scalars",
    "small view and index ops, recorded": "select, slice, reshape, recorded",
    "10^7 float32: mul, add, tanh, exp, sum and backward": "10,000,000 elements, five operations",
    "1024 x 1024 matmul": "product of 1024 x 1024 matrices",
}
"""The rows in words for who has not read the page; others keep their names."""
ROW = re.compile(r"^\| ([^|]+) \| +\d+ \| +[\d.]+ \| +([\d.]+) \|", re.MULTILINE)
FACTS = re.compile(r"^processor (?P<processor>.*?), python .*?torch (?P<torch>[\w.+]+),.*commit (?P<commit>\w+)", re.M)
LINE, LEFT, WIDTH, RIGHT = 24, 340, 360, 50
"""Pixels: height of a line, width of the names, of the longest bar, of the numbers."""


class Line(NamedTuple):
    """A row of the table: what was timed, and the median of PyTorch's time over wengert's."""

    name: str
    ratio: float


def lines_of(page: str) -> list[Line]:
    """The rows of the summary. ValueError where the page has none."""
    rows = ROW.findall(page.partition(HEADING)[2].partition("\n\n**")[0])
    if not rows:
        raise ValueError(f"docs/benchmarks.md has no table below {HEADING!r}: make compare ARGS=--markdown writes it")
    return [Line(name.strip(), float(ratio)) for name, ratio in rows]


def source_of(page: str) -> str:
    """The sentence below the figure: which measurement it is."""
    found = FACTS.search(page)
    if found is None:
        raise ValueError("docs/benchmarks.md does not say on which processor it was measured")
    torch, processor, commit = found["torch"], found["processor"], found["commit"]
    return (f"Medians of interleaved rounds on one thread, PyTorch {torch}, {processor}, commit {commit}: "
            "[the page of benchmarks](benchmarks.md) has the times and how they were measured.")  # fmt: skip


def figure(lines: list[Line]) -> str:
    """Bars as SVG, in the page's own color of text; a line marks PyTorch's speed."""
    scale = WIDTH / max(line.ratio for line in lines)
    height = LINE * len(lines) + 22
    size = f'viewBox="0 0 {LEFT + WIDTH + RIGHT} {height}" width="100%" font-size="13" fill="currentColor"'
    parts = [f'<svg {size} role="img" aria-label="How many times as fast as PyTorch">']
    for number, line in enumerate(lines):
        y, width = LINE * number, max(scale * line.ratio, 1)
        parts.append(
            f'<text x="{LEFT - 8}" y="{y + 16}" text-anchor="end">{html.escape(NAMES.get(line.name, line.name))}</text>'
            f'<rect x="{LEFT}" y="{y + 3}" width="{width:.1f}" height="{LINE - 7}" rx="2" fill="#3b82c4"/>'
            f'<text x="{LEFT + width + 6:.1f}" y="{y + 16}">{line.ratio:.1f}</text>'
        )
    x = LEFT + scale
    parts.append(f'<path d="M{x:.1f} 0V{height - 18}" stroke="currentColor" stroke-dasharray="3 3"/>'
                 f'<text x="{x:.1f}" y="{height - 4}" text-anchor="middle">PyTorch</text></svg>')  # fmt: skip
    return "\n".join(parts)


def speed() -> str:
    """The figure and its source."""
    page = PAGE.read_text(encoding="utf-8")
    return f"{figure(lines_of(page))}\n\n{source_of(page)}"
