"""The text of an error: the jacobians, the worst entries, a map of what is wrong, the usual causes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import wengert_core as wc

from wengert_gradcheck.errors import Array, Jacobians, Worst

WORST = 5
MAP_ROWS, MAP_COLUMNS = 24, 64


def worst_of(jacobians: Jacobians, wrong: Array, count: int = WORST) -> tuple[Worst, ...]:
    """The wrong entries with the largest differences; nan counts as larger than all."""
    difference = jacobians.difference
    order = np.argsort(np.where(np.isnan(difference), np.inf, difference), axis=None)[::-1]
    order = order[wrong.ravel()[order]][:count]
    found = []
    for flat in order:
        i, j = np.unravel_index(flat, difference.shape)
        found.append(Worst(
            index(int(j), jacobians.output_shape), index(int(i), jacobians.input_shape),
            jacobians.numerical[i, j].item(), jacobians.analytical[i, j].item(), float(difference[i, j])))
    return tuple(found)


def index(flat: int, shape: tuple[int, ...]) -> int | tuple[int, ...]:
    """A flat index as one number for each dim."""
    position = tuple(map(int, np.unravel_index(flat, shape))) if shape else ()
    return position[0] if len(position) == 1 else position


def worst_table(worst: Sequence[Worst]) -> str:
    """The worst entries, a line for each."""
    lines = [("output index", "input index", "numerical", "analytical", "difference")]
    lines += [(str(w.output), str(w.input), number(w.numerical), number(w.analytical), f"{w.difference:.3g}")
              for w in worst]
    widths = [max(len(line[k]) for line in lines) for k in range(5)]
    return "\n".join("  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
                     for line in lines)


def number(value: complex) -> str:
    """A number, shortly."""
    return f"{value:.6g}"


def error_map(jacobians: Jacobians, wrong: Array) -> str:
    """A character for each entry, or for each block of a large jacobian: what is wrong where."""
    small = np.abs(jacobians.analytical) <= 1e-12
    zero = small & (np.abs(jacobians.numerical) <= 1e-12)
    kinds = np.where(wrong, np.where(small, 2, 3), np.where(zero, 0, 1))
    rows, columns = blocks(kinds.shape[0], MAP_ROWS), blocks(kinds.shape[1], MAP_COLUMNS)
    kinds = np.maximum.reduceat(np.maximum.reduceat(kinds, rows, axis=0), columns, axis=1)
    lines = ["  " + "".join(" .0x"[k] for k in line).rstrip() for line in kinds]
    note = "" if (len(rows), len(columns)) == wrong.shape else f"; a character for a block of the {wrong.shape}"
    return "\n".join([f"rows: input elements, columns: output elements; x wrong, 0 missing, . right, blank zero{note}",
                      *lines])


def blocks(length: int, most: int) -> Array:
    """Where at most ``most`` blocks of equal size begin."""
    return np.arange(0, length, max(1, -(-length // most)))


def format_jacobian(numbers: Array) -> str:
    """A jacobian as a tensor is printed."""
    return str(wc.tensor(np.ascontiguousarray(numbers)))


def mismatch(title: str, jacobians: Jacobians) -> str:
    """The error's first lines."""
    return (
        f"{title}\nnumerical:{format_jacobian(jacobians.numerical)}\nan"
        f"alytical:{format_jacobian(jacobians.analytical)}\n"
    )


def details(jacobians: Jacobians, wrong: Array, worst: Sequence[Worst], causes: Sequence[str]) -> str:
    """The error's last lines."""
    lines = [f"\n{int(wrong.sum())} of {wrong.size} entries differ. The worst:", worst_table(worst),
             error_map(jacobians, wrong)]
    lines += [f"Usual cause: {cause}" for cause in causes]
    lines.append("(see docs/errors/gradcheck-failed)")
    return "\n".join(lines)
