"""Errors of NumPy's functions of shape, selection and creation on tensors: NumPy's types and key phrases."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg


def tensor(*shape: int, requires_grad: bool = True) -> Any:
    """Return different numbers of float64."""
    return (wg.arange(int(np.prod(shape)), dtype=wg.float64).reshape(shape) + 0.5).requires_grad_(requires_grad)


ERRORS: list[tuple[str, Callable[[Any], Any]]] = [
    ("cannot reshape array of size 6 into shape", lambda x: np.reshape(x, (4, -1))),
    ("one unknown dimension", lambda x: np.reshape(x, (-1, -1))),
    ("order", lambda x: np.reshape(x, 6, order="X")),
    ("order", lambda x: np.ravel(x, "X")),
    ("axes don't match array", lambda x: np.transpose(x, (0,))),
    ("axis 5 is out of bounds", lambda x: np.transpose(x, (0, 5))),
    ("repeated axis", lambda x: np.transpose(x, (0, 0))),
    ("repeated axis", lambda x: np.moveaxis(x, (0, 0), (0, 1))),
    ("same number of elements", lambda x: np.moveaxis(x, (0, 1), 0)),
    ("out of bounds", lambda x: np.swapaxes(x, 0, 3)),
    ("start", lambda x: np.rollaxis(x, 0, 5)),
    ("at least 2-dimensional", lambda x: np.matrix_transpose(x[0])),
    ("size not equal to one", lambda x: np.squeeze(x, 0)),
    ("out of bounds", lambda x: np.expand_dims(x, 5)),
    ("could not be broadcast together with remapped shapes", lambda x: np.broadcast_to(x, (3, 2))),
    ("shape mismatch", lambda x: np.broadcast_arrays(x, np.ones(2))),
    ("out of bounds", lambda x: np.flip(x, 4)),
    (">= 2-d", lambda x: np.fliplr(x[0])),
    (">= 1-d", lambda x: np.flipud(x[0, 0])),
    ("out of bounds", lambda x: np.roll(x, 1, axis=7)),
    ("Axes must be different", lambda x: np.rot90(x, 1, (0, 0))),
    ("out of range", lambda x: np.rot90(x, 1, (0, 7))),
    ("negative", lambda x: np.repeat(x, -1)),
    ("could not be broadcast", lambda x: np.repeat(x, [1, 2], axis=1)),
    ("non-negative", lambda x: np.resize(x, (-1, 2))),
    ("trim", lambda x: np.trim_zeros(x, "x")),
    ("must match exactly", lambda x: np.concatenate([x, x.T])),
    ("same number of dimensions", lambda x: np.concatenate([x, x[0]])),
    ("zero-dimensional", lambda x: np.concatenate([x[0, 0], x[0, 1]])),
    ("out of bounds", lambda x: np.concatenate([x, x], axis=2)),
    ("both were provided", lambda x: np.concatenate([x, x], out=np.zeros((4, 3)), dtype=float)),
    ("according to the rule", lambda x: np.concatenate([x, x], dtype=np.int64)),
    ("must have the same shape", lambda x: np.stack([x, x[0]])),
    ("mismatched", lambda x: np.block([[x], x])),
    ("cannot be empty", lambda x: np.block([[x], []])),
    ("is a tuple", lambda x: np.block((x, x))),
    ("out of bounds", lambda x: np.insert(x, 9, 1.0)),
    ("broadcast", lambda x: np.insert(x, [0, 1], [1.0, 2.0, 3.0])),
    ("out of bounds", lambda x: np.delete(x, 9)),
    ("equal division", lambda x: np.split(x, 4)),
    ("larger than 0", lambda x: np.array_split(x, 0)),
    ("2 or more dimensions", lambda x: np.vsplit(x[0], 1)),
    ("3 or more dimensions", lambda x: np.dsplit(x, 1)),
    ("at least 1-d", lambda x: np.unstack(x[0, 0])),
    ("out of bounds", lambda x: np.take(x, [9])),
    ("Cannot cast array data", lambda x: np.take(x, np.array([1.5]))),
    ("clip", lambda x: np.take(x, [1], mode="foo")),
    ("empty", lambda x: np.take(x[:0], [0], axis=0)),
    ("out of bounds", lambda x: np.take_along_axis(x, np.array([[7], [0]]), 1)),
    ("must be an integer array", lambda x: np.take_along_axis(x, np.ones((2, 3)), 1)),
    ("same number of dimensions", lambda x: np.take_along_axis(x, np.array([1]), 1)),
    ("invalid entry in choice array", lambda x: np.choose(np.array([5]), [x, x])),
    ("1-d", lambda x: np.compress([[True]], x)),
    ("either both or neither", lambda x: np.where(x, x)),
    ("same length", lambda x: np.select([x > 0], [x, x])),
    ("boolean ndarray", lambda x: np.select([x], [x])),
    ("nonzero on 0d", lambda x: np.nonzero(x[0, 0])),
    ("1 dimensional", lambda x: np.ix_(x)),
    ("cannot be the same", lambda x: np.diagonal(x, 0, 1, 1)),
    ("two dimensions", lambda x: np.diagonal(x[0])),
    ("1- or 2-d", lambda x: np.diag(x[None])),
    ("2-d", lambda x: np.tril_indices_from(x[0])),
    ("equal length", lambda x: np.diag_indices_from(x)),
    ("out of bounds", lambda x: np.sort(x, axis=3)),
    ("sort kind", lambda x: np.sort(x, kind="foo")),
    ("Cannot specify order", lambda x: np.sort(x, order="a")),
    ("Cannot specify order", lambda x: np.argsort(x, order="a")),
    ("at the same time", lambda x: np.sort(x, kind="stable", stable=True)),
    ("out of bounds", lambda x: np.partition(x, 7)),
    ("out of bounds", lambda x: np.argpartition(x, (0, 7))),
    ("same shape", lambda x: np.lexsort((x, x[0]))),
    ("too deep", lambda x: np.searchsorted(x, 1)),
    ("side", lambda x: np.searchsorted(x[0], 1, side="middle")),
    ("sorter.size must equal", lambda x: np.searchsorted(x[0], 1, sorter=np.array([0]))),
    ("only contain integers", lambda x: np.searchsorted(x[0], 1, sorter=np.ones(3))),
    ("monotonically", lambda x: np.digitize(x, [1, 3, 2])),
    ("out of bounds", lambda x: np.unique(x, axis=4)),
    ("'table' method", lambda x: np.isin(x, [1], kind="table")),
    ("Invalid kind", lambda x: np.isin(x, [1], kind="foo")),
    ("not supported", lambda x: np.pad(x, 1, "foo")),
    ("unsupported keyword", lambda x: np.pad(x, 1, "edge", stat_length=1)),
    ("integral", lambda x: np.pad(x, 1.5)),
    ("negative", lambda x: np.pad(x, -1)),
    ("could not be broadcast together", lambda x: np.pad(x, 1, constant_values=[1.0, 2.0, 3.0])),
    ("empty axis", lambda x: np.pad(x[:0], 1, "edge")),
    ("stat_length of 0", lambda x: np.pad(x, 1, "maximum", stat_length=0)),
    ("non-negative", lambda x: np.linspace(x, 1, -1)),
    ("cannot include zero", lambda x: np.geomspace(x, 0)),
    ("indexing", lambda x: np.meshgrid(x[0], x[0], indexing="ab")),
    ("one-dimensional", lambda x: np.vander(x)),
    ("could not broadcast", lambda x: np.full_like(x, [1.0, 2.0])),
    ("integer or boolean", lambda x: np.packbits(x)),
    ("unsigned byte", lambda x: np.unpackbits(x)),
    ("at least 2-d", lambda x: np.fill_diagonal(x[0], 1)),
    ("equal length", lambda x: np.fill_diagonal(x[None], 1)),
    ("could not broadcast", lambda x: np.copyto(x * 1, [1.0, 2.0])),
    ("according to the rule", lambda x: np.copyto(x * 1, 1j)),
    ("out of bounds", lambda x: np.put(x * 1, [6], 1)),
    ("same size", lambda x: np.putmask(x * 1, [True], 1)),
    ("same size", lambda x: np.place(x * 1, [True], [1])),
    ("empty array", lambda x: np.place(x * 1, x > 0, [])),
    ("could not be broadcast", lambda x: np.put_along_axis(x * 1, np.array([[0], [1]]), [[1.0, 2.0]], 1)),
]


@pytest.mark.parametrize(("phrase", "call"), ERRORS)
def test_errors_have_the_type_and_the_key_phrase_of_numpy(phrase: str, call: Callable[[Any], Any]) -> None:
    x = tensor(2, 3)
    with pytest.raises(Exception) as of_arrays:  # noqa: PT011 - the type is what is compared
        call(x.detach().numpy())
    with pytest.raises(type(of_arrays.value)) as of_tensors:
        call(x)
    assert phrase in str(of_arrays.value)
    assert phrase in str(of_tensors.value)


def test_positions_out_of_range_are_value_errors() -> None:
    for shape in [(2, 3), 6]:
        with pytest.raises(ValueError, match="out of bounds for array with size 6"):
            np.unravel_index(wg.tensor([7]), shape)
    with pytest.raises(ValueError, match="invalid entry in coordinates array"):
        np.ravel_multi_index((wg.tensor([2]), wg.tensor([0])), (2, 3))
    with pytest.raises(ValueError, match="sequence of length 3"):
        np.ravel_multi_index((wg.tensor([2]), wg.tensor([0])), (2, 3, 4))


def test_dtypes_that_tensors_lack_are_named() -> None:
    with pytest.raises(TypeError, match="argument 'dtype' is object"):
        np.zeros_like(tensor(2), dtype=object)
    with pytest.raises(TypeError, match="argument 'dtype' is <U3"):
        np.astype(tensor(2), "U3")


def test_nested_lists_of_different_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="inhomogeneous shape"):
        np.array([[1.0], tensor(2)], like=tensor(2))
