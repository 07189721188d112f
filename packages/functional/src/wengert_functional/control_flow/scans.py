"""scan: a function called for each row of tensors in turn, which hands a carry on and gives one output a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from wengert_core import TABLE
from wengert_core.extend import Tensor, rng_states, set_rng_states, short_repr
from wengert_engine import is_grad_enabled, no_grad
from wengert_engine.extend import batch_level, gradient_edge, is_dual_level_open, tangent_of

from wengert_functional.control_flow.constructs import dispatch
from wengert_functional.control_flow.flat import (
    Layout,
    check_like,
    flatten_tensors,
    layout_of,
    next_carry,
    to_tensor,
)

stack = TABLE.ops["stack"]


def scan(f: Callable[[Any, Any], tuple[Any, Any]], init: Any, xs: Any = None, length: int | None = None,
         reverse: bool = False, unroll: int | bool = 1, *, dim: int = 0) -> tuple[Any, Any]:
    """Return ``(carry, ys)``: what ``f`` makes of ``init`` and the rows of ``xs``, one after the other.

    The order of the arguments is that of ``jax.lax.scan``; that of ``torch._higher_order_ops.scan``, which takes
    combine_fn, init and xs, and dim and reverse as keywords, fits as well. It computes ``carry, y = f(carry, x)`` for
    each row; all derivatives and vmap go through it.

    f: a function ``(carry, x) -> (carry, y)``. The carry keeps its structure, shapes, dtypes and devices; all ``y``
    have the same ones. Where there are no rows, f is called once on zeros, for the shapes of ``ys``.
    init: the first carry: a tensor, number or array, or a nest of them in tuples, lists and dicts. None is no tensor.
    xs: a nest of tensors that have the same size N in ``dim``; f gets their slices. None: f gets None ``length`` times.
    length: N, where ``xs`` is None; otherwise a check.
    reverse: from the last row to the first; ``ys`` have the order of the rows.
    unroll: accepted for JAX; it changes nothing.
    dim: the dim of ``xs`` to go through, and that of ``ys`` where they have so many dims.

    ``ys`` are nested as ``y``, of shape (N, ...) for ``dim=0``. They are written into one tensor where no gradients are
    recorded, and stacked at the end otherwise.
    RuntimeError for a carry or ``y`` that changes; ValueError for sizes that differ; TypeError for other arguments.

    >>> import wengert as wg
    >>> wg.func.scan(lambda total, x: (total + x, total * x), wg.tensor(1.0), wg.tensor([1.0, 2.0, 3.0]))
    (tensor(7.), tensor([ 1.,  4., 12.]))
    >>> wg.func.scan(lambda pair, _: ((pair[1], pair[0] + pair[1]), pair[0]), (0, 1), length=7)[1]
    tensor([0, 1, 1, 2, 3, 5, 8])
    """
    check_options(f, unroll)
    carry, carry_layout = flatten_tensors("scan", "init", init)
    rows, rows_layout = flatten_tensors("scan", "xs", xs)
    dim, length = row_count(rows, dim, length)
    step = Step(f, carry_layout, rows_layout)
    moved = [x.movedim(dim, 0) if dim else x for x in rows]
    carry, ys = dispatch("scan", run_scan, step, carry, moved, length, bool(reverse))
    placed = [y.movedim(0, dim) if 0 < dim < y.ndim else y for y in ys]
    return carry_layout.rebuild(carry), step.output_layout.rebuild(placed)


def check_options(f: Any, unroll: Any) -> None:
    """Raise TypeError for a function that cannot be called, and ValueError for a number of steps that is none."""
    if not callable(f):
        raise TypeError(f"scan: expected f to be a callable (carry, x) -> (carry, y), got {short_repr(f)}")
    if not isinstance(unroll, int) or unroll < 0:
        raise ValueError(f"scan: expected unroll to be a bool or a positive int, got {short_repr(unroll)}")


def row_count(rows: list[Any], dim: Any, length: Any) -> tuple[int, int]:
    """Return the dim of the rows, not negative, and how many there are."""
    if length is not None and (not isinstance(length, int) or length < 0):
        raise ValueError(f"scan: expected length to be an int that is not negative, got {short_repr(length)}")
    if not rows:
        if length is None:
            raise ValueError("scan: expected xs with tensors, or a length, got neither: pass length=")
        return 0, length
    if not isinstance(dim, int):
        raise TypeError(f"scan: Dim must be an int, but got {type(dim)}")
    if any(not -x.ndim <= dim < x.ndim for x in rows):
        raise ValueError(f"scan: All xs leaves must at least have 'dim' number of dimensions, got dim={dim} for shapes "
                         f"{[list(x.shape) for x in rows]}")
    place = dim % rows[0].ndim
    if any(x.ndim <= place for x in rows):
        raise ValueError(f"scan: All xs leaves must at least have 'dim' number of dimensions, got dim={dim} for shapes "
                         f"{[list(x.shape) for x in rows]}")
    sizes = [x.shape[place] for x in rows]
    if len({*sizes, sizes[0] if length is None else length}) > 1:
        wanted = "" if length is None else f" and length={length}"
        raise ValueError(f"scan: expected all xs to have the same size in dim {place}, got sizes {sizes}{wanted}")
    return place, sizes[0]


class Step:
    """One step of a scan in flat form: ``(carry, rows) -> (carry, outputs)``, in lists of tensors.

    output_layout: the structure of what it gives for a row, known after the first call.
    """

    def __init__(self, f: Callable[[Any, Any], Any], carry_layout: Layout, rows_layout: Layout) -> None:
        self.f, self.carry_layout, self.rows_layout = f, carry_layout, rows_layout
        self.output_layout = Layout(rows_layout.spec, [])
        self.called = False

    def __call__(self, carry: list[Any], rows: list[Any]) -> tuple[list[Any], list[Any]]:
        result = self.f(self.carry_layout.rebuild(carry), self.rows_layout.rebuild(rows))
        if not isinstance(result, (tuple, list)) or len(result) != 2:
            raise TypeError("scan: expected f to return a pair (carry, y), got "
                            f"{short_repr(result)} of type {type(result).__name__}")
        return next_carry("scan", "f", carry, self.carry_layout, result[0]), self.outputs_of(result[1])

    def outputs_of(self, y: Any) -> list[Any]:
        """Return the tensors of one row's output. RuntimeError where its structure is not that of the first."""
        if not self.called:
            outputs, self.output_layout = flatten_tensors("scan", "y", y)
            self.called = True
            return outputs
        leaves = self.output_layout.leaves_of(y)
        if leaves is None:
            raise RuntimeError(f"scan: expected f to return a y of the same structure for each row, got "
                               f"{self.output_layout} and later {layout_of(y)}")
        return [leaf if isinstance(leaf, Tensor) else to_tensor("scan", "y", leaf) for leaf in leaves]


# ---- the plain loop

def run_scan(step: Step, carry: list[Any], xs: list[Any], length: int, reverse: bool) -> tuple[list[Any], list[Any]]:
    """Return the last carry, and the outputs of all rows."""
    if not length:
        return carry, empty_outputs(step, carry, xs)
    columns: list[Column] = []
    for place, rows in enumerate(each_row(xs, length, reverse)):
        carry, outputs = step(carry, rows)
        columns = columns or [Column(output, length, reverse) for output in outputs]
        for column, output in zip(columns, outputs, strict=True):
            column.put(place, output)
    return carry, [column.finish() for column in columns]


def each_row(xs: list[Any], length: int, reverse: bool) -> Iterator[list[Any]]:
    """Give the rows of tensors. Where gradients are recorded all rows of a tensor are one node, whose backward joins
    their gradients once.
    """
    sources = [x.unbind(0) if is_recorded(x) else x for x in xs]
    for place in range(length):
        index = length - 1 - place if reverse else place
        yield [source[index] if isinstance(source, tuple) else source.select(0, index) for source in sources]


def empty_outputs(step: Step, carry: list[Any], xs: list[Any]) -> list[Any]:
    """Return outputs without rows; f is called on zeros, without a trace in the random generators."""
    states = rng_states()
    try:
        with no_grad():
            outputs = step(carry, [x.new_zeros(x.shape[1:]) for x in xs])[1]
            return [output.new_empty((0, *output.shape)) for output in outputs]
    finally:
        set_rng_states(states)


def is_recorded(tensor: Any) -> bool:
    """Return whether operations on a tensor are recorded for gradients."""
    return is_grad_enabled() and gradient_edge(tensor) is not None


def is_plain(tensor: Any) -> bool:
    """Return whether a tensor is its numbers alone: no gradient is recorded, and it has no batch and no tangent."""
    if is_recorded(tensor) or batch_level(tensor):
        return False
    return not (is_dual_level_open() and tangent_of(tensor) is not None)


class Column:
    """The outputs of one leaf: rows of one tensor made beforehand, or a list as soon as a row is not plain."""

    def __init__(self, first: Any, length: int, reverse: bool) -> None:
        self.first, self.length, self.reverse = first, length, reverse
        self.rows: list[Any] | None = None
        self.whole: Any = first.new_empty((length, *first.shape)) if is_plain(first) else None
        if self.whole is None:
            self.rows = []
        else:
            self.first = self.whole[0]

    def put(self, place: int, row: Any) -> None:
        """Add the row that came in this place."""
        check_like("scan: expected f to return a y with same metadata for each row, got {} and later {}",
                   self.first, row)
        if self.rows is None and is_plain(row):
            self.whole.select(0, self.index(place)).copy_(row)
            return
        if self.rows is None:
            self.rows = [self.whole.select(0, self.index(before)) for before in range(place)]
        self.rows.append(row)

    def index(self, place: int) -> int:
        return self.length - 1 - place if self.reverse else place

    def finish(self) -> Any:
        """Return all rows in one tensor."""
        if self.rows is None:
            return self.whole
        return stack(self.rows[::-1] if self.reverse else self.rows)
