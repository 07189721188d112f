"""NumPy's functions of shape, selection and creation on tensors: errors, in-place writes, out=, views, vmap, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_numpy.functions import table

NAMES = """append argpartition argsort argwhere array_split atleast_1d atleast_2d atleast_3d block broadcast_arrays
broadcast_to choose column_stack compress concat concatenate copy copyto delete diag diag_indices_from diagflat diagonal
digitize dsplit dstack empty_like expand_dims extract fill_diagonal flatnonzero flip fliplr flipud full_like hsplit
hstack insert intersect1d isin ix_ lexsort linspace logspace geomspace matrix_transpose linalg.matrix_transpose meshgrid
moveaxis ndim nonzero ones_like zeros_like packbits unpackbits pad partition permute_dims place put put_along_axis
putmask ravel ravel_multi_index repeat reshape resize roll rollaxis rot90 searchsorted select setdiff1d setxor1d shape
size sort sort_complex split squeeze stack swapaxes take take_along_axis tile transpose tril tril_indices_from
trim_zeros triu triu_indices_from union1d unique unique_all unique_counts unique_inverse unique_values unravel_index
unstack vander vsplit vstack where astype can_cast result_type min_scalar_type common_type may_share_memory
shares_memory busday_count busday_offset datetime_as_string is_busday array2string array_repr array_str save savetxt
savez savez_compressed array asarray asanyarray ascontiguousarray asfortranarray arange empty eye frombuffer fromfile
fromfunction fromiter fromstring full genfromtxt identity loadtxt ones require tri zeros""".split()


def tensor(*shape: int, requires_grad: bool = True) -> Any:
    """Return different numbers of float64."""
    return (wg.arange(int(np.prod(shape)), dtype=wg.float64).reshape(shape) + 0.5).requires_grad_(requires_grad)


@pytest.mark.parametrize("name", NAMES)
def test_each_function_has_an_implementation_or_a_hint(name: str) -> None:
    table.load()
    function = table.numpy_function(name)
    assert function is None or function in table.FUNCTIONS or table.ABSENT[name]


@pytest.mark.parametrize("name", ["busday_count", "is_busday", "datetime_as_string"])
def test_functions_of_dates_say_that_tensors_have_none(name: str) -> None:
    arguments = (tensor(2), 1) if name == "busday_count" else (tensor(2),)
    with pytest.raises(TypeError, match=f"{name}.*no dates"):
        getattr(np, name)(*arguments)


# ---- writes


def test_writes_into_a_leaf_that_requires_a_gradient_are_refused() -> None:
    for write in (
        lambda x: np.copyto(x, 1.0),
        lambda x: np.put(x, [0], 1.0),
        lambda x: np.place(x, x > 0, [1.0]),
        lambda x: np.fill_diagonal(x, 1.0),
    ):
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
            write(tensor(2, 2))


WRITES: list[Callable[[Any, Any], Any]] = [
    lambda a, v: np.copyto(a, v),
    lambda a, v: np.copyto(a, [v[0], v[1]]),
    lambda a, v: np.put(a, [0, 1], v),
    lambda a, v: np.putmask(a, np.array([True, False]), v),
    lambda a, v: np.place(a, np.array([True, True]), v),
    lambda a, v: np.put_along_axis(a, np.array([1, 0]), v, 0),
]


@pytest.mark.parametrize("write", WRITES)
def test_arrays_take_values_of_tensors_but_no_derivatives(write: Callable[[Any, Any], Any]) -> None:
    values = tensor(2, requires_grad=False)
    expected, target = np.zeros(2), np.zeros(2)
    write(expected, values.numpy())
    if write is not WRITES[1]:
        write(target, values)
        np.testing.assert_array_equal(target, expected)
    if write in (WRITES[0], WRITES[2], WRITES[3], WRITES[4], WRITES[5]):
        with pytest.raises(TypeError, match="cannot hold the derivative"):
            write(target, tensor(2))
        with wg.autograd.forward_ad.dual_level():
            dual = wg.autograd.forward_ad.make_dual(values, values)
            with pytest.raises(TypeError, match="cannot hold the derivative"):
                write(target, dual)


def test_writes_are_seen_by_views_and_reach_the_base() -> None:
    x = tensor(2, 3, requires_grad=False)
    np.copyto(np.transpose(x), [[9.0, 8.0]])
    assert x.tolist() == [[9.0] * 3, [8.0] * 3]
    np.fill_diagonal(np.reshape(x, (3, 2)), 0.0)
    assert x.tolist() == [[0.0, 9.0, 9.0], [0.0, 8.0, 8.0]]


def test_a_write_erases_the_derivative_of_what_it_replaces() -> None:
    x, v = tensor(3), tensor(2)
    y = x * 1
    np.put(y, [0, 0], v)
    x_grad, v_grad = wg.autograd.grad(y.sum(), (x, v))
    assert x_grad.tolist() == [0.0, 1.0, 1.0]
    assert v_grad.tolist() == [0.0, 1.0]  # the last value written to a position counts


OUT: list[tuple[tuple[int, ...], Callable[[Any, Any], Any]]] = [
    ((2,), lambda x, out: np.take(x, [0, 4], out=out)),
    ((2, 1), lambda x, out: np.compress([False, True], x, axis=1, out=out)),
    ((2, 3), lambda x, out: np.choose(np.array([[0], [1]]), [x, x * 2], out=out)),
    ((4, 3), lambda x, out: np.concatenate([x, x], out=out)),
    ((2, 2, 3), lambda x, out: np.stack([x, x], out=out)),
]


@pytest.mark.parametrize(("shape", "call"), OUT)
def test_out_takes_a_tensor_with_its_derivative_and_no_array(shape: Any, call: Callable[[Any, Any], Any]) -> None:
    x = tensor(2, 3)
    out = wg.zeros(shape, dtype=wg.float64)
    assert call(x, out) is out
    expected = call(x, None)
    assert out.tolist() == expected.tolist()
    weights = tensor(*shape, requires_grad=False)
    got, wanted = (wg.autograd.grad((one * weights).sum(), x)[0] for one in (out, expected))
    assert got.tolist() == wanted.tolist()
    with pytest.raises(TypeError, match="cannot hold the derivative"):
        call(x, np.zeros(shape))
    array = np.zeros(shape)
    call(x.detach(), array)
    assert array.tolist() == expected.tolist()


# ---- memory

VIEWS: list[Callable[[Any], Any]] = [
    lambda x: np.reshape(x, (3, 2)),
    np.ravel,
    np.transpose,
    lambda x: np.swapaxes(x, 0, 1),
    lambda x: np.moveaxis(x, 0, 1),
    lambda x: np.expand_dims(x, 0),
    lambda x: np.squeeze(x[:1]),
    lambda x: np.broadcast_to(x, (2, 2, 3)),
    lambda x: np.broadcast_arrays(x, np.ones((2, 2, 3)))[0],
    lambda x: np.diagonal(x),
    lambda x: np.diag(x),
    lambda x: np.split(x, 2)[0],
    lambda x: np.unstack(x)[0],
    lambda x: np.matrix_transpose(x),
    lambda x: np.meshgrid(x[0], x[0], copy=False)[0],
    lambda x: np.asarray(x, like=x),
    lambda x: np.astype(x, np.float64, copy=False),
]
COPIES: list[Callable[[Any], Any]] = [
    np.copy,
    lambda x: np.array(x, like=x),
    lambda x: np.reshape(x, (3, 2), copy=True),
    lambda x: np.astype(x, np.float64),
    lambda x: np.sort(x),
    lambda x: np.take(x, [0]),
    lambda x: np.take(x, 0, axis=0),
    lambda x: np.concatenate([x]),
    lambda x: np.repeat(x, 1),
    lambda x: np.tile(x, 1),
    lambda x: np.roll(x, 1),
    lambda x: np.pad(x, 0),
    lambda x: np.block(x),
    lambda x: np.meshgrid(x[0], x[0])[0],
    lambda x: np.where(x > 0, x, 0.0),
    lambda x: np.delete(x, []),
    lambda x: np.tril(x, 5),
    lambda x: np.full(x.shape, x, like=x),
]


@pytest.mark.parametrize("function", VIEWS)
def test_results_are_views_where_those_of_numpy_are(function: Callable[[Any], Any]) -> None:
    x = tensor(2, 3, requires_grad=False)
    assert np.shares_memory(function(x), x)
    assert function(tensor(2, 3) * 1).requires_grad


@pytest.mark.parametrize("function", COPIES)
def test_results_are_copies_where_those_of_numpy_are(function: Callable[[Any], Any]) -> None:
    x = tensor(2, 3, requires_grad=False)
    assert not np.may_share_memory(function(x), x)
    assert not np.shares_memory(function(x), x.numpy())


def test_a_reshape_without_a_copy_is_refused_where_strides_forbid_it() -> None:
    with pytest.raises(ValueError, match="Unable to avoid creating a copy"):
        np.reshape(tensor(2, 3).T, 6, copy=False)
    with pytest.raises(ValueError, match="Unable to avoid copy"):
        np.asarray([1.0], like=tensor(2), copy=False)


def test_atleast_gives_arrays_on_the_memory_of_tensors_without_history() -> None:
    x = tensor(3, requires_grad=False)
    for function in (np.atleast_1d, np.atleast_2d, np.atleast_3d):
        result = function(x)
        assert type(result) is np.ndarray
        assert np.shares_memory(result, x.numpy())
        assert isinstance(function(tensor(3)), wg.Tensor)
    first, second, third = np.atleast_1d(x, tensor(2), 1.5)
    assert (type(first), type(second), type(third)) == (np.ndarray, wg.Tensor, np.ndarray)
    with wg.autograd.forward_ad.dual_level():
        dual = wg.autograd.forward_ad.make_dual(x, x)
        assert wg.autograd.forward_ad.unpack_dual(np.atleast_2d(dual)).tangent.tolist() == [x.tolist()]


def test_memory_order_is_that_of_the_request() -> None:
    x = tensor(2, 3)
    assert np.asfortranarray(x, like=x).stride() == (1, 2)
    assert np.require(x, requirements=["F"], like=x).stride() == (1, 2)
    assert np.ascontiguousarray(x.T, like=x).is_contiguous()
    assert np.ravel(x.T, order="K").tolist() == x.reshape(-1).tolist()
    assert np.ravel(x.T, order="A").tolist() == x.reshape(-1).tolist()
    assert np.reshape(x.T, (2, 3), order="A").tolist() == np.reshape(x.detach().numpy().T, (2, 3), order="A").tolist()
    with pytest.raises(ValueError, match='both "C" and "F"'):
        np.require(x, requirements=["C", "F"], like=x)


def test_shares_memory_takes_tensors_with_a_history_and_arrays() -> None:
    x = tensor(4)
    assert np.shares_memory(x, x.detach().numpy())
    assert not np.shares_memory(x[::2], x[1::2])
    assert np.may_share_memory(x[::2], x[1::2])


# ---- values that calls do not compare


def test_partitions_have_smaller_elements_before_and_larger_ones_after() -> None:
    x = wg.tensor([5.0, 1.0, 4.0, 2.0, 3.0], requires_grad=True)
    result = np.partition(x, 2)
    assert result[2] == 3
    assert bool((result[:2] < 3).all())
    assert x[np.argpartition(x, 2)].tolist() == result.tolist()
    (grad,) = wg.autograd.grad(result[2], x)
    assert grad.tolist() == [0.0, 0.0, 0.0, 0.0, 1.0]


def test_unique_values_are_those_of_numpy_in_order() -> None:
    x = wg.tensor([3.0, 1.0, 3.0, 2.0], requires_grad=True)
    result = np.unique_values(x)
    assert result.tolist() == sorted(np.unique_values(x.detach().numpy()).tolist())
    assert wg.autograd.grad(result[2], x)[0].tolist() == [1.0, 0.0, 0.0, 0.0]  # the first of equal elements


def test_results_of_unique_have_the_fields_of_numpy() -> None:
    x = tensor(3)
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        result, expected = getattr(np, name)(x), getattr(np, name)(x.detach().numpy())
        assert type(result).__name__ == type(expected).__name__
        assert result._fields == expected._fields


def test_empty_tensors_have_the_shape_and_dtype_that_are_asked_for() -> None:
    x = tensor(2, 3)
    assert np.empty((2, 1), like=x).dtype is wg.float64
    assert np.empty_like(x, dtype="int8").dtype is wg.int8
    assert tuple(np.empty_like(x, shape=(4,)).shape) == (4,)
    assert np.empty_like(x, dtype=wg.float32).dtype is wg.float32
    assert np.zeros(2, dtype=wg.float16, like=x).dtype is wg.float16


def test_types_of_results_are_dtypes_of_numpy() -> None:
    x = tensor(2)
    assert np.result_type(x, np.int8) == np.float64
    assert np.can_cast(wg.float32, x.detach().numpy().dtype)
    assert np.common_type(x) is np.float64
    assert np.min_scalar_type(wg.tensor(3)) == np.uint8


def test_text_shows_the_values_of_tensors_with_a_history() -> None:
    x = tensor(2)
    assert np.array2string(x) == "[0.5 1.5]"
    assert np.array_repr(x) == "array([0.5, 1.5])"


@pytest.mark.parametrize("write", [np.save, np.savetxt, np.savez, np.savez_compressed])
def test_files_take_tensors_without_a_derivative_only(write: Callable[..., Any], tmp_path: Path) -> None:
    x = tensor(2, 2)
    name = str(tmp_path / ("x.npz" if write in (np.savez, np.savez_compressed) else "x.npy"))
    with pytest.raises(TypeError, match=rf"{write.__name__}\(\): .*save x.detach\(\)"):
        write(name, x)
    write(name, x.detach())
    loaded = np.loadtxt(name) if write is np.savetxt else np.load(name)
    if not isinstance(loaded, np.ndarray):
        with loaded:
            loaded = loaded["arr_0"]
    assert loaded.tolist() == x.tolist()


def test_a_file_becomes_a_tensor(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    np.arange(3.0).tofile(path)
    assert np.fromfile(path, like=tensor(1)).tolist() == [0.0, 1.0, 2.0]
    path.write_text("1 2\n3 4\n")
    columns = np.loadtxt(path, unpack=True, like=tensor(1))
    assert columns.tolist() == [[1.0, 3.0], [2.0, 4.0]]


def test_readers_keep_the_tensor_type_with_bytes() -> None:
    assert isinstance(np.frombuffer(bytes(8), like=tensor(1)), wg.Tensor)


# ---- vmap

MAPPED: list[Callable[[Any], Any]] = [
    lambda x: np.reshape(x, (3, 2), order="F"),
    lambda x: np.transpose(x),
    lambda x: np.roll(x, 1, axis=1),
    lambda x: np.repeat(x, [1, 0, 2], axis=1),
    lambda x: np.concatenate([x, np.ones((1, 3))]),
    lambda x: np.stack([x, x * 2], axis=1),
    lambda x: np.insert(x, 1, x[0], axis=0),
    lambda x: np.delete(x, 1, axis=1),
    lambda x: np.take(x, [0, 2], axis=1),
    lambda x: np.take_along_axis(x, np.argsort(-x, axis=1), axis=1),
    lambda x: np.where(x > 1, x, 0.0),
    lambda x: np.select([x > 2, x > 1], [x, -x]),
    lambda x: np.sort(x, axis=0),
    lambda x: np.searchsorted(np.array([0.0, 1.0, 2.0]), x),
    lambda x: np.pad(x, 1, "reflect", reflect_type="odd"),
    lambda x: np.pad(x, 1, "linear_ramp"),
    lambda x: np.linspace(x[0], x[1], 4),
    lambda x: np.tril(x),
    lambda x: np.diag(x[0]),
    lambda x: np.atleast_3d(x),
    lambda x: np.zeros_like(x) + x,
    lambda x: np.full_like(x, 2.0) * x,
    lambda x: np.array([x, x], like=x),
    lambda x: np.vander(x[0]),
    lambda x: np.block([[x, x]]),
    lambda x: np.meshgrid(x[0], x[1])[1],
    lambda x: np.isin(x, [1.5, 2.5]),
]


@pytest.mark.parametrize("function", MAPPED)
def test_vmap_gives_what_a_loop_gives(function: Callable[[Any], Any]) -> None:
    x = (tensor(4, 2, 3, requires_grad=False) * 7) % 5
    got, expected = wg.vmap(function)(x), wg.stack([wg.as_tensor(function(row)) for row in x])
    assert got.tolist() == expected.tolist()


def test_vmap_writes_in_place() -> None:
    def write(x: Any, v: Any) -> Any:
        y = x * 1
        np.put(y, [0, 0], v)
        np.copyto(y[1:], -v)
        return y

    x, v = tensor(4, 3, requires_grad=False), tensor(4, 2, requires_grad=False)
    expected = wg.stack([write(one, other) for one, other in zip(x, v, strict=True)])
    assert wg.vmap(write)(x, v).tolist() == expected.tolist()
