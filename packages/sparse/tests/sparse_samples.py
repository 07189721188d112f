"""The sample table of sparse operations: at least one row for each operation and each layout that it takes.

A row has the arguments of calls, the same computation on strided tensors, and which derivatives there are.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import wengert as wg
import wengert_core as wc
from wengert_sparse.table import load
from wengert_sparse.unary import UNARY
from wengert_testing.case import Maker as StridedMaker
from wengert_testing.case import OpCase, T

from .sparse_cases import BLOCKS, COMPRESSED, LAYOUTS, build, random_pattern

COO, CSR, CSC, BSR, BSC = LAYOUTS
PATTERNS = {COO: ("coalesced", "duplicates"), **dict.fromkeys(COMPRESSED, ("int64", "int32"))}
OPS = load().ops
SAME, STRIDED = "same", wg.strided
LAYOUT = "the layout of the row"


class S(T):
    """Stands for a sparse tensor of the layout that a row is tested for.

    dense: how many of the last dims are dense.   share: of the elements, those that are specified.   same: whether
    they are at the same places in all matrices of a batch, as other layouts need it.
    pool: the only values that there are.   domain, dtype: as of T.
    """

    def __init__(
        self,
        *shape: int,
        dense: int = 0,
        share: float = 0.4,
        same: bool = False,
        pool: Sequence[float] = (),
        **options: Any,
    ) -> None:
        super().__init__(*shape, **options)
        for name, value in (("dense", dense), ("share", share), ("same", same), ("pool", pool)):
            object.__setattr__(self, name, value)


M = S(4, 3)
N = S(3, 4)
FULL = S(4, 3, share=1)
HYBRID = S(4, 2, 2, dense=1)
BATCH = S(2, 4, 3)
EQUAL = S(2, 4, 3, same=True)
BATCHES = S(2, 2, 4, 3, same=True)


class Maker(StridedMaker):
    """Makes the tensors of one sample of a layout."""

    def __init__(self, case: SparseCase, dtype: str, seed: int, layout: Any, pattern: str) -> None:
        super().__init__(case, dtype, seed)
        self.layout, self.pattern = layout, pattern

    def make(self, value: Any) -> Any:
        """An argument: its sparse tensor, its strided one, or itself."""
        if value is LAYOUT:
            return self.layout
        if isinstance(value, list) and value and isinstance(value[0], T):
            return [self.make(each) for each in value]
        if not isinstance(value, T):
            return value
        array = self.array(value)
        if not isinstance(value, S):
            return wg.tensor(array)
        if value.pool:
            array = self.random.choice(np.array(value.pool), array.shape).astype(array.dtype)
        specified = random_pattern(self.random, self.layout, value.shape, value.dense, value.share)
        if value.same:
            specified = np.broadcast_to(specified[:1], specified.shape)
        return build(self.layout, array, specified, self.pattern, self.random)


def as_strided(value: Any) -> Any:
    """An argument or a result with strided tensors in place of sparse ones; numbers as tensors."""
    if isinstance(value, (list, tuple)):
        return [as_strided(each) for each in value]
    if isinstance(value, wg.Tensor):
        return value if value.layout is wg.strided else value.to_dense()
    return value


@dataclass
class SparseCase(OpCase):
    """A row: calls of one operation, for some layouts.

    op: the name in a table of kernels, functions or operations.   oracle: the computation on strided tensors.
    inputs: argument tuples, in which ``S(...)`` is a sparse tensor, ``T(...)`` a strided one, LAYOUT the layout.
    call: the computation on sparse tensors; by default the oracle.   layouts: those which the row is tested for.
    grad: "plain" where gradients are those of all elements; "masked" where they are right only at the elements that
    are specified; "coo" where the first holds for sparse_coo, and the compressed layouts have the second; "specified"
    where the result depends on which elements these are, so that there is no other gradient;
    False where there is none.   result: the layout of the results, SAME as the argument's.
    order: that of the highest derivative that is tested.   domain, kinks, complex, dtypes: as of OpCase.
    """

    grad: bool | str = "masked"
    call: Callable[..., Any] | None = None
    layouts: Sequence[Any] = LAYOUTS
    result: Any = SAME
    order: int = 2

    def grad_of(self, layout: Any) -> bool | str:
        """The kind of gradients that there are for a layout."""
        return self.grad if self.grad != "coo" else "plain" if layout is COO else "specified"

    def arguments_of(self, layout: Any, pattern: str, dtype: str = "float64") -> Iterator[list[Any]]:
        """The arguments of each call, the same in every run."""
        for place, values in enumerate(self.inputs):
            maker = Maker(self, dtype, zlib.crc32(f"{self.op} {place}".encode()), layout, pattern)
            yield [maker.make(value) for value in values]

    def run(self, *arguments: Any) -> Any:
        """The results for sparse tensors."""
        return (self.call or self.oracle)(*arguments)


def row(op: str, oracle: Any, *inputs: Any, **options: Any) -> SparseCase:
    """A row whose samples with a single argument need not be tuples."""
    return SparseCase(op, oracle, [given if isinstance(given, tuple) else (given,) for given in inputs], **options)


def method(name: str, *rest: Any) -> Callable[..., Any]:
    """The function that calls a method."""
    return lambda x, *given: getattr(x, name)(*given, *rest)


def write(name: str, *rest: Any) -> Callable[..., Any]:
    """The function that calls a method which writes, on a copy."""
    return lambda x, *given: getattr(x.clone(), name)(*given, *rest)


def dense_softmax(name: str) -> Callable[..., Any]:
    """Softmax of the elements that are not zero."""

    def compute(d: Any, dim: int) -> Any:
        there = d != 0
        return wg.where(there, getattr(wg.where(there, d, -np.inf), name)(dim), 0.0)

    return compute


def blocks(d: Any) -> Any:
    """A matrix as blocks of 2 x 1: (rows, columns, 2, 1)."""
    return d.reshape(d.shape[0] // 2, 2, d.shape[1], 1).transpose(1, 2)


def begins(mask: Any) -> Any:
    """The index where each row of a matrix of bools begins among those that are true, and the end."""
    return wg.cat([wg.zeros(1, dtype=wg.int64), mask.sum(1).cumsum(0)])


def pad_matrix(d: Any, *size: int) -> Any:
    """A matrix with zeros after its rows and columns."""
    return wg.nn.functional.pad(d, (0, size[1] - d.shape[1], 0, size[0] - d.shape[0]))


def eye_like(x: Any) -> Any:
    """4 on the diagonal, in the layout of a matrix."""
    return (wg.eye(x.shape[0], dtype=wg.float64) * 4).to_sparse(
        layout=x.layout, blocksize=(2, 1) if x.layout in BLOCKS else None
    )


def components(layout: Any) -> list[Any]:
    """Index tensors of a compressed layout that say where 3 elements are, of blocks of 1 x 1 in a block layout."""
    return [[0, 1, 3], [2, 0, 1]] if layout in (CSR, BSR) else [[0, 1, 3, 3], [1, 0, 1]]


def from_components(v: Any, layout: Any) -> Any:
    """A strided matrix of 2 x 3 with the elements that ``components`` says."""
    row, column = ([0, 1, 1], [2, 0, 1]) if layout in (CSR, BSR) else ([1, 0, 1], [0, 1, 1])
    return wg.zeros(2, 3, dtype=v.dtype).index_put((wg.tensor(row), wg.tensor(column)), v)


def block_values(v: Any, layout: Any) -> Any:
    """Three values as the values of a layout."""
    return v.reshape(3, 1, 1) if layout in BLOCKS else v


def constructor(layout: Any) -> SparseCase:
    """The row of the constructor of one compressed layout."""
    name = f"{layout._name}_tensor"
    return row(name, from_components, (T(3), LAYOUT), layouts=[layout], grad="plain", result=layout,
               call=lambda v, kind: getattr(wg, name)(*components(kind), block_values(v, kind), (2, 3)))  # fmt: skip


NOT_DIFFERENTIABLE = "isinf isnan isneginf isposinf signbit".split()
COMPLEX = "abs asin asinh atan atanh expm1 log1p neg sgn sin sinh sqrt tan tanh".split()
POSITIVE, SMALL = (0.1, 2.0), (-0.9, 0.9)
DOMAINS = {"sqrt": POSITIVE, "log1p": POSITIVE, "asin": SMALL, "atanh": SMALL, "erfinv": SMALL, "tan": SMALL}
INTEGERS = (-2.0, -1.0, 0.0, 1.0, 2.0)
KINKS = {**dict.fromkeys("ceil floor frac trunc".split(), INTEGERS), "round": (-1.5, -0.5, 0.5, 1.5),
         **dict.fromkeys("abs relu sgn sign".split(), (0.0,))}  # fmt: skip
# Functions with another slope at 0, or a jump, have gradients that are right at specified elements only.
FLAT = "abs deg2rad neg rad2deg round trunc".split()
UNARY_ROWS = [
    row(name, method(name), M, HYBRID, domain=DOMAINS.get(name, (-2.0, 2.0)), kinks=KINKS.get(name, ()),
        complex=name in COMPLEX, grad="plain" if name in FLAT else "masked")
    for name in UNARY if name not in (*NOT_DIFFERENTIABLE, "conj")
] + [
    row(name, method(name), S(4, 3, pool=(np.inf, -np.inf, np.nan, 1.5, -1.5)), grad=False)
    for name in NOT_DIFFERENTIABLE
] + [
    row("conj", method("conj"), S(4, 3, dtype="complex128"), grad="plain"),
    row("round", lambda x: x.round(decimals=1), M, kinks=np.arange(-2, 2, 0.05), grad=False),
]  # fmt: skip

POINTWISE = [
    row("add", wg.add, (M, M), (T(4, 3), M), (HYBRID, HYBRID), (T(4, 2, 2), HYBRID), complex=True, grad="coo",
        call=lambda a, b: a + b, result=None),
    row("add", lambda a, b: wg.add(a, b, alpha=3), (M, M), (T(4, 3), M), grad="coo", result=None),
    row("add", lambda a, b: a + b, (S(4, 3, share=0), M), (S(4, 3, share=1), M), grad="plain"),
    row("add", lambda a, b: b + a, (M, T(4, 3)), call=lambda a, b: a + b, grad="coo", result=STRIDED,
        layouts=COMPRESSED),
    row("add_", write("add_"), (M, M), (HYBRID, HYBRID), (T(4, 3), M), grad="coo", result=None),
    row("sub", wg.sub, (M, M), (T(4, 3), M), (HYBRID, HYBRID), complex=True, grad="coo", result=None),
    row("sub_", write("sub_"), (M, M), (HYBRID, HYBRID), (T(4, 3), M), grad="coo", result=None),
    row("mul", wg.mul, (M, 2.5), (HYBRID, 2.5), complex=True, grad="plain"),
    row("mul", lambda x: x * x, M, HYBRID, complex=True, grad="plain"),
    row("mul", wg.mul, (M, M), (M, T(4, 3)), (T(4, 3), M), (HYBRID, HYBRID), (HYBRID, T(4, 2, 2)), complex=True,
        grad="plain"),
    row("mul", wg.mul, (M, T()), grad="plain"),
    row("mul", wg.mul, (M, T(3)), (M, T(4, 1)), (M, T(1, 1)), (HYBRID, T(2)), (HYBRID, T(2, 1)),
        grad="plain"),
    row("mul_", write("mul_"), (M, M), (M, T(4, 3)), (HYBRID, HYBRID), grad="plain"),
    row("mul_", write("mul_", 3), M, HYBRID, grad="plain"),
    row("div", wg.div, (M, 4.0), (HYBRID, 4.0), (M, T(domain=POSITIVE)), complex=True, grad="plain"),
    row("div", lambda x: x * x, M, HYBRID, call=lambda x: (x * x * x) / x, grad="specified"),
    row("div", lambda x: wg.div(x, 0.3, rounding_mode="floor"), M, kinks=np.arange(-2.1, 2.1, 0.3)),
    row("div", lambda x: wg.div(x, 0.3, rounding_mode="trunc"), M, HYBRID, kinks=np.arange(-2.1, 2.1, 0.3),
        grad="plain"),
    row("div_", write("div_", 4.0), M, HYBRID, grad="plain"),
    row("div_", lambda x: x.clone().div_(0.3, rounding_mode="floor"), M, kinks=np.arange(-2.1, 2.1, 0.3)),
    row("floor_divide", lambda x: wg.floor_divide(x, 0.3), M, layouts=[COO], grad=False),
    row("pow", lambda x: x**3, M, HYBRID, complex=True, grad="plain"),
    row("pow", lambda x: x**2.5, M, domain=POSITIVE),
    row("threshold_backward", lambda g, x: wc.threshold_backward(g, x, 0.5), (M, M), (HYBRID, HYBRID), kinks=(0.5,),
        grad="plain"),
    row("clone", method("clone"), M, HYBRID, BATCH, complex=True, grad="plain"),
    row("_to_copy", method("to", wg.complex128), M, HYBRID, BATCH, grad="plain"),
    row("_to_copy", method("to", wg.float32), M, grad=False),
    row("copy_", write("copy_"), (M, M), (HYBRID, HYBRID), grad="plain", layouts=[COO]),
    row("copy_", write("copy_"), (FULL, FULL), grad="plain", layouts=COMPRESSED),
    row("fill_", write("fill_", 2.0), FULL, grad=False, layouts=COMPRESSED),
    row("angle", wg.angle, M, HYBRID, complex=True, grad=False, layouts=COMPRESSED),
    row("ones_like", wg.ones_like, FULL, grad=False, layouts=COMPRESSED),
    row("full_like", lambda x: wg.full_like(x, 3.0), FULL, grad=False, layouts=COMPRESSED),
    row("zero_", write("zero_"), M, HYBRID, BATCH, grad="plain"),
    row("view_as_real", wg.view_as_real, S(4, 3, dtype="complex128"), S(4, 2, 2, dense=1, dtype="complex128"),
        grad="plain"),
    row("view_as_complex", wg.view_as_complex, HYBRID, grad="plain"),
]  # fmt: skip

SHAPE = [
    row("t", method("t"), M, complex=True, grad="plain", result=None),
    row("transpose", method("transpose", 0, 1), M, HYBRID, grad="plain", result=None),
    row("transpose", method("transpose", -1, 1), BATCH, grad="plain", result=None),
    row("transpose", method("transpose", 0, -1), BATCH, grad="plain", layouts=[COO]),
    row("permute", method("permute", 1, 0, 2), HYBRID, BATCH, grad="plain", layouts=[COO]),
    row("permute", method("permute", 0, 2, 1), BATCH, S(4, 2, 3, dense=2), grad="plain", layouts=[COO]),
    row("unsqueeze", lambda x: wg.stack([x.unsqueeze(0), x.unsqueeze(0)]), M, HYBRID, grad="plain", layouts=[COO]),
    row("unsqueeze", method("unsqueeze", -1), M, HYBRID, grad="plain", layouts=[COO]),
    row("unsqueeze", method("unsqueeze", 2), HYBRID, grad="plain", layouts=[COO]),
    row("squeeze", method("squeeze"), S(4, 1), S(1, 3, 1, dense=1), S(1, 4, 1), grad="plain", layouts=[COO]),
    row("squeeze", method("squeeze", -1), S(4, 1), S(1, 3, 1, dense=1), M, grad="plain", layouts=[COO]),
    row("view", method("view", -1), M, HYBRID, grad="plain", layouts=[COO]),
    row("view", method("view", 4, -1), HYBRID, BATCH, grad="plain", layouts=[COO]),
    row("view", method("view", 4, 4, 3), BATCHES, grad="specified", layouts=COMPRESSED),
    row("_reshape_alias", method("reshape", 4, 4, 3), BATCHES, grad="specified", layouts=COMPRESSED),
    row("_reshape_alias", method("reshape", 8, 2), HYBRID, S(4, 4), grad="plain", layouts=[COO]),
    row("_reshape_alias", method("reshape", 2, 2, 3), M, S(4, 3, dense=1), grad="plain", layouts=[COO]),
    row("select", method("select", 0, 1), M, HYBRID, grad="coo", result=COO),
    row("select", method("select", 0, -1), BATCH, grad="coo"),
    row("select", method("select", -1, 1), HYBRID, grad="coo"),
    row("select", method("select", 1, 2), M, BATCH, grad="coo", result=COO),
    row("select", method("select", 0, 2), S(4, 3, dense=1), grad="plain", result=STRIDED, layouts=[COO]),
    row("slice", lambda x: x[1:3], M, HYBRID, grad="coo"),
    row("slice", lambda x: x[::2, 1:], M, HYBRID, BATCH, grad="coo"),
    row("slice", lambda x: x[..., 1:], M, HYBRID, grad="coo"),
    row("index_select", lambda x: x.index_select(0, wg.tensor([2, 0, 2, 3])), M, HYBRID, grad="coo"),
    row("index_select", lambda x: x.index_select(-1, wg.tensor([1, 0])), M, HYBRID, grad="coo"),
    row("select_backward", lambda g: wc.select_backward(g, (2, 4, 3), 0, 1), M, grad="plain", layouts=[COO]),
    row("select_backward", lambda g: wc.select_backward(g, (4, 2, 3), 1, 1), S(4, 3, dense=1), grad="plain",
        layouts=[COO]),
    row("select_backward", lambda g: wc.select_backward(g, (4, 2, 2, 3), 3, 2), HYBRID, grad="plain", layouts=[COO]),
    row("slice_backward", lambda g: wc.slice_backward(g, (9, 3), 0, 1, 9, 2), M, S(4, 3, dense=1), grad="plain",
        layouts=[COO]),
    row("slice_backward", lambda g: wc.slice_backward(g, (4, 7), 1, 1, 7, 2), M, S(4, 3, dense=1), grad="plain",
        layouts=[COO]),
    row("index_add", lambda x, y: wg.index_add(x, 0, wg.tensor([2, 0, 2, 1]), y), (T(3, 3), M), (T(5, 2, 2), HYBRID),
        (S(3, 3), M), grad="plain", layouts=[COO], result=None),
    row("index_add", lambda x, y: wg.index_add(x, 1, wg.tensor([1, 0]), y, alpha=2), (T(4, 3), S(4, 2)),
        (T(4, 3), S(4, 2, dense=1)), grad="plain", layouts=[COO], result=STRIDED),
    row("cat", wg.cat, ([M, M], 0), ([HYBRID, HYBRID], 0), grad="coo"),
    row("cat", wg.cat, ([M, S(4, 2), M], 1), ([HYBRID, HYBRID], -1), grad="coo"),
    row("stack", wg.stack, ([M, M], 0), ([BATCH, BATCH], 0), grad="plain", layouts=[COO]),
    row("stack", wg.stack, ([M, M], 0), ([BATCH, BATCH], 0), grad="specified", layouts=COMPRESSED),
    row("stack", wg.stack, ([M, M], 1), ([M, M], -1), ([HYBRID, HYBRID], 2), grad="plain", layouts=[COO]),
    row("unbind", method("unbind"), M, HYBRID, grad="coo", result=COO),
    row("unbind", method("unbind", 1), M, grad="coo", result=COO),
    row("unbind", method("unbind"), BATCH, grad="coo"),
    row("sparse_resize_", lambda d: pad_matrix(d, 5, 6), M, layouts=[COO], grad=False,
        call=lambda x: x.clone().sparse_resize_((5, 6), 2, 0)),
    row("sparse_resize_", lambda d: pad_matrix(d, 5, 6), S(4, 3, dense=1), layouts=[COO], grad=False,
        call=lambda x: x.clone().sparse_resize_((5, 6), 1, 1)),
    row("sparse_resize_and_clear_", lambda d: wg.zeros(5, 6, dtype=d.dtype), M, S(4, 3, dense=1), layouts=[COO],
        grad=False, call=lambda x: x.clone().sparse_resize_and_clear_((5, 6), 1, 1)),
]  # fmt: skip

REDUCE = [
    row("sum", method("sum"), M, HYBRID, BATCH, complex=True, grad="coo", result=STRIDED),
    row("sum", method("sum", (0, 1)), HYBRID, result=STRIDED),
    row("sum", lambda x: x.sum((0, 1), keepdim=True), HYBRID, result=STRIDED, layouts=[COO]),
    row("sum", lambda x: x.sum((0, 1), keepdim=True), HYBRID, layouts=COMPRESSED),
    row("sum", lambda x: x.sum((0, 2), keepdim=True), HYBRID, layouts=COMPRESSED),
    row("sum", lambda x: x.sum((0, 1), keepdim=True), M, grad="plain", result=STRIDED, layouts=[COO]),
    row("sum", lambda x: x.sum((0, 1), keepdim=True), M, layouts=COMPRESSED),
    row("sum", method("sum", 0), M, HYBRID, BATCH, result=COO),
    row("sum", method("sum", (0, -1)), HYBRID, BATCH, result=COO),
    row("sum", lambda x: x.sum(-1, keepdim=True), M, HYBRID),
    row("sum", lambda x: x.sum(-1, keepdim=True), EQUAL, grad="specified"),
    row("sum", lambda x: x.sum(dtype=wg.float32), M, grad=False, result=STRIDED),
    row("linalg_vector_norm", wg.linalg.vector_norm, M, HYBRID, BATCH, grad="plain", result=STRIDED,
        layouts=COMPRESSED),
    row("linalg_vector_norm", wg.linalg.vector_norm, M, HYBRID, BATCH, grad=False, result=STRIDED, layouts=[COO]),
    row("_norm", lambda x: x.norm(3), M, BATCH, grad="plain", result=STRIDED, layouts=COMPRESSED),
    row("_norm", lambda x: x.norm(3), M, BATCH, grad=False, result=STRIDED, layouts=[COO]),
    row("any", method("any"), M, S(4, 3, share=0), S(4, 3, pool=(0.0,)), S(4, 3, pool=(np.nan, 0.0)), grad=False,
        result=STRIDED),
    row("sparse.sum", wg.sum, M, HYBRID, BATCH, call=wg.sparse.sum, result=STRIDED, layouts=[COO]),
    row("sparse.sum", wg.sum, (M, 0), (HYBRID, -1), (HYBRID, 1), (BATCH, (0, 2)), call=wg.sparse.sum, layouts=[COO]),
    row("sparse.sum", wg.sum, (HYBRID, (0, 1)), (S(4, 3, dense=1), 0), call=wg.sparse.sum, layouts=[COO],
        result=STRIDED),
    row("sparse.softmax", dense_softmax("softmax"), (M, 0), (M, -1), (HYBRID, 1), (BATCH, 1), call=wg.sparse.softmax,
        layouts=[COO]),
    row("sparse.log_softmax", dense_softmax("log_softmax"), (M, 0), (M, -1), (HYBRID, 1), (BATCH, 1),
        call=wg.sparse.log_softmax, layouts=[COO]),
    row("sparse.softmax", lambda d: d.softmax(2) * (d != 0), HYBRID, call=lambda x: wg.sparse.softmax(x, 2),
        layouts=[COO]),
    row("sparse.log_softmax", lambda d: wg.where(d != 0, d.log_softmax(2), 0.0), HYBRID, layouts=[COO],
        call=lambda x: wg.sparse.log_softmax(x, 2)),
]  # fmt: skip

PRODUCTS = [
    row("mm", wg.mm, (M, T(3, 2)), (T(2, 4), M), complex=True, grad="coo", result=STRIDED),
    row("mm", wg.mm, (M, N), (S(4, 3, share=0), N), grad="plain", layouts=[COO, CSR, BSR, BSC]),
    row("mm", wg.mm, (M, N), (S(4, 3, share=0), N), grad="plain", layouts=[CSC], result=CSR),
    row("mm", lambda x: x @ x.t(), M, layouts=[COO, CSR], complex=True, grad="plain"),
    row("mm", lambda x: x @ x.t(), M, layouts=[CSC], result=CSR, complex=True, grad="plain"),
    row("addmm", lambda a, x, y: wg.addmm(a, x, y, beta=2, alpha=3), (T(4, 2), M, T(3, 2)), (T(2, 3), T(2, 4), M),
        grad="coo", result=STRIDED),
    row("addmm", wg.addmm, (S(4, 4), M, N), grad="plain"),
    row("mv", wg.mv, (M, T(3)), grad="coo", result=STRIDED),
    row("bmm", wg.bmm, (BATCH, T(2, 3, 2)), grad="coo", result=STRIDED),
    row("linear", wg.nn.functional.linear, (T(2, 3), M), (T(3), M), (T(2, 3), M, T(4)), grad="coo", result=STRIDED),
    row("addmv", lambda a, x, v: wg.addmv(a, x, v, beta=2, alpha=3), (T(4), M, T(3)), grad="coo", result=STRIDED),
    row("smm", wg.mm, (M, T(3, 2)), call=wg.smm, layouts=[COO]),
    row("dsmm", wg.mm, (M, T(3, 2)), call=wg.dsmm, grad="coo", result=STRIDED),
    row("hspmm", wg.mm, (M, T(3, 2)), call=wg.hspmm, layouts=[COO]),
    row("sspaddmm", lambda a, x, y: wg.addmm(a, x, y, beta=2, alpha=3), (S(4, 2), M, T(3, 2)), layouts=[COO],
        call=lambda a, x, y: wg.sspaddmm(a, x, y, beta=2, alpha=3)),
    row("sparse.mm", wg.mm, (M, T(3, 2)), (T(2, 4), M), call=wg.sparse.mm, complex=True, result=STRIDED),
    row("sparse.mm", wg.mm, (M, N), call=wg.sparse.mm, layouts=[COO, CSR, BSR, BSC]),
    row("sparse.mm", wg.mm, (M, N), call=wg.sparse.mm, layouts=[CSC], result=CSR),
    row("sparse.addmm", lambda a, x, y: wg.addmm(a, x, y, beta=2, alpha=3), (T(4, 2), M, T(3, 2)), result=STRIDED,
        call=lambda a, x, y: wg.sparse.addmm(a, x, y, beta=2, alpha=3)),
    row("sparse.sampled_addmm", lambda x, a, b: 2 * x + 3 * (a @ b) * (x != 0), (M, T(4, 2), T(2, 3)),
        call=lambda x, a, b: wg.sparse.sampled_addmm(x, a, b, beta=2, alpha=3)),
    row("sparse.spsolve", lambda d, b: wg.linalg.solve(d + 4 * wg.eye(4, dtype=d.dtype), b),
        (S(4, 4), T(4)), call=lambda x, b: wg.sparse.spsolve(x + eye_like(x), b), result=STRIDED,
        dtypes=("float64",)),
    row("_coo_times_dense", wg.mm, (M, T(3, 2)), layouts=[COO], grad=False, result=STRIDED,
        call=lambda x, y: OPS["_coo_times_dense"](x._indices(), x._values(), y, 4)),
    row("_coo_times_coo", wg.mm, (M, N), layouts=[COO], grad=False,
        call=lambda x, y: from_triplets(OPS["_coo_times_coo"](x._indices(), x._values(), y._indices(), y._values(),
                                                             (4, 3, 4)), (4, 4))),
    row("_csr_times_dense", wg.mm, (M, T(3, 2)), layouts=[CSR], grad=False, result=STRIDED,
        call=lambda x, y: OPS["_csr_times_dense"](x.crow_indices(), x.col_indices(), x.values(), y)),
    row("_coo_solve", wg.linalg.solve, (S(4, 4, share=1), T(4)), layouts=[COO], grad=False, result=STRIDED,
        call=lambda x, y: OPS["_coo_solve"](x._indices(), x._values(), y), dtypes=("float64",)),
]  # fmt: skip


def from_triplets(parts: Sequence[Any], size: tuple[int, ...]) -> Any:
    """A tensor of the rows, columns and values of its elements."""
    return wg.sparse_coo_tensor(wg.stack(list(parts[:2])), parts[2], size)


def product_rows(mat1: Any, mat2: Any, reduce: str) -> Any:
    """For each row of a strided matrix the reduction of its products, without those of zeros."""
    there = (mat1 != 0).unsqueeze(2)
    products = mat1.unsqueeze(2) * mat2
    if reduce == "mean":
        return products.sum(1) / there.sum(1).clamp(min=1)
    none = -np.inf if reduce == "amax" else np.inf
    return wg.where(there.any(1), getattr(wg.where(there, products, none), reduce)(1), 0.0)


PRODUCTS += [
    row("sparse.mm", product_rows, *((S(4, 3, share=0.5), T(3, 2), name) for name in ("mean", "amax", "amin")),
        call=wg.sparse.mm, layouts=[CSR], result=STRIDED),
]  # fmt: skip

CREATE = [
    row("sparse_coo_tensor", lambda v: from_duplicates(v), T(3), layouts=[COO], grad="plain",
        call=lambda v: wg.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], v, (2, 3))),
    row("sparse_coo_tensor", lambda v: from_duplicates(v), T(3, 2), layouts=[COO], grad="plain",
        call=lambda v: wg.sparse_coo_tensor([[0, 1, 1], [2, 0, 0]], v)),
    row("sparse_compressed_tensor", from_components, (T(3), LAYOUT), layouts=COMPRESSED, grad="plain",
        call=lambda v, kind: wg.sparse_compressed_tensor(*components(kind), block_values(v, kind), (2, 3),
                                                         layout=kind)),
    *map(constructor, COMPRESSED),
    row("zeros", lambda kind: wg.zeros(2, 4), (LAYOUT,), layouts=[COO, CSR, CSC], grad=False,
        call=lambda kind: wg.zeros(2, 4, layout=kind)),
    row("empty", lambda kind: wg.zeros(2, 4), (LAYOUT,), layouts=[COO, CSR, CSC], grad=False,
        call=lambda kind: wg.empty(2, 4, layout=kind)),
    row("zeros_like", wg.zeros_like, M, HYBRID, BATCH, grad=False),
    row("empty_like", wg.zeros_like, M, HYBRID, BATCH, grad=False, call=lambda x: wg.empty_like(x).zero_()),
    row("new_zeros", method("new_zeros", (2, 4)), M, HYBRID, grad=False),
    row("new_empty", method("new_zeros", (2, 4)), M, HYBRID, grad=False, call=method("new_empty", (2, 4))),
    row("sparse.spdiags", lambda v, kind: pad_matrix(v[0, :2].diag(-1), 3, 4) + pad_matrix(v[1, 1:].diag(1)[:3], 3, 4),
        (T(2, 4), LAYOUT),
        layouts=[COO, CSR, CSC], call=lambda v, kind: wg.sparse.spdiags(v, wg.tensor([-1, 1]), (3, 4), kind),
        grad="plain"),
]  # fmt: skip


def from_duplicates(v: Any) -> Any:
    """A strided tensor with the first of three values at (0, 2) and the others at (1, 0)."""
    place = wg.tensor([0, 1, 1]), wg.tensor([2, 0, 0])
    return wg.zeros(2, 3, *v.shape[1:], dtype=v.dtype).index_put(place, v, accumulate=True)


CONVERT = [
    row("to_dense", lambda d: d**2, M, HYBRID, BATCH, complex=True, call=lambda x: x.to_dense() ** 2, grad="plain",
        result=STRIDED),
    row("to_dense", lambda d: d * 2, M, HYBRID, BATCH, call=lambda x: x.to_dense() * 2, result=STRIDED),
    row("to_dense", lambda d: d * 2, M, call=lambda x: x.to_dense(masked_grad=False) * 2, result=STRIDED,
        grad="plain"),
    row("to_dense", lambda d: d.float(), M, call=lambda x: x.to_dense(wg.float32), result=STRIDED, grad=False),
    *(row("to_sparse", lambda x: x, sample, grad=grad, result=kind, complex=True,
          call=lambda x, kind=kind: x.to_sparse(layout=kind, blocksize=(2, 1) if kind in BLOCKS else None))
      for kind in LAYOUTS for sample, grad in ((M, "plain"), (EQUAL, "specified"))),
    row("to_sparse", lambda x, kind: x, (T(4, 3), LAYOUT), grad="plain",
        call=lambda x, kind: x.to_sparse(layout=kind, blocksize=(2, 3) if kind in BLOCKS else None)),
    row("to_sparse", lambda x: x, T(4, 3), grad="plain", layouts=[COO], call=lambda x: x.to_sparse(1)),
    *(row(f"to_{kind._name}", lambda x, dense: x, *samples, grad=grad, result=kind,
          call=lambda x, dense, kind=kind: getattr(x, f"to_{kind._name}")(*[(2, 1)] * (kind in BLOCKS),
                                                                          dense_dim=dense))
      for kind in COMPRESSED
      for samples, grad in (([(M, 0), (T(4, 3), 0), (HYBRID, 1), (T(4, 2, 2), 1)], "plain"),
                            ([(EQUAL, 0)], "specified"))),
    row("sparse_mask", lambda x, m: x * (m != 0), (M, M), (T(4, 3), M), (HYBRID, HYBRID), (T(4, 2, 2), HYBRID),
        call=lambda x, m: x.sparse_mask(sorted_mask(m)), result=None, grad="plain"),
    row("sparse_mask", lambda x, m: x * (m != 0), (BATCH, BATCH), call=lambda x, m: x.sparse_mask(sorted_mask(m)),
        grad="specified"),
    row("sparse.from_scipy", lambda x: x, M, layouts=[COO, CSR, CSC, BSR], grad=False,
        call=lambda x: wg.sparse.from_scipy(wg.sparse.to_scipy(x))),
    row("sparse.to_scipy", lambda x: x, M, layouts=[COO, CSR, CSC, BSR], grad=False, result=STRIDED,
        call=lambda x: wg.tensor(wg.sparse.to_scipy(x).toarray())),
]  # fmt: skip


def sorted_mask(mask: Any) -> Any:
    """A mask without duplicates and history."""
    return mask.detach().coalesce() if mask.layout is COO else mask.detach()


MEMBERS = [
    row("coalesce", lambda x: x, M, HYBRID, BATCH, call=lambda x: x.coalesce(), grad="plain", layouts=[COO]),
    row("values", lambda d: d[d != 0], M, call=lambda x: x.coalesce().values(), layouts=[COO], result=STRIDED,
        grad="specified"),
    row("values", lambda d: d[d[..., 0] != 0], HYBRID, call=lambda x: x.coalesce().values(), layouts=[COO],
        result=STRIDED, grad="specified"),
    row("values", lambda d: d[d != 0], M, call=method("values"), layouts=[CSR], result=STRIDED, grad="specified"),
    row("values", lambda d: d.t()[d.t() != 0], M, call=method("values"), layouts=[CSC], result=STRIDED,
        grad="specified"),
    row("values", lambda d: blocks(d)[blocks(d)[..., 0, 0] != 0], M, call=method("values"), layouts=[BSR],
        result=STRIDED, grad="specified"),
    row("values", lambda d: blocks(d).transpose(0, 1)[blocks(d).transpose(0, 1)[..., 0, 0] != 0], M,
        call=method("values"), layouts=[BSC], result=STRIDED, grad="specified"),
    row("_values", lambda d: d[d != 0], M, call=lambda x: x.coalesce()._values(), layouts=[COO], grad=False,
        result=STRIDED),
    row("_values_at", lambda d: d[wg.tensor([0, 3, 3]), wg.tensor([2, 1, 1])], M, layouts=[COO], result=STRIDED,
        call=lambda x: OPS["_values_at"](x, wg.tensor([[0, 3, 3], [2, 1, 1]]), False), grad="plain"),
    row("indices", lambda d: d.nonzero().t(), M, BATCH, call=lambda x: x.coalesce().indices(), layouts=[COO],
        grad=False, result=STRIDED),
    row("_indices", lambda d: d.nonzero().t(), M, BATCH, call=lambda x: x.coalesce()._indices(), layouts=[COO],
        grad=False, result=STRIDED),
    row("is_coalesced", lambda x: True, M, call=lambda x: x.coalesce().is_coalesced(), layouts=[COO], grad=False,
        result=None),
    row("sparse_dim", lambda d: 2, M, HYBRID, call=method("sparse_dim"), grad=False, result=None),
    row("dense_dim", lambda d: d.dim() - 2, M, HYBRID, call=method("dense_dim"), grad=False, result=None),
    row("_nnz", lambda d: int((d != 0).sum()), M, layouts=[COO, CSR, CSC], grad=False, result=None,
        call=lambda x: (x.coalesce() if x.layout is COO else x)._nnz()),
    row("_nnz", lambda d: int((d != 0).sum()) // 2, M, call=method("_nnz"), layouts=BLOCKS, grad=False, result=None),
    row("crow_indices", lambda d: begins(d != 0), M, call=method("crow_indices"), layouts=[CSR], grad=False,
        result=STRIDED),
    row("crow_indices", lambda d: begins(d[::2] != 0), M, call=method("crow_indices"), layouts=[BSR], grad=False,
        result=STRIDED),
    row("ccol_indices", lambda d: begins(d.t() != 0), M, call=method("ccol_indices"), layouts=[CSC], grad=False,
        result=STRIDED),
    row("ccol_indices", lambda d: begins(d[::2].t() != 0), M, call=method("ccol_indices"), layouts=[BSC], grad=False,
        result=STRIDED),
    row("col_indices", lambda d: d.nonzero()[:, 1], M, call=method("col_indices"), layouts=[CSR], grad=False,
        result=STRIDED),
    row("col_indices", lambda d: d[::2].nonzero()[:, 1], M, call=method("col_indices"), layouts=[BSR], grad=False,
        result=STRIDED),
    row("row_indices", lambda d: d.t().nonzero()[:, 1], M, call=method("row_indices"), layouts=[CSC], grad=False,
        result=STRIDED),
    row("row_indices", lambda d: d[::2].t().nonzero()[:, 1], M, call=method("row_indices"), layouts=[BSC], grad=False,
        result=STRIDED),
]  # fmt: skip

CASES = [*UNARY_ROWS, *POINTWISE, *SHAPE, *REDUCE, *PRODUCTS, *CREATE, *CONVERT, *MEMBERS]

RECORDED = {
    "_coalesce": "coalesce", "_values_of": "values", "_sparse_coo_tensor": "sparse_coo_tensor",
    "_sparse_compressed_tensor": "sparse_compressed_tensor", "_to_dense": "to_dense", "_to_sparse": "to_sparse",
    "_sparse_mask": "sparse_mask", "_sparse_mm": "sparse.mm", "_sparse_addmm": "sparse.addmm",
    "_sampled_product": "sparse.sampled_addmm", "_spsolve": "sparse.spsolve", "_sparse_sum": "sparse.sum",
    "_sparse_softmax": "sparse.softmax", "_sparse_log_softmax": "sparse.log_softmax", "_compressed_mm": "mm",
    "_compressed_select": "select", "_as_layout": "add", "_unsafe_view": "_reshape_alias", "_csr_times_csr": "mm",
    "_csc_times_dense": "mm", "_bsr_times_dense": "mm", "randn_like": "ones_like",
}  # fmt: skip
"""Operations that are what another one, which has rows, records: the node of its derivative."""
REFUSED = {
    "expand": lambda x: x.expand(*x.shape), "full": lambda x: wg.full((2, 2), 1.0, layout=x.layout),
    "ones": lambda x: wg.ones(2, 2, layout=x.layout),
}  # fmt: skip
"""Functions that raise PyTorch's error for every layout."""
