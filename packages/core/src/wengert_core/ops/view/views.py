"""Views: other sizes, other orders of dims, parts; and the operations made of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core.drivers.view.geometry import METHODS
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor

TABLE.methods.update(METHODS)
view, multi_view, reshaping, composite = TABLE.view, TABLE.multi_view, TABLE.reshaping, TABLE.composite


def front(dims: int | Sequence[int]) -> tuple[int, ...]:
    """One dim or several, as a tuple."""
    return (dims,) if isinstance(dims, int) else tuple(dims)


def reshape_reference(xp: Any, x: Any, shape: Any) -> Any:
    """The reference of all that give a shape."""
    return x.reshape(shape)


def windows(xp: Any, x: Any, dimension: int, size: int, step: int) -> Any:
    """The reference of unfold."""
    rows = xp.moveaxis(x, dimension, 0)
    stacked = xp.stack([rows[i : i + size] for i in range(0, len(rows) - size + 1, step)])
    return xp.moveaxis(xp.moveaxis(stacked, 1, -1), 0, dimension % x.ndim)


# ---- primitives: each has a formula

view(
    "view(Tensor self, object* size) -> Tensor",
    geometry="view",
    reference=reshape_reference,
    function=False,
)
view(
    "_unsafe_view(Tensor self, int[]* size) -> Tensor",
    geometry="_unsafe_view",
    reference=reshape_reference,
    method=False,
    function=False,
    doc="As view, of a tensor that nobody else holds: the result is not a view.",
)
view(
    "_reshape_alias(Tensor self, int[]* size) -> Tensor",
    geometry="_reshape_alias",
    reference=reshape_reference,
    method=False,
    function=False,
    doc="As view, where reshape finds strides for a tensor that is not contiguous.",
)
view(
    "alias(Tensor self) -> Tensor",
    geometry="alias",
    reference=lambda xp, x: x,
    method=False,
    function=False,
)
view(
    "_fw_primal(Tensor self) -> Tensor",
    geometry="alias",
    reference=lambda xp, x: x,
    method=False,
    function=False,
    doc="A dual tensor without its tangent.",
)
view(
    "transpose(Tensor self, int dim0, int dim1) -> Tensor",
    geometry="transpose",
    reference=lambda xp, x, dim0, dim1: xp.swapaxes(x, dim0, dim1) if x.ndim else x,
)
view(
    "t(Tensor self) -> Tensor", geometry="t", reference=lambda xp, x: x.T
)
view(
    "permute(Tensor self, int[]* dims) -> Tensor",
    geometry="permute",
    reference=lambda xp, x, dims: xp.transpose(x, front(dims)),
)
view(
    "squeeze(Tensor self, int[]* dim=None) -> Tensor",
    geometry="squeeze",
    reference=lambda xp, x, dim: x.reshape(
        [n for i, n in enumerate(x.shape) if n != 1 or not (dim is None or i in [d % x.ndim for d in front(dim)])]
    ),
)
view(
    "unsqueeze(Tensor self, int dim) -> Tensor",
    geometry="unsqueeze",
    reference=lambda xp, x, dim: xp.expand_dims(x, dim),
)
view(
    "expand(Tensor self, int[]* size) -> Tensor",
    geometry="expand",
    function=False,
    reference=lambda xp, x, size: xp.broadcast_to(
        x, [x.shape[i - len(front(size))] if n == -1 else n for i, n in enumerate(front(size))]
    ),
)
view(
    "select(Tensor self, int dim, int index) -> Tensor",
    geometry="select",
    reference=lambda xp, x, dim, index: xp.moveaxis(x, dim, 0)[index],
)
view(
    "slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
    geometry="slice",
    method=False,
    function=False,
    reference=lambda xp, x, dim, start, end, step: xp.moveaxis(xp.moveaxis(x, dim, 0)[start:end:step], 0, dim),
)
view(
    "diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    geometry="diagonal",
    reference=lambda xp, x, offset, dim1, dim2: xp.diagonal(x, offset, dim1, dim2),
)
view(
    "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
    geometry="as_strided",
)
view(
    "unfold(Tensor self, int dimension, int size, int step) -> Tensor",
    geometry="unfold",
    function=False,
    reference=windows,
)
view(
    "view_as_real(Tensor self) -> Tensor",
    geometry="view_as_real",
    method=False,
    reference=lambda xp, x: xp.stack([x.real, x.imag], -1),
)
view(
    "view_as_complex(Tensor self) -> Tensor",
    geometry="view_as_complex",
    method=False,
    reference=lambda xp, x: x[..., 0] + 1j * x[..., 1],
)
multi_view(
    "split(Tensor self, object split_size, int dim=0) -> Tensor[]",
    way="split",
)
multi_view(
    "split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
    way="split_with_sizes",
    reference=lambda xp, x, split_sizes, dim: tuple(xp.split(x, xp.cumsum(xp.asarray(split_sizes))[:-1], dim)),
)
multi_view(
    "unbind(Tensor self, int dim=0) -> Tensor[]",
    way="unbind",
    reference=lambda xp, x, dim: tuple(xp.moveaxis(x, dim, 0)),
)
TABLE.copying(
    "clone(Tensor self, *, object? memory_format=None) -> Tensor",
    reference=lambda xp, x, memory_format: xp.array(x),
)

# ---- made of them

reshaping(
    "contiguous(Tensor self, *, object? memory_format=None) -> Tensor",
    way="contiguous",
    function=False,
    reference=lambda xp, x, memory_format: xp.ascontiguousarray(x).reshape(x.shape),
)
reshaping(
    "reshape(Tensor self, int[]* shape) -> Tensor",
    way="reshape",
    reference=reshape_reference,
)
reshaping(
    "flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor", way="flatten"
)
reshaping(
    "ravel(Tensor self) -> Tensor", way="ravel", reference=lambda xp, x: x.reshape(-1)
)
reshaping("unflatten(Tensor self, int dim, int[] sizes) -> Tensor", way="unflatten")
reshaping("view_as(Tensor self, Tensor other) -> Tensor", way="view_as", function=False)
reshaping(
    "reshape_as(Tensor self, Tensor other) -> Tensor",
    way="reshape_as",
    function=False,
)
reshaping(
    "expand_as(Tensor self, Tensor other) -> Tensor", way="expand_as", function=False
)
reshaping("broadcast_to(Tensor self, int[]* size) -> Tensor", way="broadcast_to")
reshaping("swapaxes(Tensor self, int axis0, int axis1) -> Tensor", way="swapaxes")
reshaping("swapdims(Tensor self, int dim0, int dim1) -> Tensor", way="swapaxes")
reshaping(
    "movedim(Tensor self, int[] source, int[] destination) -> Tensor",
    way="movedim",
    reference=lambda xp, x, source, destination: xp.moveaxis(x, source, destination),
)
reshaping(
    "moveaxis(Tensor self, int[] source, int[] destination) -> Tensor", way="movedim"
)
reshaping(
    "narrow(Tensor self, int dim, int start, int length) -> Tensor",
    way="narrow",
    reference=lambda xp, x, dim, start, length: xp.moveaxis(
        xp.moveaxis(x, dim, 0)[start % x.shape[dim] : start % x.shape[dim] + length], 0, dim
    ),
)
reshaping("adjoint(Tensor self) -> Tensor", way="adjoint")
multi_view(
    "chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", way="chunk"
)
for name, schema, way, doc in (
    ("T", "numpy_T(Tensor self) -> Tensor", "numpy_T",
     "The tensor with its dims in reverse order. Deprecated for other than two dims: use `mT` or `permute`."),
    ("mT", "mT(Tensor self) -> Tensor", "mT", "The tensor with its last two dims swapped."),
    ("mH", "mH(Tensor self) -> Tensor", "adjoint", "The tensor with its last two dims swapped, and conjugated."),
    ("H", "matrix_H(Tensor self) -> Tensor", "adjoint", "The matrix transposed and conjugated."),
):  # fmt: skip
    TABLE.attribute(name, reshaping(schema, way=way, method=False, function=False), doc)

# ---- in place: the tensor's own geometry changes
for schema in (
    "t_(Tensor self) -> Tensor",
    "transpose_(Tensor self, int dim0, int dim1) -> Tensor",
    "squeeze_(Tensor self, int[]* dim=None) -> Tensor",
    "unsqueeze_(Tensor self, int dim) -> Tensor",
    "as_strided_(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
):
    NAME = schema.partition("_(")[0]
    TABLE.restriding(
        schema, out_of_place=TABLE.ops[NAME], function=NAME == "as_strided", doc=f"In-place version of {NAME}."
    )
TABLE.restriding(
    "resize_(Tensor self, int[]* size, *, object? memory_format=None) -> Tensor",
    way="resize_",
)
TABLE.restriding(
    "resize_as_(Tensor self, Tensor the_template, *, object? memory_format=None) -> Tensor",
    way="resize_as_",
    function=True,
)
TABLE.restriding(
    "set_(Tensor self, object source=..., int storage_offset=0, int[]? size=None, int[]? stride=None) -> Tensor",
    way="set_",
)


def swapaxes_(input: Tensor, axis0: int, axis1: int) -> Tensor:
    """In-place version of swapaxes."""
    swapped: Tensor = TABLE.ops["transpose_"](input, axis0, axis1)
    return swapped


def swapdims_(input: Tensor, dim0: int, dim1: int) -> Tensor:
    """In-place version of swapdims."""
    swapped: Tensor = TABLE.ops["transpose_"](input, dim0, dim1)
    return swapped


TABLE.methods |= {"swapaxes_": swapaxes_, "swapdims_": swapdims_}


@composite
def atleast_1d(*tensors: Any) -> Any:
    return at_least(lambda x: x.reshape(1) if x.dim() == 0 else x, tensors)


@composite
def atleast_2d(*tensors: Any) -> Any:
    return at_least(lambda x: x.reshape(1, 1) if x.dim() == 0 else x.unsqueeze(0) if x.dim() == 1 else x, tensors)


@composite
def atleast_3d(*tensors: Any) -> Any:

    def widen_source(x: Tensor) -> Any:
        if x.dim() == 2:
            return x.unsqueeze(-1)
        return x.reshape(1, 1, 1) if x.dim() == 0 else x.unsqueeze(0).unsqueeze(-1) if x.dim() == 1 else x

    return at_least(widen_source, tensors)


def at_least(widen: Any, tensors: tuple[Any, ...]) -> Any:
    """``widen`` applied to one tensor, to several, or to a sequence of them."""
    if len(tensors) == 1:
        one = tensors[0]
        return tuple(widen(x) for x in one) if isinstance(one, (tuple, list)) else widen(one)
    return tuple(widen(x) for x in tensors)
