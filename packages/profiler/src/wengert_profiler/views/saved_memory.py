"""saved_tensors: the memory that graphs keep for their derivatives, over time: the peak, and who held it."""

from __future__ import annotations

import sys
import time
import weakref
from html import escape
from types import FrameType
from typing import Any, NamedTuple, Self

from wengert_core.extend import checked
from wengert_engine.extend import set_listener
from wengert_engine.namespaces.graph import saved_tensors_hooks

from wengert_profiler.columns.event_names import dotted_names, event_name
from wengert_profiler.views.formats import format_memory


class Step(NamedTuple):
    """Something was saved, or freed."""

    time: float
    """Microseconds since the block began."""
    change: int
    """Bytes: of memory that nothing else has saved, or does any more; 0 for the others."""
    held: int
    """Bytes that were held afterwards."""
    op: str
    line: str


class Holding(NamedTuple):
    """What an operation in a line held at the peak."""

    nbytes: int
    tensors: int
    op: str
    line: str


class LifetimeToken:
    """Stands for a saved tensor; its end is that of the tensor in the graph."""

    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


@checked
class saved_tensors:
    """Context manager that follows the tensors which graphs made in its block save for their derivatives.

    Memory that several have saved is counted once, views by the memory they look into. Afterwards: ``peak`` (bytes),
    ``at_peak`` (who held it, the largest first), ``held`` (bytes that are held still), ``steps`` (the whole timeline),
    ``table()``. May be used inside of a profile. RuntimeError inside of emit_nvtx, emit_itt or another one.

    >>> import wengert as wg
    >>> x = wg.ones(1000, requires_grad=True)
    >>> with wg.profiler.saved_tensors() as saved:
    ...     y = x.exp().sin().sum()
    ...     y.backward()
    >>> saved.peak, saved.held, [(one.op, one.nbytes) for one in saved.at_peak]
    (4000, 0, [('aten::exp', 4000)])
    """

    peak: int
    held: int

    record_shapes = False

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.peak = self.held = self._steps_to_peak = 0
        self._storages: dict[int, list[Any]] = {}  # address -> [how many hold it, bytes, op, line]
        self._running: list[str] = []
        self._dotted: dict[int, str] = {}
        self._started = 0
        self._hooks: Any = None

    def __enter__(self) -> Self:
        self._running.clear()  # first: an object that was never initialized must not listen
        self._dotted = dotted_names()
        self._started = time.perf_counter_ns()
        set_listener(self)
        self._hooks = saved_tensors_hooks(self._pack, self._unpack)
        self._hooks.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            self._hooks.__exit__(*error)
        finally:
            set_listener(None)

    # ---- what is told

    def begin(self, kind: int, what: Any, number: int, shapes: Any) -> None:
        """Something begins: what is saved now is saved for it."""
        self._running.append(event_name(kind, what, self._dotted))

    def end(self) -> None:
        """It ends."""
        self._running.pop()

    def _pack(self, tensor: Any) -> LifetimeToken:
        held = LifetimeToken(tensor)
        storage = tensor.untyped_storage()
        address, nbytes = storage.data_ptr(), storage.nbytes()
        op, line = self._running[-1] if self._running else "", calling_line()
        known = self._storages.get(address)
        if known is None:
            self._storages[address] = [1, nbytes, op, line]
            self._step(nbytes, op, line)
        else:
            known[0] += 1
            self._step(0, op, line)
        weakref.finalize(held, self._on_free, address).atexit = False
        return held

    @staticmethod
    def _unpack(held: LifetimeToken) -> Any:
        return held.tensor

    def _on_free(self, address: int) -> None:
        known = self._storages[address]
        known[0] -= 1
        if known[0] == 0:
            del self._storages[address]
            self._step(-known[1], known[2], known[3])

    def _step(self, change: int, op: str, line: str) -> None:
        self.held += change
        self.steps.append(Step((time.perf_counter_ns() - self._started) / 1e3, change, self.held, op, line))
        if self.held > self.peak:
            self.peak = self.held
            self._steps_to_peak = len(self.steps)

    @property
    def at_peak(self) -> list[Holding]:
        """Who held the memory at the peak: an operation in a line, its bytes and tensors; the largest first."""
        sums: dict[tuple[str, str], list[int]] = {}
        for step in self.steps[: self._steps_to_peak]:
            one = sums.setdefault((step.op, step.line), [0, 0])
            one[0] += step.change
            one[1] += (step.change > 0) - (step.change < 0)
        return sorted(
            (Holding(nbytes, count, op, line) for (op, line), (nbytes, count) in sums.items() if nbytes), reverse=True
        )

    # ---- what is shown

    def rows(self) -> list[list[str]]:
        """The cells of a table of who held the memory at the peak."""
        return [
            [
                format_memory(one.nbytes),
                f"{100 * one.nbytes / self.peak:.1f}%" if self.peak else "",
                str(one.tensors),
                one.op,
                one.line,
            ]
            for one in self.at_peak
        ]

    def table(self, row_limit: int = 20) -> str:
        """A table of who held the memory at the peak, the largest first."""
        rows = [list(HEADS), *self.rows()[: row_limit if row_limit >= 0 else None]]
        widths = [max(len(row[i]) for row in rows) for i in range(len(HEADS))]
        lines = [
            "  ".join([*(row[i].rjust(widths[i]) for i in range(3)), row[3].ljust(widths[3]), row[4]]).rstrip()
            for row in rows
        ]
        return (
            "\n".join(
                [f"saved tensors: peak {format_memory(self.peak)}, still held {format_memory(self.held)}", *lines]
            )
            + "\n"
        )

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in HEADS)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in self.rows())
        return (
            f"<p>saved tensors: peak {format_memory(self.peak)}, still held {format_memory(self.held)}</p>"
            f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
        )


HEADS = ("Memory", "Share", "Tensors", "Operation", "Line")


def calling_line() -> str:
    """The line of the program that is running: the innermost call outside of this file."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    return f"{frame.f_code.co_filename}({frame.f_lineno}): {frame.f_code.co_qualname}" if frame is not None else ""
