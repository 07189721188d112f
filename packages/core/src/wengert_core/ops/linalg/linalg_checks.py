"""What linear algebra refuses, and how: its exception, checks of shapes and dtypes."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.composite_arguments import check_tensor
from wengert_core.drivers.linalg.linalg_error import LinAlgError
from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.dtypes.dtypes import type_name
from wengert_core.tensors.tensor import Tensor

MOST_ROWS = 2**31 - 1  # LAPACK's integers have 32 bits; it would run for hours over columns of no rows, too


# ---- shapes and dtypes
def check_matrix(name: str, x: Any, which: str = "A") -> None:
    """RuntimeError unless x is a matrix or a batch of them."""
    check_tensor(name.removeprefix("torch.").replace(".", "_"), x, which)
    if x.dim() < 2:
        raise RuntimeError(f"{name}: The input tensor {which} must have at least 2 dimensions.")
    if max(x.shape[-2:]) > MOST_ROWS:
        raise RuntimeError(
            f"{name}: {which} has matrices of {x.shape[-2]} by {x.shape[-1]}, expected at most {MOST_ROWS} rows and "
            "columns: LAPACK counts no further"
        )


def check_square(name: str, x: Any, which: str = "A") -> None:
    """RuntimeError unless x holds square matrices."""
    check_matrix(name, x, which)
    if x.shape[-1] != x.shape[-2]:
        prefix = f"{name}: " if name else ""
        raise RuntimeError(
            f"{prefix}{which} must be batches of square matrices, but they are {x.shape[-2]} by {x.shape[-1]} matrices"
        )


def check_floating(name: str, x: Tensor, low: bool = False, kernel: str | None = None) -> None:
    """RuntimeError unless x is floating or complex.

    low: half precision is taken. kernel: what torch would call for it, which raises NotImplementedError.
    """
    if x.dtype.category < 2:
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got {type_name(x)}")
    if kernel is not None:
        check_kernel(kernel, x)
    if not low and x.dtype.itemsize == 2:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got {type_name(x)}")


def check_kernel(kernel: str, x: Tensor) -> None:
    """NotImplementedError, in the words of the kernel that torch would have called, for other than whole floats."""
    if x.dtype.category < 2 or x.dtype.itemsize == 2:
        raise NotImplementedError(
            f"\"{kernel}\" not implemented for '{type_name(x)}': it takes float32, float64, complex64 and complex128"
        )


def check_same_dtype(name: str, a: Tensor, b: Tensor, one: str = "A", other: str = "B") -> None:
    """RuntimeError when two dtypes differ."""
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{name}: Expected {one} and {other} to have the same dtype, but found {one} of type {type_name(a)} and "
            f"{other} of type {type_name(b)} instead"
        )


def check_system(name: str, a: Tensor, b: Tensor, left: bool) -> None:
    """RuntimeError unless a X = b (or X a = b) can be: a square, rows (columns) as many."""
    if a.shape[-2 if left else -1] != b.shape[-2 if left else -1]:
        raise RuntimeError(
            f"{name}: Incompatible shapes of A and B for the equation {'AX = B' if left else 'XA = B'} "
            f"({a.shape[-2]}x{a.shape[-1]} and {b.shape[-2]}x{b.shape[-1]})"
        )


# ---- infos: 0, or the number of the place where a factorization ended
def first_failure(info: Tensor) -> tuple[str, int]:
    """("(Batch element 3): " or nothing, info) of the first matrix that failed; info 0 when none did."""
    info = every_sample(info)
    flat = info.reshape(-1).tolist()
    for i, value in enumerate(flat):
        if value:
            return (f"(Batch element {i}): " if info.dim() else ""), value
    return "", 0


def check_invertible(name: str, info: Tensor) -> None:
    """LinAlgError when a matrix was singular."""
    batch, position = first_failure(info)
    if position:
        raise LinAlgError(
            f"{name}: {batch}The diagonal element {position} is zero, the inversion could not be completed because the "
            "input matrix is singular."
        )


# ---- in memory
def by_columns(x: Any) -> Any:
    """Matrices column by column, as LAPACK leaves them: x itself where it is so."""
    return x.mT.contiguous().mT
