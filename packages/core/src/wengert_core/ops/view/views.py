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


def reshaped(xp: Any, x: Any, shape: Any) -> Any:
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
    reference=reshaped,
    function=False,
    doc="The same elements with another shape (or dtype, given instead), without copying.",
)
view(
    "_unsafe_view(Tensor self, int[]* size) -> Tensor",
    geometry="_unsafe_view",
    reference=reshaped,
    method=False,
    function=False,
    doc="As view, of a tensor that nobody else holds: the result is not a view.",
)
view(
    "_reshape_alias(Tensor self, int[]* size) -> Tensor",
    geometry="_reshape_alias",
    reference=reshaped,
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
    doc="The whole tensor as a view.",
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
    doc="Two dims swapped.",
)
view(
    "t(Tensor self) -> Tensor", geometry="t", reference=lambda xp, x: x.T, doc="A matrix transposed; a vector as it is."
)
view(
    "permute(Tensor self, int[]* dims) -> Tensor",
    geometry="permute",
    reference=lambda xp, x, dims: xp.transpose(x, front(dims)),
    doc="The dims in another order.",
)
view(
    "squeeze(Tensor self, int[]* dim=None) -> Tensor",
    geometry="squeeze",
    reference=lambda xp, x, dim: x.reshape(
        [n for i, n in enumerate(x.shape) if n != 1 or not (dim is None or i in [d % x.ndim for d in front(dim)])]
    ),
    doc="Without the dims of size 1 (or those given).",
)
view(
    "unsqueeze(Tensor self, int dim) -> Tensor",
    geometry="unsqueeze",
    reference=lambda xp, x, dim: xp.expand_dims(x, dim),
    doc="With a dim of size 1 more.",
)
view(
    "expand(Tensor self, int[]* size) -> Tensor",
    geometry="expand",
    function=False,
    reference=lambda xp, x, size: xp.broadcast_to(
        x, [x.shape[i - len(front(size))] if n == -1 else n for i, n in enumerate(front(size))]
    ),
    doc="Dims of size 1 repeated, without copying; -1 keeps a size.",
)
view(
    "select(Tensor self, int dim, int index) -> Tensor",
    geometry="select",
    reference=lambda xp, x, dim, index: xp.moveaxis(x, dim, 0)[index],
    doc="The part at one index of a dim.",
)
view(
    "slice(Tensor self, int dim=0, int? start=None, int? end=None, int step=1) -> Tensor",
    geometry="slice",
    method=False,
    function=False,
    reference=lambda xp, x, dim, start, end, step: xp.moveaxis(xp.moveaxis(x, dim, 0)[start:end:step], 0, dim),
    doc="The part [start:end:step] of a dim.",
)
view(
    "diagonal(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    geometry="diagonal",
    reference=lambda xp, x, offset, dim1, dim2: xp.diagonal(x, offset, dim1, dim2),
    doc="A diagonal of two dims, as the last dim.",
)
view(
    "as_strided(Tensor self, int[] size, int[] stride, int? storage_offset=None) -> Tensor",
    geometry="as_strided",
    doc="Any geometry on the tensor's storage: strides and offset in elements.",
)
view(
    "unfold(Tensor self, int dimension, int size, int step) -> Tensor",
    geometry="unfold",
    function=False,
    reference=windows,
    doc="Windows of a dim, as one more dim at the end.",
)
view(
    "view_as_real(Tensor self) -> Tensor",
    geometry="view_as_real",
    method=False,
    reference=lambda xp, x: xp.stack([x.real, x.imag], -1),
    doc="Complex numbers as pairs: one more dim of size 2.",
)
view(
    "view_as_complex(Tensor self) -> Tensor",
    geometry="view_as_complex",
    method=False,
    reference=lambda xp, x: x[..., 0] + 1j * x[..., 1],
    doc="Pairs as complex numbers: the last dim goes.",
)
multi_view(
    "split(Tensor self, object split_size, int dim=0) -> Tensor[]",
    way="split",
    doc="Pieces of one length (the last may be shorter), or of the lengths given.",
)
multi_view(
    "split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]",
    way="split_with_sizes",
    reference=lambda xp, x, split_sizes, dim: tuple(xp.split(x, xp.cumsum(xp.asarray(split_sizes))[:-1], dim)),
    doc="Pieces of the lengths given.",
)
multi_view(
    "unbind(Tensor self, int dim=0) -> Tensor[]",
    way="unbind",
    reference=lambda xp, x, dim: tuple(xp.moveaxis(x, dim, 0)),
    doc="The parts at each index of a dim.",
)
TABLE.copying(
    "clone(Tensor self, *, object? memory_format=None) -> Tensor",
    reference=lambda xp, x, memory_format: xp.array(x),
    doc="A copy with memory of its own.",
)

# ---- made of them

reshaping(
    "contiguous(Tensor self, *, object? memory_format=None) -> Tensor",
    way="contiguous",
    function=False,
    reference=lambda xp, x, memory_format: xp.ascontiguousarray(x).reshape(x.shape),
    doc="The tensor itself when it is row-major without gaps, else such a copy.",
)
reshaping(
    "reshape(Tensor self, int[]* shape) -> Tensor",
    way="reshape",
    reference=reshaped,
    doc="The same elements with another shape: a view where strides allow, else a copy.",
)
reshaping(
    "flatten(Tensor self, int start_dim=0, int end_dim=-1) -> Tensor", way="flatten", doc="Some dims joined to one."
)
reshaping(
    "ravel(Tensor self) -> Tensor", way="ravel", reference=lambda xp, x: x.reshape(-1), doc="All dims joined to one."
)
reshaping("unflatten(Tensor self, int dim, int[] sizes) -> Tensor", way="unflatten", doc="A dim split into several.")
reshaping("view_as(Tensor self, Tensor other) -> Tensor", way="view_as", function=False, doc="view with other's shape.")
reshaping(
    "reshape_as(Tensor self, Tensor other) -> Tensor",
    way="reshape_as",
    function=False,
    doc="reshape with other's shape.",
)
reshaping(
    "expand_as(Tensor self, Tensor other) -> Tensor", way="expand_as", function=False, doc="expand to other's shape."
)
reshaping("broadcast_to(Tensor self, int[]* size) -> Tensor", way="broadcast_to", doc="expand, as a function.")
reshaping("swapaxes(Tensor self, int axis0, int axis1) -> Tensor", way="swapaxes", doc="transpose, by NumPy's name.")
reshaping("swapdims(Tensor self, int dim0, int dim1) -> Tensor", way="swapaxes", doc="transpose, by another name.")
reshaping(
    "movedim(Tensor self, int[] source, int[] destination) -> Tensor",
    way="movedim",
    reference=lambda xp, x, source, destination: xp.moveaxis(x, source, destination),
    doc="Some dims moved to other places, the rest in order.",
)
reshaping(
    "moveaxis(Tensor self, int[] source, int[] destination) -> Tensor", way="movedim", doc="movedim, by NumPy's name."
)
reshaping(
    "narrow(Tensor self, int dim, int start, int length) -> Tensor",
    way="narrow",
    reference=lambda xp, x, dim, start, length: xp.moveaxis(
        xp.moveaxis(x, dim, 0)[start % x.shape[dim] : start % x.shape[dim] + length], 0, dim
    ),
    doc="A stretch of a dim.",
)
reshaping("adjoint(Tensor self) -> Tensor", way="adjoint", doc="Matrices transposed and conjugated.")
multi_view(
    "chunk(Tensor self, int chunks, int dim=0) -> Tensor[]", way="chunk", doc="At most so many pieces of one length."
)
TABLE.attribute(
    "T",
    reshaping(
        "numpy_T(Tensor self) -> Tensor", way="numpy_T", method=False, function=False, doc="All dims reversed: x.T."
    ),
)
TABLE.attribute(
    "mT", reshaping("mT(Tensor self) -> Tensor", way="mT", method=False, function=False, doc="Matrices transposed.")
)
TABLE.attribute("mH", reshaping("mH(Tensor self) -> Tensor", way="adjoint", method=False, function=False, doc="x.mH."))
TABLE.attribute(
    "H",
    reshaping(
        "matrix_H(Tensor self) -> Tensor", way="adjoint", method=False, function=False, doc="A matrix's adjoint: x.H."
    ),
)

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
    doc="Other sizes for the same memory, row by row; with more memory (not cleared) where it does not suffice.",
)
TABLE.restriding(
    "resize_as_(Tensor self, Tensor the_template, *, object? memory_format=None) -> Tensor",
    way="resize_as_",
    function=True,
    doc="resize_ to another tensor's sizes.",
)
TABLE.restriding(
    "set_(Tensor self, object source=..., int storage_offset=0, int[]? size=None, int[]? stride=None) -> Tensor",
    way="set_",
    doc="The memory and geometry of another tensor or of a storage; without one, no elements.",
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
    """Each tensor with one dim at least; a tuple when there are several."""
    return at_least(lambda x: x.reshape(1) if x.dim() == 0 else x, tensors)


@composite
def atleast_2d(*tensors: Any) -> Any:
    """Each tensor with two dims at least: new ones in front."""
    return at_least(lambda x: x.reshape(1, 1) if x.dim() == 0 else x.unsqueeze(0) if x.dim() == 1 else x, tensors)


@composite
def atleast_3d(*tensors: Any) -> Any:
    """Each tensor with three dims at least: a matrix gets its new one behind, as in NumPy."""

    def widened(x: Tensor) -> Any:
        if x.dim() == 2:
            return x.unsqueeze(-1)
        return x.reshape(1, 1, 1) if x.dim() == 0 else x.unsqueeze(0).unsqueeze(-1) if x.dim() == 1 else x

    return at_least(widened, tensors)


def at_least(widen: Any, tensors: tuple[Any, ...]) -> Any:
    """``widen`` applied to one tensor, to several, or to a sequence of them."""
    if len(tensors) == 1:
        one = tensors[0]
        return tuple(widen(x) for x in one) if isinstance(one, (tuple, list)) else widen(one)
    return tuple(widen(x) for x in tensors)
