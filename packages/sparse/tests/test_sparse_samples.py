"""The sample table: values against strided computation, derivatives of both modes and orders, and what it lacks."""

from __future__ import annotations

from dataclasses import replace

import pytest
import wengert as wg
from wengert.autograd import gradcheck, gradgradcheck
from wengert_sparse.compressed import kernels as compressed
from wengert_sparse.compressed.functions import REFUSED as NEEDS_ALL_ELEMENTS
from wengert_sparse.coo import kernels as coo
from wengert_sparse.functions import FUNCTIONS
from wengert_sparse.plugin import COMPRESSED as COMPRESSED_LAYOUTS
from wengert_sparse.plugin import COO as COO_LAYOUT

from .sparse_cases import BLOCKS, COMPRESSED, LAYOUTS
from .sparse_samples import CASES, OPS, PATTERNS, RECORDED, REFUSED, M, as_strided

COO = wg.sparse_coo
GradcheckError = wg.autograd.gradcheck.GradcheckError
TOLERANCES = {wg.float32: {"rtol": 1e-4, "atol": 1e-5}, wg.complex64: {"rtol": 1e-4, "atol": 1e-5}}


OF_THE_HOST = pytest.mark.host("SciPy's matrices are memory of the host")


def rows_by_layout(select, patterns=PATTERNS):
    """A parameter for each row, each layout that it takes and each pattern of this layout."""
    return [
        pytest.param(
            case, layout, pattern, id=f"{place}-{case.op}-{layout._name}-{pattern}",
            marks=OF_THE_HOST if case.op.endswith("_scipy") else (),
        )
        for place, case in enumerate(CASES)
        for layout in case.layouts
        if select(case, layout)
        for pattern in patterns[layout]
    ]


BY_DERIVATIVES = {**PATTERNS, **dict.fromkeys(COMPRESSED, ("int64",))}


def several(results):
    return list(results) if isinstance(results, (list, tuple)) else [results]


def check_values(case, layout, pattern, dtype):
    for arguments in case.arguments_of(layout, pattern, dtype):
        found, expected = several(case.run(*arguments)), several(case.oracle(*as_strided(arguments)))
        assert len(found) == len(expected)
        for x, y in zip(found, expected, strict=True):
            if not isinstance(x, wg.Tensor):
                assert x == y
                continue
            if case.result is not None:
                assert x.layout is (layout if case.result == "same" else case.result)
            whole = as_strided(x)
            assert whole.shape == y.shape
            assert whole.dtype is y.dtype or (pattern == "int32" and whole.dtype is wg.int32)
            assert wg.allclose(whole, y.to(whole.dtype), equal_nan=True, **TOLERANCES.get(whole.dtype, {})), (whole, y)


@pytest.mark.parametrize(("case", "layout", "pattern"), rows_by_layout(lambda case, layout: True))
def test_values(case, layout, pattern):
    for dtype in case.dtypes or ("float64", "float32", *["complex128"] * case.complex):
        check_values(case, layout, pattern, dtype)


def flatten(case, arguments):
    """The function of the tensors among the arguments, those in lists too; and the tensors, which require grad."""
    every = [each for value in arguments for each in several(value)]

    def substitute(value, tensors):
        if isinstance(value, list):
            return [substitute(each, tensors) for each in value]
        return next(tensors) if isinstance(value, wg.Tensor) else value

    def function(*tensors):
        left = iter(tensors)
        return case.run(*[substitute(value, left) for value in arguments])

    return function, tuple(each.requires_grad_() for each in every if isinstance(each, wg.Tensor))


@pytest.mark.parametrize(("case", "layout", "pattern"), rows_by_layout(lambda case, layout: case.grad, BY_DERIVATIVES))
def test_masked_gradients(case, layout, pattern):
    for dtype in ("float64", *["complex128"] * case.complex):
        for arguments in case.arguments_of(layout, pattern, dtype):
            function, tensors = flatten(case, arguments)
            fast = pattern == "duplicates" or layout in (wg.sparse_csc, *BLOCKS)
            assert gradcheck(function, tensors, masked=True, check_forward_ad=True, fast_mode=fast)
            if dtype == "float64":
                assert gradgradcheck(
                    function,
                    tensors,
                    masked=True,
                    check_fwd_over_rev=True,
                    check_undefined_grad=False,  # tested by the first order
                    fast_mode=True,
                )


@pytest.mark.parametrize(
    ("case", "layout", "pattern"),
    rows_by_layout(lambda case, layout: case.grad_of(layout) in ("masked", "plain"), BY_DERIVATIVES),
)
def test_plain_gradients(case, layout, pattern):
    """The gradients are those of all elements where the row says so, and only there."""
    for arguments in case.arguments_of(layout, pattern):
        function, tensors = flatten(case, arguments)
        if case.grad_of(layout) == "plain":
            assert gradcheck(function, tensors, masked=False, check_forward_ad=True, fast_mode=True)
        else:
            with pytest.raises(GradcheckError):
                gradcheck(function, tensors, masked=False, fast_mode=True)


# ---- what the table leaves out


def names_by_layout():
    """The names of all kernels, functions and operations of the package, and for kernels the layouts that have them."""
    kernels = {(name, COO) for name in coo.KERNELS} | {(n, kind) for n in compressed.KERNELS for kind in COMPRESSED}
    return kernels, {*FUNCTIONS, *OPS}


def test_every_operation_has_a_row():
    kernels, others = names_by_layout()
    rows = {(case.op, layout) for case in CASES for layout in case.layouts}
    names = {name for name, _ in rows}
    assert kernels - rows == set()
    assert others - names == {*RECORDED, *REFUSED, *NEEDS_ALL_ELEMENTS}
    assert set(RECORDED.values()) <= names


def test_every_row_is_of_an_operation():
    kernels, others = names_by_layout()
    assert {case.op for case in CASES} - {name for name, _ in kernels} - others == set()


def first_layout(arguments):
    """The layout of the first sparse tensor among the arguments of a call."""
    tensors = [each for value in arguments for each in several(value) if isinstance(each, wg.Tensor)]
    return next((each.layout for each in tensors if each.layout is not wg.strided), COO)


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
def test_rows_reach_the_kernels_of_their_names(layout, monkeypatch):
    """A name in the table of kernels, or of functions, is looked up by a row of this name, and by this layout."""
    reached = set()

    def spy(table):
        def watch(name, function):
            def call(*arguments):
                reached.add((name, first_layout(arguments)))
                return function(*arguments)

            return call

        return {name: watch(name, function) for name, function in table.items()}

    plugin = COO_LAYOUT if layout is COO else COMPRESSED_LAYOUTS
    for table in ("kernels", "functions"):
        monkeypatch.setattr(type(plugin), table, spy(getattr(plugin, table)))
    for case in CASES:
        for arguments in case.arguments_of(layout, PATTERNS[layout][0]) if layout in case.layouts else ():
            case.run(*arguments)
            if case.grad:
                function, tensors = flatten(case, arguments)
                function(*tensors)
    expected = {(case.op, layout) for case in CASES if layout in case.layouts and case.op in plugin.kernels}
    assert expected - reached == set()


def test_layouts_without_a_row_are_refused():
    """A layout for which an operation has no row is one that it does not take."""
    taken = {(case.op, layout) for case in CASES for layout in case.layouts}
    accepted = set()
    for case in CASES:
        matrices = replace(case, inputs=[given for given in case.inputs if any(each is M for each in given)])
        for layout in LAYOUTS:
            if (case.op, layout) in taken:
                continue
            for arguments in matrices.arguments_of(layout, PATTERNS[layout][0]):
                try:
                    case.run(*arguments)
                except (RuntimeError, ValueError):  # NotImplementedError is a RuntimeError
                    continue
                accepted.add((case.op, layout._name))
    assert accepted == set()


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize("name", REFUSED)
def test_refused_functions(name, layout):
    x = wg.eye(2).to_sparse(layout=layout, blocksize=(1, 1) if layout in BLOCKS else None)
    with pytest.raises(RuntimeError, match=r"is unsupported for Sparse\w* tensors|not implemented for sparse layout"):
        REFUSED[name](x)


@pytest.mark.parametrize("layout", LAYOUTS, ids=repr)
@pytest.mark.parametrize("name", NEEDS_ALL_ELEMENTS)
def test_functions_of_all_elements_are_refused(name, layout):
    x = wg.eye(2).to_sparse(layout=layout, blocksize=(1, 1) if layout in BLOCKS else None)
    if name in ("bitwise_and", "bitwise_or", "bitwise_xor"):
        x = x.to(wg.int64)
    function = wg.nn.functional.softplus if name == "softplus" else getattr(wg, name, None)
    function = getattr(wg.nn.functional, name) if function is None else function
    binary = {"eq", "ne", "lt", "le", "gt", "ge", "maximum", "minimum", "fmax", "fmin", "fmod", "remainder", "atan2",
              "hypot", "xlogy", "logaddexp", "copysign", "nextafter", "heaviside", "bitwise_and", "bitwise_or",
              "bitwise_xor"}  # fmt: skip
    rest = {"lerp": (x, 0.5), "clamp": (0.0, 1.0)}.get(name, (x,) if name in binary else ())
    with pytest.raises(RuntimeError, match=r"unsupported tensor layout|Could not run"):
        function(x, *rest)
