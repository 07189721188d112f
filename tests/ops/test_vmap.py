"""vmap of every row of the sample table gives what a loop over the batch gives."""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor
from wengert_formulas.batching import find
from wengert_functional.vmap import vmap
from wengert_testing.calls import contiguous, function_of, op_of
from wengert_testing.case import Fixed, OpCase, Sample
from wengert_testing.samples import CASES

SIZE = 3
SORTED = {"_searchsorted", "searchsorted", "bucketize", "trapezoid", "trapz", "cumulative_trapezoid", "gradient"}
"""Ops with an argument that must stay in order, or close to what it is."""
DYNAMIC = "dynamic shape"
MEMORY = "is not possible: its memory is shared by the batch"
UNBATCHED_SELF = "`self` not being vmapped over"
REFUSES = {
    "allclose": "vmap over torch.allclose", "embedding_renorm_": DYNAMIC,
    "unique": DYNAMIC, "_unique": DYNAMIC, "unique_consecutive": DYNAMIC,
    "_unique_consecutive": DYNAMIC, "nonzero": DYNAMIC, "argwhere": DYNAMIC, "index": DYNAMIC, "index_put": DYNAMIC,
    "masked_select": "vmap over `mask`", "resize_": MEMORY, "resize_as_": MEMORY, "set_": f"{MEMORY}|{UNBATCHED_SELF}",
    "copy_": UNBATCHED_SELF, "lobpcg": "^vmap: ",
    "nn.functional.one_hot": "explicit positive num_classes", "repeat_interleave": "stack expects each tensor",
    "nn.functional.embedding_bag": r"offsets\[0\] has to be 0", "embedding_bag": r"offsets\[0\] has to be 0",
    "_embedding_bag": r"offsets\[0\] has to be 0|offsets have to begin with 0",
}
"""What ops say to some of these batches: the shape of the result would depend on the values, as torch says, too."""
UNSET = {"empty_like", "new_empty", "new_empty_strided"}
"""Ops whose results have any values."""
WITHOUT = {
    "bincount", "histc", "_histogram", "_histogramdd",  # called for each element, with a warning, as in torch
    "empty", "zeros", "ones", "empty_strided", "tril_indices", "triu_indices", "frombuffer",  # take no tensors
    "linspace", "logspace",  # ends may be tensors: called for each element
}


class Leaves:
    """The arrays of a sample, one after the other, and the call with others in their places."""

    def __init__(self, case: OpCase, sample: Sample) -> None:
        self.case, self.sample = case, sample
        self.arrays: list[Any] = []
        self.walk((sample.args, sample.kwargs), self.arrays.append)

    def walk(self, value: Any, visit: Any) -> Any:
        if isinstance(value, np.ndarray):
            return visit(value)
        if isinstance(value, dict):
            return {key: self.walk(part, visit) for key, part in value.items()}
        return type(value)(self.walk(part, visit) for part in value) if isinstance(value, (list, tuple)) else value

    def call(self, function: Any, tensors: Any) -> tuple[Any, ...]:
        """The results of the op on tensors in place of the arrays."""
        rest = iter(tensors)
        args, kwargs = self.walk((self.sample.args, self.sample.kwargs), lambda _: next(rest))
        outputs = function(*self.case.arguments(args), **kwargs)
        return tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)


def batch_of(case: OpCase, array: Any) -> Any:
    """The numbers of a batch: the same in another order for each element, so that indices stay indices."""
    if case.op in SORTED:
        step = np.asarray(1, array.dtype) if array.dtype.kind in "fc" else np.asarray(0, array.dtype)
        rows = [array + i * step for i in range(SIZE)]
    else:
        rows = [np.roll(array.reshape(-1), i).reshape(array.shape) for i in range(SIZE)]
    kind = type(array) if isinstance(array, Fixed) else np.ndarray
    return np.stack(rows).view(kind)


def choices(n: int) -> list[tuple[int, ...]]:
    """Which arrays are batched: all, the first alone, all but the first."""
    found = [tuple(range(n)), *[(i,) for i in range(n)], tuple(range(1, n))]
    return [c for c, _ in itertools.groupby(found) if c]


def check(case: OpCase, dtype: str, dim: int = 0, nested: bool = False) -> None:
    """vmap against a loop; dim: where the batch is; nested: two levels."""
    function = function_of(case.op)
    for sample in case.samples(dtype):
        leaves = Leaves(case, sample)
        for chosen in choices(len(leaves.arrays)):
            tensors = [contiguous(batch_of(case, array) if i in chosen else array)
                       for i, array in enumerate(leaves.arrays)]
            label = f"{case.op}{sample!r}, batched: {chosen}"
            try:
                got = run_vmap(leaves, function, [t.clone() for t in tensors], chosen, dim, nested)
            except RuntimeError as error:
                assert re.search(REFUSES.get(case.op, "^$"), str(error)), f"{label}: {error}"  # noqa: PT017
                continue
            for k in range(SIZE):
                own = [(t[k] if i in chosen else t).clone() for i, t in enumerate(tensors)]
                expected = case.results(leaves.call(function, own))
                compare(case.results(tuple(out[k] for out in got)), expected, label, dtype)


def run_vmap(leaves: Leaves, function: Any, tensors: list[Any], chosen: tuple[int, ...], dim: int, nested: bool) -> Any:
    """The results of vmap."""
    in_dims = tuple(0 if i in chosen else None for i in range(len(tensors)))

    def call(*values: Any) -> tuple[Any, ...]:
        return leaves.call(function, values)

    if nested:
        doubled = [wc.stack([t, t], 1) if i in chosen else t for i, t in enumerate(tensors)]
        outer = tuple(1 if i in chosen else None for i in range(len(tensors)))
        return [out.select(1, 1) for out in vmap(vmap(call, in_dims), outer, 1)(*doubled)]
    if dim:
        tensors = [t.movedim(0, -1) if i in chosen else t for i, t in enumerate(tensors)]
        in_dims = tuple(-1 if i in chosen else None for i in range(len(tensors)))
    return vmap(call, in_dims)(*tensors)


def compare(got: Any, expected: Any, label: str, dtype: str) -> None:
    assert len(got) == len(expected), label
    for y, e in zip(got, expected, strict=True):
        if not isinstance(e, Tensor):
            assert y == e, label
            continue
        assert y.dtype is e.dtype, f"{label}: {y.dtype}, expected {e.dtype}"
        assert tuple(y.shape) == tuple(e.shape), f"{label}: {tuple(y.shape)}, expected {tuple(e.shape)}"
        if label.split("(")[0] not in UNSET:
            np.testing.assert_allclose(y.numpy(), e.numpy(), rtol=1e-9, atol=1e-11, err_msg=label)


def is_random(case: OpCase) -> bool:
    op = op_of(case)
    return "generator" in (op.params if op is not None else ()) or case.op == "normal"


def has_arrays(case: OpCase) -> bool:
    return any(Leaves(case, sample).arrays for sample in case.samples("float64"))


NO_TENSORS = {"equal", "histogramdd"}
"""Ops whose results are no tensors, or have tuples of tensors in them: _histogramdd is what the latter calls."""
OPS = [case for case in CASES if has_arrays(case) and not is_random(case) and case.op not in NO_TENSORS]


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        for start in {case.warns for case in CASES if case.warns}:
            warnings.filterwarnings("ignore", start)
        names = "bincount|histc|_histogram|ctc_loss|embedding_bag|repeat_interleave"
        warnings.filterwarnings("ignore", f"There is a performance drop.*({names})")
        yield


@pytest.mark.parametrize("case", OPS, ids=str)
def test_vmap_gives_what_a_loop_gives(case):
    check(case, "float64")


@pytest.mark.parametrize("case", [case for case in OPS if case.complex], ids=str)
def test_vmap_of_complex_numbers(case):
    check(case, "complex128")


@pytest.mark.parametrize("case", OPS, ids=str)
def test_vmap_over_the_last_dim(case):
    check(case, "float64", dim=-1)


@pytest.mark.parametrize("case", OPS, ids=str)
def test_vmap_of_vmap(case):
    check(case, "float64", nested=True)


def test_every_op_has_a_rule_or_is_called_for_each_element():
    ops = {name: op for name, op in wc.TABLE.ops.items() if isinstance(op, Op) and op.family != "composite"}
    missing = {name for name, op in ops.items() if find(op) is None}
    assert missing - WITHOUT == set()
    assert WITHOUT - missing == set(), "these have a rule"
