"""Arguments of a wrong kind: the error names the function and the argument, whatever the function does inside.

The types of the exceptions and the phrases were recorded from PyTorch 2.13, but for what it leaks itself (noted there).
"""

from __future__ import annotations

import inspect
import resource
import subprocess
import sys
from typing import Any

import pytest
import wengert_core as wc
from wengert_core.binding.schema import parse_schema
from wengert_core.dispatch.argument_errors import restate_error
from wengert_core.dispatch.op import Op
from wengert_core.optable.core_table import TABLE

X = wc.tensor([1.0, 4.0, 9.0])
NESTED: list[object] = []
for _ in range(5000):
    NESTED = [NESTED]
GOOD: dict[str, Any] = {
    "Tensor": X, "Any": X, "Scalar": 2.0, "int": 1, "int[]": (1,), "bool": True, "float": 1.0, "dtype": wc.float32,
    "str": "mean", "Tensor[]": [X, X], "object": X,
}  # fmt: skip
WRONG = [None, "x", object(), {}, lambda: 1, int, b"a", ...]
NOT_A_TENSOR = {"broadcast_shapes", "einsum", "normal"}  # sizes, an equation, a number as well: their first arguments


def required_arguments(function: Any) -> list[tuple[str, str]]:
    """(name, kind) of the arguments that a call must have, the first of them a tensor; else an empty list."""
    function = getattr(function, "func", function)
    if isinstance(function, Op):
        params = [(p[0], p[1]) for p in parse_schema(function.schema)[1] if p[5] and not p[4]]
        return params if params and params[0][1] in ("Tensor", "Any", "Tensor[]") else []
    found = [p for p in inspect.signature(function).parameters.values()
             if p.default is p.empty and p.kind is not p.KEYWORD_ONLY]  # fmt: skip
    if not found or found[0].name in ("n", "size", "M", "window_length"):
        return []
    return [(p.name, str(p.annotation)) for p in found if p is found[0] or p.kind is not p.VAR_POSITIONAL]


FUNCTIONS = {name: required_arguments(TABLE.ops[name]) for name in sorted(TABLE.ops)
             if not name.rpartition(".")[2].startswith("_") and name not in NOT_A_TENSOR}  # fmt: skip
FUNCTIONS = {name: params for name, params in FUNCTIONS.items() if params}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_another_object_for_the_first_tensor_is_a_type_error(name):
    (first, _), *rest = FUNCTIONS[name]
    function = TABLE.ops[name]
    called = {name.rpartition(".")[2], getattr(getattr(function, "func", function), "__name__", "")}  # divide is div
    shown = "input" if first == "self" else first
    for wrong in WRONG:
        with pytest.raises(TypeError) as caught:
            function(wrong, *(GOOD.get(kind, X) for _, kind in rest))
        text = str(caught.value)
        assert any(f"{one}()" in text for one in called), text
        assert f"'{shown}'" in text or f"'{first}'" in text, text


def test_nearly_all_functions_are_looked_at():
    assert len(FUNCTIONS) > 700


WORDS = [  # call, exception, phrase; of torch where it does not leak itself
    (lambda: wc.add(int, 2), TypeError, r"add\(\)"),
    (lambda: X.add(int), TypeError, r"add\(\): argument 'other' \(position 2\) must be Tensor, not type"),
    (lambda: X.sum([None]), TypeError, r"sum\(\)"),
    (lambda: X.std(correction=1j), TypeError, r"std\(\)"),
    (lambda: X.diff(prepend=-1), TypeError, r"diff\(\)"),
    (lambda: X.cov(fweights=-1), TypeError, r"cov\(\)"),
    (lambda: X.msort(out=-1), TypeError, r"msort\(\)"),
    (lambda: X.float_power(2, out=-1), TypeError, r"float_power\(\)"),
    (lambda: X.histogram(4, range=-1), TypeError, r"histogram\(\)"),
    (lambda: X.histogram(4, range={}), (TypeError, ValueError), r"histogram\(\)"),
    (lambda: X.norm(dtype=-1), TypeError, r"norm\(\)"),
    (lambda: X.clone(memory_format=-1), TypeError, r"clone\(\): argument 'memory_format' must be torch\.memory_format"),
    (lambda: wc.softmax(X, 0, -1), TypeError, r"softmax\(\): argument 'dtype' must be torch\.dtype, not int"),
    (lambda: wc.float_power(None, X), TypeError, r"float_power\(\)"),
    (lambda: wc.hstack([X], out=1j), TypeError, r"hstack\(\)"),
    *[(lambda f=f: f(range(2**40)), TypeError, r"argument .tensors. \(position 1\) must be tuple of Tensors, not range")
      for f in (wc.hstack, wc.vstack, wc.dstack, wc.column_stack, TABLE.ops["linalg.multi_dot"])],
    (lambda: TABLE.ops["fft.hfft"](X, out=-1), TypeError, r"hfft\(\)"),
    (lambda: wc.conv1d(X[None], X[None, None], padding=None), TypeError, r"conv1d\(\)"),
    (lambda: wc.cat([None]), TypeError, r"expected Tensor as element 0 in argument 0, but got NoneType; cat\(\)"),
    (lambda: wc.block_diag(X, None), TypeError, "expected Tensor as element 1 in argument 0, but got NoneType; block"),
    (lambda: wc.can_cast(None, None), TypeError, r"can_cast\(\): argument 'from_' must be torch\.dtype, not NoneType"),
    (lambda: wc.finfo(None), TypeError, r"finfo\(\): argument 'type' must be torch\.dtype, not NoneType"),
    (lambda: wc.finfo("x"), TypeError, r"finfo\(\): argument 'type' must be torch\.dtype, not str"),
    (lambda: wc.iinfo(-1), TypeError, r"iinfo\(\): argument 'type' must be torch\.dtype, not int"),
    (lambda: wc.device("cpu", "x"), TypeError, r"device\(\): argument 'index' \(position 2\) must be int, not str"),
    (lambda: wc.device("cpu", 2**70), ValueError, "Overflow when unpacking long long"),
    (lambda: wc.manual_seed(None), TypeError, r"manual_seed\(\): argument 'seed' must be int, not NoneType"),
    (lambda: wc.manual_seed("x"), ValueError, r"manual_seed\(\): argument 'seed' must be int, not str"),
    # its repr is refused before Python 3.13
    (lambda: X.sum_to_size(NESTED), RuntimeError, "} is not expandable to size"),
    (lambda: X.as_subclass(None), TypeError, r"cls must be a type \(got NoneType\)"),
    (lambda: wc.FloatTensor({}), TypeError, r"new\(\): data must be a sequence \(got dict\)"),
    (lambda: wc.FloatTensor(int), TypeError, r"new\(\): data must be a sequence \(got type\)"),
    (lambda: wc.LongTensor(2**70), TypeError, r"new\(\): argument 'size' failed to unpack the object at pos 1"),
    (lambda: wc.set_printoptions(profile={}), ValueError, r"set_printoptions\(\): profile must be one of"),
]


@pytest.mark.parametrize(("call", "kind", "phrase"), WORDS)
def test_errors_name_the_function_that_was_called(call, kind, phrase):
    with pytest.raises(kind, match=phrase):
        call()


# ---- windows
@pytest.mark.parametrize("name", [f"{name}_window" for name in ("bartlett", "blackman", "hamming", "hann", "kaiser")])
def test_options_of_windows_at_the_top(name):
    make = getattr(wc, name)
    for wrong in (3, "x", [], X):
        with pytest.raises(TypeError, match=name):
            make(4, dtype=wrong)
        with pytest.raises(TypeError, match=rf"{name}\(\): argument 'layout' must be torch\.layout"):
            make(4, layout=wrong)
    with pytest.raises(TypeError, match=name):
        make(4, device=[])
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        make(2**62)


@pytest.mark.parametrize("name", "bartlett blackman cosine exponential gaussian hann kaiser nuttall".split())
def test_options_of_signal_windows(name):
    make = TABLE.ops[f"signal.windows.{name}"]
    for wrong in (3, "x", [], int, wc.int64):
        with pytest.raises(ValueError, match="expects float32 or float64 dtypes, got"):
            make(4, dtype=wrong)
    for wrong in (3, "x", [], X):
        with pytest.raises(ValueError, match="is implemented for strided tensors only, got"):
            make(4, layout=wrong)
    with pytest.raises(RuntimeError, match="Storage size calculation overflowed"):
        make(2**62)


def test_coefficients_of_a_window_are_numbers():
    general_cosine = TABLE.ops["signal.windows.general_cosine"]
    for wrong in (3, X, "x"):
        with pytest.raises(TypeError, match="Coefficients must be a list/tuple"):
            general_cosine(4, a=wrong)
    with pytest.raises(TypeError, match="'a' must be numbers, not str at pos 1"):
        general_cosine(4, a=[1, "x"])


# ---- DLPack
@pytest.mark.parametrize("wrong", [{}, [], (), "x", 3, (None,), ("x", 0), object()])
def test_a_version_that_is_none(wrong):
    with pytest.raises(TypeError, match=r"argument 'max_version' must be a tuple of ints \(major, minor\) or None"):
        X.__dlpack__(max_version=wrong)  # torch: KeyError, IndexError or a TypeError of Python's


@pytest.mark.parametrize("wrong", [{}, "x", 3, object()])
def test_another_device_that_is_none(wrong):
    with pytest.raises(TypeError, match="argument 'dl_device' must be tuple of ints, not"):
        X.__dlpack__(dl_device=wrong)


@pytest.mark.parametrize("wrong", [{}, [], "x", True])
def test_a_stream_that_is_none(wrong):
    with pytest.raises(TypeError, match="stream must be ``int`` or ``none``"):
        X.__dlpack__(stream=wrong)


@pytest.mark.parametrize("wrong", [{}, [], "x", 3, 0])
def test_a_copy_that_is_no_bool(wrong):
    with pytest.raises(TypeError, match="argument 'copy' must be bool, not"):
        X.__dlpack__(copy=wrong)


def test_versions_as_they_are_asked_for():
    for version in (None, (0, 8), [0, 5]):
        assert '"dltensor"' in repr(X.__dlpack__(max_version=version))
    for version in ((1, 0), [1], (2**70, 0)):
        assert '"dltensor_versioned"' in repr(X.__dlpack__(max_version=version))


# ---- memory
MEMORY = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
import wengert_core as wc
x = wc.ones(2**10).expand(2**21, 2**10)
for call in (lambda: wc.ones(2**40), lambda: x.exp(), lambda: x + 1, lambda: x.sort(), lambda: wc.cat([x, x]),
             lambda: wc.combinations(wc.ones(2**17))):
    try:
        call()
    except MemoryError as error:
        assert isinstance(error, RuntimeError)  # which is torch's
        print(error)
"""


@pytest.mark.skipif(not hasattr(resource, "RLIMIT_AS"), reason="the system has no limit of the address space")
def test_memory_that_is_missing_names_bytes_call_and_shapes():
    done = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, timeout=100, check=True)
    lines = done.stdout.splitlines()
    expected = ["ones(1099511627776)", "exp(float32[2097152, 1024])", "add(float32[2097152, 1024], 1)",
                "sort(float32[2097152, 1024])", "cat(list)",
                "combinations(float32[131072])"]  # fmt: skip
    assert len(lines) == len(expected)
    for line, call in zip(lines, expected, strict=True):
        assert line.startswith("DefaultCPUAllocator: can't allocate memory")
        assert f"asked for by {call}" in line
    assert "you tried to allocate 4398046511104 bytes" in lines[0]


# ---- whose error it is
def test_errors_of_an_argument_s_own_code_are_not_touched():
    class Size:
        def __index__(self):
            raise TypeError("'NoneType' object is not iterable")

    for call in (lambda: X.sum(Size()), lambda: X.roll(Size()), lambda: X.reshape(Size())):
        with pytest.raises(TypeError) as caught:
            call()
        assert "'NoneType' object is not iterable" in str(caught.value) or "Size" in str(caught.value)


def test_an_error_that_says_what_it_should_stays():
    assert restate_error("f", TypeError("f(): argument 'x' must be int, not str")) is None
    assert restate_error("f", RuntimeError("'x' object has no attribute")) is None
    assert restate_error("f", TypeError("Coefficients must be a list/tuple")) is None
    assert isinstance(restate_error("f", AttributeError("'int' object has no attribute 'dim'")), TypeError)
    assert isinstance(restate_error("f", KeyError("x")), TypeError)
    assert isinstance(restate_error("f", IndexError("tuple index out of range")), IndexError)
    assert isinstance(restate_error("f", OverflowError("Python int too large to convert to C long")), ValueError)
    unnamed = TypeError("argument 'dtype' must be torch.dtype, not int")
    assert "f(): argument 'dtype' must be" in str(restate_error("f", unnamed))


def test_the_error_from_inside_is_the_cause():
    with pytest.raises(TypeError) as caught:
        X.histogram(4, range=-1)
    assert caught.value.__cause__ is not None
    assert "cannot unpack non-iterable int" in str(caught.value.__cause__)
