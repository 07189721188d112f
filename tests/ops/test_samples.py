"""The sample table leaves no argument out: each dim is also counted from the end, each keyword is given in some row."""

from __future__ import annotations

import functools
import inspect

import pytest
import wengert_core as wc
from wengert_core.dispatch.op import Op
from wengert_testing.samples import CASES

DIMS = set("dim dims dim0 dim1 dim2 start_dim end_dim destination axis0 axis1 dimension".split())
COMMON = (
    "out dtype device layout requires_grad pin_memory memory_format inplace "  # tested for all ops at once
    "size_average reduce "  # deprecated: tests/torch_parity/recorded/cases/loss/margins_and_ctc.txt
    "axis keepdims "  # NumPy's names: tests/torch_parity/recorded/cases/reduce/reductions.txt
    "_stacklevel generator"
).split()

NOT_FROM_THE_END = {
    "linalg.tensorsolve.dims": "tests/torch_parity/recorded/cases/linalg/least_squares_and_norms.txt",
    "tile.dims": "these dims are counts",
    "median.dim.dim": "what median calls with a dim, which has a row",
    "nanmedian.dim.dim": "what nanmedian calls with a dim, which has a row",
}
RANDOM = "random: packages/core/tests/test_distributions.py"
NOT_GIVEN = {
    **dict.fromkeys("bernoulli.p bernoulli_.p cauchy_.median cauchy_.sigma exponential_.lambd".split(), RANDOM),
    **dict.fromkeys("log_normal_.mean log_normal_.std normal_.mean normal_.std".split(), RANDOM),
    "multinomial.replacement": RANDOM,
    **dict.fromkeys("randint.size randint_like.high random_.from random_.to uniform_.from uniform_.to".split(), RANDOM),
    "rrelu.training": RANDOM,
    "nn.functional.rrelu.training": RANDOM,
    "rrelu.lower": RANDOM,
    "rrelu.upper": RANDOM,
    "nn.functional.rrelu.lower": RANDOM,
    "nn.functional.rrelu.upper": RANDOM,
    "asarray.copy": "whether memory is shared is not a value: tests/torch_parity/recorded/cases/interop/arrays.txt",
    "frombuffer.count": "takes a buffer, no tensor: tests/torch_parity/recorded/cases/interop/arrays.txt",
    "frombuffer.offset": "takes a buffer, no tensor: tests/torch_parity/recorded/cases/interop/arrays.txt",
    **dict.fromkeys(
        "set_.storage_offset set_.size set_.stride".split(),
        "set_ changes what a tensor is: tests/torch_parity/recorded/cases/view/writes_and_casts.txt",
    ),
    "linalg.svd.driver": "for CUDA alone; linalg.svdvals, which hands it on, has a row",
    "linalg.tensorsolve.dims": "tests/torch_parity/recorded/cases/linalg/least_squares_and_norms.txt",
    "linalg_pinv.hermitian": "what linalg.pinv calls, which has a row",
    "qr.some": "deprecated: hands on to linalg.qr, whose mode has a row",
    "svd.compute_uv": "deprecated: hands on to linalg.svd",
    "signal.windows.exponential.center": (
        "takes no tensor: tests/torch_parity/recorded/cases/signal/stft_and_windows.txt"
    ),
    "tile.dims": "any number of positional arguments, which rows have",
    "nn.functional.multi_head_attention_forward.need_weights": (
        "gives None in place of a tensor: tests/torch_parity/recorded/cases/nn/attention.txt"
    ),
    "nn.functional.triplet_margin_with_distance_loss.distance_function": (
        "takes a function: tests/torch_parity/recorded/cases/loss/margins_and_ctc.txt"
    ),
}


def parameters(op):
    """(name, position or None, whether it has a default) of each parameter."""
    found = []
    if isinstance(op, Op):
        inside = op.schema[op.schema.index("(") + 1 : op.schema.rindex(") ->")]
        only_by_name = False
        for text in filter(None, inside.split(", ")):
            only_by_name = only_by_name or text == "*"
            if text != "*":
                name, _, default = text.split(" ", 1)[1].partition("=")
                found.append((name, None if only_by_name else len(found), bool(default)))
        return found
    for p in inspect.signature(op).parameters.values():
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD):
            found.append((p.name, None if p.kind == p.KEYWORD_ONLY else len(found), p.default is not p.empty))
    return found


def values_by_parameter(name):
    """Of an op's parameters what the rows give: {parameter: values}."""
    samples = [s for case in CASES if case.op == name for s in case.samples("float64")]
    values = {}
    for parameter, place, _ in parameters(wc.TABLE.ops[name]):
        values[parameter] = [s.kwargs[parameter] for s in samples if parameter in s.kwargs]
        if place is not None:
            values[parameter] += [s.args[place] for s in samples if place < len(s.args)]
    return values


def is_public(name, op):
    return not (isinstance(op, functools.partial) or name.startswith("_") or name.endswith("_backward"))


WITH_ROWS = {case.op for case in CASES}
OPS = sorted(name for name, op in wc.TABLE.ops.items() if name in WITH_ROWS and is_public(name, op))


def from_the_end(value):
    return any(map(from_the_end, value)) if isinstance(value, (list, tuple)) else type(value) is int and value < 0


@pytest.mark.parametrize("name", OPS)
def test_each_dim_is_counted_from_the_end_in_some_row(name):
    values = values_by_parameter(name)
    missing = {p for p in DIMS & set(values) if not any(map(from_the_end, values[p]))}
    assert missing == {p for p in values if f"{name}.{p}" in NOT_FROM_THE_END}


@pytest.mark.parametrize("name", OPS)
def test_each_keyword_is_given_in_some_row(name):
    optional = {p for p, _, has_default in parameters(wc.TABLE.ops[name]) if has_default and p not in COMMON}
    values = values_by_parameter(name)
    assert {p for p in optional if not values[p]} == {p for p in values if f"{name}.{p}" in NOT_GIVEN}


def test_exceptions_are_of_ops():
    known = {f"{name}.{p}" for name in OPS for p, _, _ in parameters(wc.TABLE.ops[name])}
    assert (set(NOT_FROM_THE_END) | set(NOT_GIVEN)) - known == set()
