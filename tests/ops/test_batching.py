"""Batching rules, called directly: what a rule gives for a batch is what the op gives for each sample."""

from __future__ import annotations

import ast
import itertools
import warnings

import numpy as np
import pytest
import wengert_core as wc
import wengert_engine as we
from wengert_core.dispatch.op import Op
from wengert_core.tensors.tensor import Tensor
from wengert_formulas.batching import Call, find
from wengert_testing.calls import as_tuple, contiguous, inplace_of, is_floating, op_of
from wengert_testing.case import Fixed, Sample
from wengert_testing.samples import CASES

SIZE = 3
LOOPED = {"bincount", "histc", "_histogram", "_histogramdd"}
"""Ops without a rule: they are run for each sample."""
ELSEWHERE = {"copy_", "fill", "fill_", "zero_", "index", "index_put", "index_put_"}
"""Ops of these families whose rules are tested with those of views and pointwise ops."""
DYNAMIC = {"_unique", "_unique_consecutive", "nonzero", "masked_select"}
"""Ops whose results' shapes depend on the data."""
RANDOM = {"bernoulli", "multinomial", "poisson", "binomial", "_normal", "_normal_of_std"}
FAMILIES = {"along", "staged", "array", "attention", "class_loss", "convolution", "normalization", "padding", "pooling",
            "softmax", "indexing"}
SORTED = {"_searchsorted"}
"""Ops whose first argument must stay in order."""


def has_rule(case):
    op = op_of(case)
    return op is not None and op.family in FAMILIES and op.name not in LOOPED | DYNAMIC | RANDOM | ELSEWHERE


ROWS = [case for case in CASES if has_rule(case)]


def defaults_of(op):
    """The defaults that an op's schema names."""
    found = {}
    for part in op.schema[op.schema.index("(") + 1 : op.schema.index(") ->")].split(", "):
        if "=" in part:
            name, text = part.split(" ")[-1].split("=")
            found[name] = ast.literal_eval(text) if text not in ("inf", "-inf") else float(text)
    return found


def variant(array, i, op):
    """The numbers of sample i: the same in another order, so that indices stay indices."""
    if op.name in SORTED:
        return array + np.asarray(i, array.dtype) * (array.dtype.kind == "f")
    if op.name == "_embedding_bag" and array.dtype.kind == "i" and (np.diff(array) >= 0).all():
        return np.minimum(array, array[-1] - i)  # where bags start
    return np.roll(array.reshape(-1), i).reshape(array.shape)


def sample_of(sample, i, op):
    def change(value):
        if isinstance(value, np.ndarray):
            return variant(value, i, op)
        return type(value)(change(v) for v in value) if isinstance(value, (list, tuple)) else value

    return Sample(tuple(map(change, sample.args)), {k: change(v) for k, v in sample.kwargs.items()})


def bind(case, sample, op):
    """The arguments of a sample by parameter name, as arrays and other values."""
    arguments = case.arguments(sample.args)
    found = {**defaults_of(op), **dict(zip(op.params, arguments, strict=False)), **sample.kwargs}
    return {name: value for name, value in found.items() if name != "out"}


def choices(names):
    """Which tensors are batched: all, each alone, all but the first; of few every subset."""
    if len(names) <= 3:
        return [c for k in range(len(names), 0, -1) for c in itertools.combinations(names, k)]
    return [names, names[1:], *[(name,) for name in names]]


def is_array(value):
    return isinstance(value, (np.ndarray, np.generic))


def stack_samples(samples, chosen, change):
    """(values, batched) of a batch of samples, of which the chosen arguments differ."""
    values = {}
    for name, value in samples[0].items():
        if name in chosen:
            kind = type(value) if isinstance(value, np.ndarray) else np.ndarray
            values[name] = change(np.stack([s[name] for s in samples]).view(kind))
        else:
            values[name] = change(np.asanyarray(value)) if is_array(value) else value
    return values, {name: name in chosen for name in values}


def slices(values, batched, i):
    """Sample i, in memory of its own: as_strided_scatter counts from its start."""
    return {k: v.select(0, i).clone() if batched[k] else v for k, v in values.items()}


def loop_results(case, op, values, batched):
    """What a loop over the batch gives."""
    each = [case.results(op(**slices(values, batched, i))) for i in range(SIZE)]
    return [wc.stack(parts) for parts in zip(*each, strict=True)]


def ruled_results(case, op, values, batched):
    """What the rule gives, as far as it is determined."""
    outputs = as_tuple(find(op)(Call(op, SIZE, values, batched)))
    if case.invariant is None:
        return outputs
    each = [case.results(tuple(x.select(0, i) for x in outputs)) for i in range(SIZE)]
    return [wc.stack(parts) for parts in zip(*each, strict=True)]


def batches(case, op, dtype, change=contiguous):
    """All batches of a case: the arguments that are batched vary."""
    for sample in case.samples(dtype):
        samples = [bind(case, sample_of(sample, i, op), op) for i in range(SIZE)]
        for chosen in choices([name for name, value in samples[0].items() if is_array(value)]):
            values, batched = stack_samples(samples, chosen, change)
            yield f"{op.name}{sample!r}, batched: {', '.join(chosen)}", values, batched


def assert_same(got, expected, label):
    assert len(got) == len(expected), label
    for y, e in zip(got, expected, strict=True):
        assert y.dtype is e.dtype, f"{label}: {y.dtype}, expected {e.dtype}"
        assert tuple(y.shape) == tuple(e.shape), f"{label}: {tuple(y.shape)}, expected {tuple(e.shape)}"
        np.testing.assert_allclose(y.detach().numpy(), e.detach().numpy(), rtol=1e-9, atol=1e-11, err_msg=label)


@pytest.fixture(autouse=True)
def beta():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="index_reduce")
        yield


@pytest.mark.parametrize("case", ROWS, ids=str)
def test_a_rule_gives_what_a_loop_gives(case):
    op = op_of(case)
    for dtype in ("float64", "complex128") if case.complex else ("float64",):
        for label, values, batched in batches(case, op, dtype):
            got = ruled_results(case, op, values, batched)
            assert_same(got, loop_results(case, op, values, batched), label)


@pytest.mark.parametrize("case", [case for case in ROWS if inplace_of(case)], ids=str)
def test_the_rule_of_an_op_in_place_writes_into_its_first_argument(case):
    op = inplace_of(case)
    rule = find(op)
    for label, values, batched in batches(case, op_of(case), "float64"):
        if not batched["self"] or loop_results(case, op.out_of_place, values, batched)[0].shape != values["self"].shape:
            continue
        expected = loop_results(case, op, {**values, "self": values["self"].clone()}, batched)
        got = rule(Call(op, SIZE, values, batched))
        assert got is values["self"], label
        assert_same((got,), expected, label)


# ---- gradients
def leaf(array):
    """A tensor that requires a gradient where it may have one."""
    tensor = contiguous(array)
    return tensor.requires_grad_() if is_floating(tensor) and not isinstance(array, Fixed) else tensor


def gradients(outputs, values):
    """Of a weighted sum of the outputs by the arguments."""
    leaves = [v for v in values.values() if isinstance(v, Tensor) and v.requires_grad]
    roots = [y for y in outputs if y.requires_grad]
    if not roots or not leaves:
        return []
    weights = [wc.arange(1.0, y.numel() + 1).cos().to(y.dtype).reshape(y.shape) for y in roots]
    grads = we.grad(roots, leaves, weights, allow_unused=True)
    return [wc.zeros_like(x) if g is None else g for g, x in zip(grads, leaves, strict=True)]


@pytest.mark.parametrize("case", [case for case in ROWS if case.grad], ids=str)
def test_gradients_through_a_rule_are_those_of_a_loop(case):
    op = op_of(case)
    for dtype in ("float64", "complex128") if case.complex else ("float64",):
        for label, values, batched in batches(case, op, dtype, change=leaf):
            expected = gradients(loop_results(case, op, values, batched), values)
            got = gradients(ruled_results(case, op, values, batched), values)
            assert_same(got, expected, f"gradients of {label}")


def test_every_op_of_these_families_has_a_rule():
    ops = {op.name: op for op in wc.TABLE.ops.values() if isinstance(op, Op) and op.family in FAMILIES}
    missing = {name for name, op in ops.items() if find(op) is None} - LOOPED - ELSEWHERE - RANDOM
    assert missing == set()
    tested = {op_of(case).name for case in ROWS} | DYNAMIC | RANDOM | LOOPED | ELSEWHERE
    assert {name for name, op in ops.items() if not op.is_inplace} - tested == set()
