"""Samples of views, and of what is made of views."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.pointwise.complex import COMPLEX
from wengert_testing.samples.shapes import recorded_rows

ANY = [(T(),), (T(4),), (T(2, 3),), (T(0, 3),)]
SHAPED = [(T(2, 3), (3, 2)), (T(6), (2, -1)), (T(), (1, 1)), (T(2, 0), (0, 5))]
MATRICES = [(T(2, 3),), (T(2, 3, 2),)]
TWO_DIMS = [(T(2, 3), 0, 1), (T(2, 3, 4), -1, 0), (T(3), 0, 0)]
MOVED = [(T(2, 3, 4), 0, 2), (T(2, 3, 4), (0, 1), (-1, 0))]
SPREAD = [(T(3), (2, 3)), (T(2, 1), (2, 4)), (T(2, 1), (-1, 3)), (T(), (2, 2))]


def cut(x: Any, dim: Any = 0, start: Any = None, end: Any = None, step: Any = 1) -> Any:
    return np.moveaxis(np.moveaxis(x, dim, 0)[start:end:step], 0, dim)


def join_sample(x: Any, start_dim: Any = 0, end_dim: Any = -1) -> Any:
    shape = x.shape or (1,)
    first, last = start_dim % len(shape), end_dim % len(shape)
    return x.reshape(*shape[:first], -1, *shape[last + 1 :])


def pieces(x: Any, size: Any, dim: Any = 0) -> Any:
    places = range(size, x.shape[dim], size) if isinstance(size, int) else np.cumsum(size)[:-1]
    return tuple(np.split(x, list(places), dim))


def chunks(x: Any, n: Any, dim: Any = 0) -> Any:
    return pieces(x, -(-x.shape[dim] // n), dim)


def windows(x: Any, dimension: Any, size: Any, step: Any) -> Any:
    view = np.lib.stride_tricks.sliding_window_view(x, size, dimension)
    return cut(view, dimension % x.ndim, None, None, step)


def as_strided_sample(x: Any, size: Any, stride: Any, offset: Any = 0) -> Any:
    return np.lib.stride_tricks.as_strided(
        np.ascontiguousarray(x).reshape(-1)[offset:], size, [s * x.itemsize for s in stride]
    )


def take_view(x: Any, dim: Any, index: Any) -> Any:
    return np.take(x, index, axis=dim)


def least(n: Any) -> Any:
    return lambda x: getattr(np, f"atleast_{n}d")(x)


def first_elements(x: Any, size: Any) -> Any:
    return x.reshape(-1)[: int(np.prod(size))].reshape(size)


IN_PLACE = "a leaf is not written to: see tests/ops/test_inplace_geometry.py"

CASES = [
    OpCase("resize_", first_elements, [(T(2, 3), (3, 2)), (T(6), (2, 2))], strided=False, grad=False, note=IN_PLACE),
    OpCase(
        "resize_as_",
        lambda x, template: first_elements(x, template.shape),
        [(T(2, 3), T(3, 2)), (T(6), T(2))],
        strided=False,
        grad=False,
        note=IN_PLACE,
    ),
    OpCase("set_", lambda x, source: source, [(T(2, 3), T(4)), (T(), T(2, 2))], grad=False, note=IN_PLACE),
    *(
        OpCase(name, lambda x, shape: x.reshape(shape), SHAPED, complex=True, strided=name == "reshape")
        for name in ("view", "_unsafe_view", "_reshape_alias", "reshape")
    ),
    *(OpCase(name, lambda x: x, ANY, complex=True) for name in ("alias", "_fw_primal", "clone", "contiguous")),
    *(
        OpCase(name, lambda x, a, b: np.swapaxes(x, a, b), TWO_DIMS, complex=name == "transpose")
        for name in ("transpose", "swapaxes", "swapdims")
    ),
    OpCase("t", np.transpose, [(T(2, 3),), (T(3),), (T(),)], complex=True),
    *(OpCase(name, np.transpose, [(T(2, 3),), (T(3, 2),)]) for name in ("numpy_T", "mT")),
    *(
        OpCase(name, lambda x: np.conj(np.swapaxes(x, -1, -2)), MATRICES[: 1 + (name != "matrix_H")], complex=True)
        for name in ("adjoint", "mH", "matrix_H")
    ),
    OpCase("permute", np.transpose, [(T(2, 3, 4), (2, 0, 1)), (T(2, 3), (-1, 0)), (T(), ())], complex=True),
    *(OpCase(name, np.moveaxis, MOVED) for name in ("movedim", "moveaxis")),
    OpCase(
        "squeeze",
        lambda x, dim=None: np.squeeze(x, dim if dim is None or x.shape[dim] == 1 else ()),
        [(T(1, 3, 1),), (T(1, 3), 0), (T(2, 3), 0), (T(2, 1), -1), (T(),)],
        complex=True,
    ),
    OpCase("unsqueeze", np.expand_dims, [(T(2, 3), 0), (T(2, 3), -1), (T(), 0)], complex=True),
    *(
        OpCase(
            name,
            lambda x, size: np.broadcast_to(x, [x.shape[i - len(size)] if n == -1 else n for i, n in enumerate(size)]),
            [*SPREAD[:2], *SPREAD[3:]] if name == "broadcast_to" else SPREAD,
            complex=name == "expand",
        )
        for name in ("expand", "broadcast_to")
    ),
    OpCase("expand_as", lambda x, other: np.broadcast_to(x, other.shape), [(T(3), T(2, 3)), (T(), T(2))]),
    *(
        OpCase(name, lambda x, other: x.reshape(other.shape), [(T(6), T(2, 3))], strided=name == "reshape_as")
        for name in ("view_as", "reshape_as")
    ),
    OpCase(
        "select",
        lambda x, dim, index: np.take(x, index, axis=dim),
        [(T(2, 3), 1, -1), (T(2, 3), -2, 0), (T(3), 0, 2)],
        complex=True,
    ),
    OpCase(
        "slice",
        cut,
        [(T(5),), (T(5), 0, 1, 4), (T(2, 5), 1, None, None, 2), (T(4), 0, -2), (T(3), 0, 2, 1)],
        complex=True,
    ),
    OpCase(
        "narrow",
        lambda x, dim, start, length: cut(x, dim, start, start + length),
        [(T(4), 0, 1, 2), (T(2, 3), 1, 0, 2)],
    ),
    OpCase(
        "diagonal",
        lambda x, offset=0, dim1=0, dim2=1: np.diagonal(x, offset, dim1, dim2),
        [(T(3, 3),), (T(2, 3), 1), (T(3, 2), -1), (T(2, 3, 2), 0, 0, -1)],
        complex=True,
    ),
    OpCase(
        "as_strided",
        as_strided_sample,
        [(T(6), (2, 2), (2, 1)), (T(6), (3, 3), (1, 1), 1), (T(2, 3), (2,), (3,), 2), (T(4), (2, 2), (0, 1))],
        complex=True,
        strided=False,
    ),
    OpCase("unfold", windows, [(T(5), 0, 2, 1), (T(6), 0, 2, 2), (T(2, 5), 1, 3, 1), (T(4, 2), -2, 2, 2)]),
    OpCase("split", pieces, [(T(5), 2), (T(2, 4), 2, 1), (T(4), [1, 3])], complex=True),
    OpCase("split_with_sizes", pieces, [(T(4), [1, 3]), (T(2, 4), (2, 2), -1)]),
    OpCase("chunk", chunks, [(T(5), 2), (T(2, 4), 3, 1)]),
    OpCase(
        "unbind", lambda x, dim=0: tuple(np.moveaxis(x, dim, 0)), [(T(3),), (T(2, 3),), (T(2, 3), -1)], complex=True
    ),
    OpCase("flatten", join_sample, [(T(2, 3),), (T(2, 3, 2), 1), (T(2, 3, 2), 0, 1), (T(),)]),
    OpCase("ravel", np.ravel, ANY),
    OpCase(
        "unflatten",
        lambda x, dim, sizes: x.reshape(*x.shape[:dim], *sizes, *x.shape[dim + 1 :]),
        [(T(6), 0, (2, 3)), (T(2, 4), 1, (2, -1))],
    ),
    *(OpCase(f"atleast_{n}d", least(n), [(T(),), (T(3),), (T(2, 3),)]) for n in (1, 2, 3)),
    OpCase("view_as_real", lambda z: np.stack([z.real, z.imag], -1), COMPLEX),
    OpCase("view_as_complex", lambda x: x[..., 0] + 1j * x[..., 1], [(T(2),), (T(3, 2),), (T(0, 2),)], strided=False),
]
# ---- dims from the end, and keywords
CASES += recorded_rows({
    "chunk": [(T(2, 5), 2, -1)],
    "diagonal": [(T(2, 3, 4), 0, -2, -1)],
    "flatten": [(T(2, 3, 2), -2, -1)],
    "narrow": [(T(2, 3), -1, 1, 2)],
    "slice": [(T(2, 5), -1, 1, 4, 2)],
    "split": [(T(2, 5), 2, -1)],
    "swapaxes": [(T(2, 3, 4), 0, -1)],
    "swapdims": [(T(2, 3, 4), 0, -1)],
    "transpose": [(T(2, 3, 4), 0, -1)],
    "unflatten": [(T(2, 6), -1, (2, 3))],
})
