"""NumPy's ufuncs on tensors: which there are, dtypes, operands, arguments, errors, methods, derivatives."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert.autograd import forward_ad
from wengert_numpy.operands import FROM_NUMPY
from wengert_numpy.ufuncs import rows as ufuncs

from .numpy_calls import Call, assert_derivatives, assert_same_values
from .numpy_calls_ufuncs import CALLS, FUNCTIONS

UFUNCS = {f.__name__: f for f in vars(np).values() if isinstance(f, np.ufunc)}
PRESENT = sorted(name for name in UFUNCS if name not in ufuncs.ABSENT)
DTYPES = [
    dtype for dtype in map(np.dtype, "?bBhHiIqQefdFD") if dtype in FROM_NUMPY
]  # fmt: skip
FIRST = {"b": [1, 0, 1, 1, 0], "i": [3, -2, 0, 5, -7], "u": [3, 2, 0, 5, 7], "f": [0.5, -1.25, 0.0, 2.5, -3.0],
         "c": [0.5 + 1j, -1.25, 0.0, 2.5 - 2j, -3.0 + 0.5j]}
SECOND = {"b": [1, 1, 0, 1, 0], "i": [2, 3, 1, -2, 0], "u": [2, 3, 1, 4, 0], "f": [2.0, -0.5, 0.75, 1.5, -2.5],
          "c": [2.0 + 1j, -0.5, 0.75j, 1.5, -2.5]}
TOLERANCES = {"float16": 2e-3, "float32": 2e-6, "complex64": 1e-5}
EDGES = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.5, 1e300])
COMPLEX_LOOPS = {"logaddexp"}
"""Ufuncs that the op computes for complex numbers, where NumPy has no loop."""


def test_each_ufunc_of_numpy_is_in_the_table_or_absent_with_a_reason() -> None:
    for name, ufunc in UFUNCS.items():
        assert (ufuncs.row_of(ufunc) is None) == (name in ufuncs.ABSENT), name


@pytest.mark.parametrize("name", sorted(ufuncs.ABSENT))
def test_a_ufunc_that_is_absent_says_what_to_use(name: str) -> None:
    with pytest.raises(TypeError, match=rf"{name}\(\) does not take wengert's tensors"):
        UFUNCS[name](wg.ones(2))


# ---- dtypes


def outcome(call: Callable[[], Any]) -> tuple[tuple[Any, ...], BaseException | None]:
    """Return the results of a call, and its error."""
    try:
        with np.errstate(all="ignore"):
            result = call()
    except (TypeError, ValueError, OverflowError) as error:
        return (), error
    return result if isinstance(result, tuple) else (result,), None


def samples(ufunc: Any, kinds: tuple[np.dtype[Any], ...]) -> list[np.ndarray[Any, Any]]:
    """Return an array of each dtype, in the shapes that the ufunc takes."""
    arrays = [np.array(values[kind.kind]).astype(kind) for values, kind in zip((FIRST, SECOND), kinds, strict=False)]
    if ufunc.__name__ == "matvec":
        arrays[0] = np.stack([arrays[0], arrays[0][::-1]])
    if ufunc.__name__ == "vecmat":
        arrays[1] = np.stack([arrays[1], arrays[1][::-1]], 1)
    return arrays


def assert_as_numpy(ufunc: Any, arrays: list[Any], operands: list[Any]) -> None:
    """Assert that a ufunc of operands gives the values and dtypes, or the error, that it gives for arrays."""
    expected, error = outcome(lambda: ufunc(*arrays))
    results, own_error = outcome(lambda: ufunc(*operands))
    if error is None and any(one.dtype not in FROM_NUMPY for one in expected):
        assert isinstance(own_error, TypeError)
        assert "tensors do not have dtype" in str(own_error)
        return
    if error is not None:
        assert isinstance(own_error, type(error)) or ufunc.__name__ in COMPLEX_LOOPS, repr(own_error)
        return
    assert own_error is None, repr(own_error)
    for wanted, found in zip(expected, results, strict=True):
        array = found.numpy()
        assert array.dtype == wanted.dtype
        assert array.shape == wanted.shape
        tolerance = TOLERANCES.get(wanted.dtype.name, 1e-12)
        np.testing.assert_allclose(array, wanted, rtol=tolerance, atol=tolerance)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", PRESENT)
def test_all_combinations_of_dtypes_give_numpys_values_dtypes_and_errors(name: str) -> None:
    ufunc = UFUNCS[name]
    for kinds in itertools.product(DTYPES, repeat=ufunc.nin):
        arrays = samples(ufunc, kinds)
        for masks in itertools.product((True, False), repeat=ufunc.nin):
            if any(masks):
                operands = [wg.tensor(a) if is_tensor else a for a, is_tensor in zip(arrays, masks, strict=True)]
                assert_as_numpy(ufunc, arrays, operands)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", [name for name in PRESENT if UFUNCS[name].signature is None])
def test_infinities_nan_and_signed_zeros_give_what_numpy_gives(name: str) -> None:
    ufunc = UFUNCS[name]
    arrays = [EDGES] if ufunc.nin == 1 else [EDGES[:, None], EDGES]
    if name == "ldexp":
        arrays[1] = np.array([0, 1, -1, 2000])
    assert_as_numpy(ufunc, arrays, [wg.tensor(a) for a in arrays])


# ---- values and derivatives


@pytest.mark.parametrize("call", CALLS, ids=repr)
def test_tensors_give_the_values_dtypes_and_shapes_of_arrays(call: Call) -> None:
    with np.errstate(all="ignore"):
        assert_same_values(call)


@pytest.mark.parametrize("call", [one for one in CALLS if one.gradient], ids=repr)
def test_derivatives_agree_with_differences(call: Call) -> None:
    assert_derivatives(call)


def test_the_calls_name_each_ufunc_of_elements() -> None:
    elements = {name for name in PRESENT if UFUNCS[name].signature is None}
    assert elements - {call.name for call in FUNCTIONS} == set()


def test_the_derivative_of_cbrt_is_right_for_negative_numbers_and_infinite_at_zero() -> None:
    x = wg.tensor([-8.0, 0.0, 27.0], dtype=wg.float64, requires_grad=True)
    np.cbrt(x).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), [1 / 12, np.inf, 1 / 27])


def test_powers_of_integers_to_negative_integers_are_refused_as_in_numpy() -> None:
    with pytest.raises(ValueError, match="Integers to negative integer powers are not allowed"):
        np.power(wg.tensor([1, 2]), -1)


# ---- errors

A = np.arange(6.0).reshape(2, 3)
SMALL = np.array([1, -2, 3], np.int8)
ERRORS: list[tuple[str, Callable[[Callable[[Any], Any]], Any]]] = [
    ("could not be broadcast together with shapes", lambda t: np.add(t(A), np.ones(4))),
    ("could not be broadcast together with shapes", lambda t: np.add(t(SMALL), np.ones(4))),
    ("could not be broadcast together with shapes", lambda t: np.ones(4) * t(A)),
    ("out of bounds for int8", lambda t: np.add(t(SMALL), 300)),
    ("out of bounds for int8", lambda t: np.multiply(2**40, t(SMALL))),
    ("mismatch in its core dimension 0", lambda t: np.matmul(t(A), A)),
    ("does not have enough dimensions", lambda t: np.matmul(t(A), 2)),
    ("single", lambda t: np.matmul(t(A), A.T, axis=0)),
    ("keepdims", lambda t: np.matmul(t(A), A.T, keepdims=True)),
    ("axes should be a list with an entry for all 3", lambda t: np.matmul(t(A), A.T, axes=[(0, 1), (0, 1)])),
    ("operand 2 has 2 core dimensions", lambda t: np.matmul(t(A), A, axes=[(1, 0), (0, 1), (0,)])),
    ("axes should be a list", lambda t: np.matmul(t(A), A, axes=((1, 0), (0, 1), (0, 1)))),
    ("got an unexpected keyword argument 'where'", lambda t: np.matmul(t(A), A.T, where=A > 0)),
    ("mismatch in its core dimension 0", lambda t: np.vecdot(t(A), np.ones(2))),
    ("does not have enough dimensions", lambda t: np.vecdot(t(A), 2)),
    ("axis 5 is out of bounds", lambda t: np.vecdot(t(A), A, axis=5)),
    ("cannot specify both 'axis' and 'axes'", lambda t: np.vecdot(t(A), A, axis=0, axes=[0, 0])),
    ("unexpected keyword argument 'axis'", lambda t: np.add(t(A), A, axis=0)),
    ("cannot specify both", lambda t: np.add(t(A), A, dtype="f4", signature="ff->f")),
    ("a type-string for add, 2 typecode", lambda t: np.add(t(A), A, signature="f4")),
    ("", lambda t: np.add(t(A), A, signature="d")),
    ("must be specified of length 3", lambda t: np.add(t(A), A, signature=("f4", "f4"))),
    ("must be a string or a tuple", lambda t: np.add(t(A), A, signature=np.float32)),
    ("Cannot cast ufunc 'add' input 0", lambda t: np.add(t(A), A, dtype="f4", casting="safe")),
    ("No loop matching", lambda t: np.sin(t(A), dtype=int)),
    ("casting must be one of", lambda t: np.add(t(A), A, casting="xx")),
    ("Cannot cast ufunc 'add' output", lambda t: np.add(t(A), 1, out=t(np.zeros((2, 3), int)))),
    ("(3,)", lambda t: np.add(t(A), A, out=t(np.zeros(3)))),
    ("not supported for the input types", lambda t: np.bitwise_and(t(A), 1)),
    ("not supported for the input types", lambda t: np.floor(t(A * 1j))),
    ("not supported for the input types", lambda t: np.arctan2(t(A * 1j), t(A * 1j))),
    ("", lambda t: np.add(t(A), None)),
    ("", lambda t: np.add(t(A), object())),
    ("boolean", lambda t: np.negative(t(A > 0))),
    ("boolean subtract", lambda t: np.subtract(t(A > 0), t(A > 0))),
]


@pytest.mark.parametrize(("phrase", "call"), ERRORS, ids=[f"{i}-{phrase}" for i, (phrase, _) in enumerate(ERRORS)])
def test_bad_arguments_raise_the_error_of_numpy(phrase: str, call: Callable[[Callable[[Any], Any]], Any]) -> None:
    (_, expected), (_, error) = outcome(lambda: call(lambda a: a)), outcome(lambda: call(wg.tensor))
    assert expected is not None
    assert isinstance(error, type(expected)), repr(error)
    assert phrase in str(expected)
    assert phrase in str(error)


@pytest.mark.parametrize("dtype", [object, "M8[s]", "U3", np.longdouble])
def test_arrays_of_dtypes_that_tensors_lack_are_refused_by_name(dtype: Any) -> None:
    with pytest.raises(TypeError, match=r"add\(\): an operand is an array of .*, which tensors do not have"):
        np.add(wg.ones(2), np.zeros(2, dtype))


@pytest.mark.parametrize("other", ["x", object(), {}, {1.0}], ids=lambda one: type(one).__name__)
def test_operands_that_are_no_numbers_are_refused_by_name(other: Any) -> None:
    with pytest.raises(TypeError, match=r"add\(\)|unsupported operand"):
        np.add(wg.ones(2), other)


# ---- out= and where=


def test_a_tensor_for_out_is_written_to_with_its_history() -> None:
    x = wg.tensor(A, requires_grad=True)
    out = wg.zeros(2, 3, dtype=wg.float64)
    assert np.multiply(x, x, out=out) is out
    out.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * A)


def test_where_keeps_what_out_has_elsewhere_and_its_history() -> None:
    x, y = wg.tensor(A, requires_grad=True), wg.tensor(A + 10, requires_grad=True)
    out = y * 1
    np.exp(x, out=out, where=A > 2)
    np.testing.assert_allclose(out.detach().numpy(), np.where(A > 2, np.exp(A), A + 10))
    out.sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), np.where(A > 2, np.exp(A), 0))
    np.testing.assert_array_equal(y.grad.numpy(), A <= 2)


@pytest.mark.parametrize("where", [A > 2, wg.tensor(A > 2), [True, False, True], [1, 0, 1]], ids=str)
def test_where_is_an_array_a_tensor_or_a_list(where: Any) -> None:
    mask = np.asarray(where, bool)
    for out in (wg.zeros(2, 3, dtype=wg.float64), np.zeros((2, 3))):
        assert np.add(wg.tensor(A), 1, out=out, where=where) is out
        np.testing.assert_array_equal(np.asarray(out), np.where(mask, A + 1, 0))


def test_where_without_out_gives_zeros_elsewhere() -> None:
    x = wg.tensor(A, requires_grad=True)
    result = np.log(x, where=A > 0)
    np.testing.assert_allclose(result.detach().numpy(), np.log(A, where=A > 0, out=np.zeros((2, 3))))
    (grad,) = wg.autograd.grad(result.sum(), x)
    assert grad[0, 1] == 1


def test_an_array_for_out_takes_values_but_no_history() -> None:
    x, out = wg.tensor(A, requires_grad=True), np.zeros((2, 3))
    assert np.add(x.detach(), 1, out=out) is out
    np.testing.assert_array_equal(out, A + 1)
    with pytest.raises(TypeError, match="cannot hold the derivative"):
        np.add(x, 1, out=out)
    with forward_ad.dual_level(), pytest.raises(TypeError, match="cannot hold the derivative"):
        np.sin(forward_ad.make_dual(wg.tensor(A), wg.tensor(A)), out=out)


def test_out_may_be_positional_or_a_tuple_and_of_several() -> None:
    x = wg.tensor(A, requires_grad=True)
    first, second = wg.zeros(2, 3, dtype=wg.float64), wg.zeros(2, 3, dtype=wg.float64)
    fraction, whole = np.modf(x / 2, out=(first, None))
    assert fraction is first
    assert whole is not second
    assert np.modf(x / 2, first, second) == (first, second)
    np.testing.assert_array_equal(second.detach().numpy(), np.modf(A / 2)[1])
    assert np.add(x, 1, first) is first
    assert np.add(x, 1, out=(first,)) is first


def test_out_alone_may_be_a_tensor() -> None:
    out = wg.zeros(2, 3, dtype=wg.float64)
    assert np.add(A, 1, out=out) is out
    np.testing.assert_array_equal(out.numpy(), A + 1)


def test_casting_allows_what_numpy_allows_for_out() -> None:
    out = wg.zeros(2, 3, dtype=wg.int64)
    np.add(wg.tensor(A + 0.5), 1, out=out, casting="unsafe")
    np.testing.assert_array_equal(out.numpy(), (A + 1.5).astype(int))


# ---- operators

OPERATORS = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
             operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]


@pytest.mark.parametrize("op", OPERATORS, ids=lambda op: op.__name__)
def test_operators_take_arrays_on_either_side(op: Callable[[Any, Any], Any]) -> None:
    x, y = A + 0.5, A[::-1] + 1.25
    t, u = wg.tensor(x, requires_grad=True), wg.tensor(y, requires_grad=True)
    for result in (op(t, y), op(x, u)):
        assert isinstance(result, wg.Tensor)
        np.testing.assert_allclose(result.detach().numpy(), op(x, y))
        assert result.requires_grad == result.dtype.is_floating_point


def test_the_matrix_product_takes_arrays_on_either_side() -> None:
    x, y = wg.tensor(A, requires_grad=True), wg.tensor(A.T, requires_grad=True)
    for result in (A @ y, x @ A.T):
        np.testing.assert_allclose(result.detach().numpy(), A @ A.T)
        assert result.grad_fn is not None


def test_in_place_operators_of_arrays_take_values_and_refuse_histories() -> None:
    array = A.copy()
    alias = array
    array += wg.tensor(A)
    assert array is alias
    np.testing.assert_array_equal(array, 2 * A)
    with pytest.raises(TypeError, match="cannot hold the derivative"):
        array *= wg.tensor(A, requires_grad=True)
    np.testing.assert_array_equal(array, 2 * A)


def test_in_place_operators_of_tensors_take_arrays() -> None:
    x = wg.tensor(A, requires_grad=True)
    y = x * 1
    y += A
    y *= A
    y.sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), A)


class Refusing:
    """An operand that takes part in no ufunc."""

    __array_ufunc__ = None

    def __rmul__(self, other: Any) -> str:
        return "rmul"


class Answering:
    """An operand with its own protocol."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> str:
        return f"{ufunc.__name__} of {len(inputs)}"


def test_operands_with_a_protocol_of_their_own_answer() -> None:
    t = wg.ones(2)
    assert t * Refusing() == "rmul"
    with pytest.raises(TypeError):
        np.multiply(t, Refusing())
    assert np.multiply(t, Answering()) == "multiply of 2"
    assert np.multiply(Answering(), t) == "multiply of 2"


# ---- methods


def test_at_adds_as_often_as_an_index_occurs_and_is_recorded() -> None:
    x, values = wg.tensor(A, requires_grad=True), wg.tensor([1.0, 2.0, 4.0], dtype=wg.float64, requires_grad=True)
    target = x * 1
    np.add.at(target, ([0, 0, 1], [1, 1, 2]), values)
    expected = A.copy()
    np.add.at(expected, ([0, 0, 1], [1, 1, 2]), [1.0, 2.0, 4.0])
    np.testing.assert_array_equal(target.detach().numpy(), expected)
    (target**2).sum().backward()
    np.testing.assert_array_equal(x.grad.numpy(), 2 * expected)
    np.testing.assert_array_equal(values.grad.numpy(), [2 * expected[0, 1], 2 * expected[0, 1], 2 * expected[1, 2]])


@pytest.mark.parametrize("name", ["multiply", "maximum", "subtract", "power"])
def test_at_of_any_ufunc_gives_numpys_values(name: str) -> None:
    ufunc, target, expected = UFUNCS[name], wg.tensor(A), A.copy()
    ufunc.at(target, (slice(None), [0, 2, 2]), 3.0)
    ufunc.at(expected, (slice(None), [0, 2, 2]), 3.0)
    np.testing.assert_array_equal(target.numpy(), expected)


def test_at_of_a_ufunc_of_one_input_changes_the_elements() -> None:
    target = wg.tensor(A)
    np.negative.at(target, [1])
    np.testing.assert_array_equal(target.numpy(), A * [[1], [-1]])


# ---- forward mode, batches, subclasses


@pytest.mark.parametrize("name", ["sin", "cbrt", "fabs", "modf", "sign"])
def test_ufuncs_of_one_input_have_tangents_and_are_batched(name: str) -> None:
    x = A - 2.25
    slopes = {"sin": np.cos(x), "cbrt": np.cbrt(x) ** -2 / 3, "fabs": np.sign(x), "modf": 1, "sign": 0}
    first = (lambda t: np.modf(t)[0]) if name == "modf" else UFUNCS[name]
    with forward_ad.dual_level():
        dual = first(forward_ad.make_dual(wg.tensor(x), wg.ones(2, 3, dtype=wg.float64)))
        tangent = forward_ad.unpack_dual(dual).tangent
    if name != "sign":  # the tangent of a constant may be none
        np.testing.assert_allclose(tangent.numpy(), np.broadcast_to(slopes[name], x.shape))
    np.testing.assert_allclose(wg.vmap(first)(wg.tensor(x)).numpy(), first(x))


def test_a_product_with_an_array_has_a_tangent_and_is_batched() -> None:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(wg.tensor(A), wg.ones(2, 3, dtype=wg.float64))
        for product in (A * dual, dual * A, np.multiply(A, dual), np.multiply(dual, A)):
            np.testing.assert_array_equal(forward_ad.unpack_dual(product).tangent.numpy(), A)
        total = np.matmul(A.T, dual)
        np.testing.assert_array_equal(forward_ad.unpack_dual(total).tangent.numpy(), A.T @ np.ones((2, 3)))
    for function in (lambda t: A[0] * t, lambda t: t - A[0], lambda t: np.matmul(A, t), lambda t: np.vecdot(t, A)):
        np.testing.assert_allclose(wg.vmap(function)(wg.tensor(A)).numpy(), np.stack([function(row) for row in A]))


class Vector(wg.Tensor):
    """A subclass of tensors."""


def test_subclasses_are_operands_of_ufuncs() -> None:
    v = wg.tensor(A, requires_grad=True).as_subclass(Vector)
    for function in (np.sin, lambda t: A * t, lambda t: np.add(t, 1, dtype=np.float64), lambda t: np.add.reduce(t)):
        result = function(v)
        np.testing.assert_allclose(result.detach().numpy(), function(A))
        assert isinstance(result, wg.Tensor)
        assert result.grad_fn is not None


def test_floats_of_16_bits_of_either_kind_are_computed_in_their_dtype() -> None:
    for dtype in (wg.float16, wg.bfloat16):
        x = wg.tensor([1.0, 2.0], dtype=dtype)
        for result in (np.sin(x), np.multiply(x, 2), np.cbrt(x), np.add(x, 1.5, dtype=None)):
            assert result.dtype is dtype
