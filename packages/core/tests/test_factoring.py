"""Factorizations by LAPACK against the references that compute them without it: strides, batches, failures, threads."""

import itertools
import os

import numpy as np
import pytest
import wengert_core as wc
from wengert_core.drivers.linalg import lapack
from wengert_core.dtypes.dtypes import ALL as DTYPES

DTYPE_NAMES = ("float32", "float64", "complex64", "complex128")
OPS = {name: getattr(wc, f"linalg_{name}") for name in
       ("cholesky_ex", "inv_ex", "solve_ex", "solve_triangular", "lu_factor_ex", "qr", "lu_solve", "det", "slogdet",
        "eigh", "svd")}
ONE = [("inv_ex", {}), ("lu_factor_ex", {}), ("det", {}), ("slogdet", {}),
       *(("qr", {"mode": mode}) for mode in ("reduced", "complete", "r")),
       *(("cholesky_ex", {"upper": upper}) for upper in (False, True))]
TRIANGULAR = [{"upper": upper, "left": left, "unitriangular": unit} for upper, left, unit in
              itertools.product((False, True), repeat=3)]
TWO = [("solve_ex", {"left": True}), ("solve_ex", {"left": False}),
       *(("solve_triangular", kept) for kept in TRIANGULAR)]


def matrices(dtype, *shape, seed=0):
    """Well-conditioned matrices with a heavy diagonal."""
    numbers = np.random.default_rng(seed)
    x = numbers.standard_normal(shape) + (1j * numbers.standard_normal(shape) if dtype.startswith("c") else 0)
    return (x + 3 * np.eye(*shape[-2:])).astype(dtype)


def positive(x):
    return x @ x.conj().swapaxes(-2, -1)


def layouts(x):
    """The same matrices row-major, column-major, with gaps, and with steps that BLAS does not take."""
    rows, columns = x.shape[-2:]
    yield wc.from_numpy(x.copy())
    yield wc.from_numpy(np.ascontiguousarray(x.swapaxes(-2, -1))).mT
    for name, (down, right) in {"rows": (1, 2), "both": (2, 3)}.items():
        wide = np.zeros((*x.shape[:-2], rows * down, columns * right), x.dtype)
        wide[..., ::down, ::right] = x
        part = wc.from_numpy(wide)[..., ::down, ::right]
        assert part.shape == x.shape, name
        yield part
    wide = np.zeros((*x.shape[:-2], rows, columns + 2), x.dtype)
    wide[..., :columns] = x
    yield wc.from_numpy(wide)[..., :columns]


def reference_results(op, *arguments):
    with np.errstate(all="ignore"):
        found = op.reference(np, *arguments)
    return found if isinstance(found, tuple) else (found,)


def check(op, found, wanted, dtype):
    found = found if isinstance(found, tuple) else (found,)
    bound = 2e-4 if DTYPES[dtype].itemsize // (2 if dtype.startswith("c") else 1) == 4 else 1e-10
    for mine, theirs in zip(found, wanted, strict=True):
        assert tuple(mine.shape) == np.shape(theirs)
        np.testing.assert_allclose(mine.numpy(), theirs, rtol=bound, atol=bound)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_lapack_is_found_in_numpys_wheels(dtype):
    name = np.show_config(mode="dicts")["Build Dependencies"]["lapack"]["name"]
    if name != "scipy-openblas":
        pytest.skip(f"NumPy has been built with {name}, which may not let its routines be found")
    wanted = os.environ.get("WENGERT_KERNELS", "") != "python"
    assert {name: lapack.by_lapack(op, DTYPES[dtype]) for name, op in OPS.items()} == dict.fromkeys(OPS, wanted)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize(("name", "kept"), ONE, ids=str)
def test_one_matrix_in_every_layout(name, kept, dtype):
    shapes = [(3, 3), (2, 1, 4, 4), (20, 20)] + ([(5, 3), (2, 3, 5)] if name in ("qr", "lu_factor_ex") else [])
    for shape in shapes:
        a = matrices(dtype, *shape)
        a = positive(a) if name == "cholesky_ex" else a
        wanted = reference_results(OPS[name], a, *kept.values())
        for x in layouts(a):
            check(OPS[name], OPS[name](x, **kept), wanted, dtype)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize(("name", "kept"), TWO, ids=str)
def test_two_matrices_in_every_layout(name, kept, dtype):
    for front, other in (((), ()), ((2,), (3, 1)), ((3, 1), (2,)), ((), (2,))):
        a = matrices(dtype, *front, 4, 4)
        b = matrices(dtype, *other, *((4, 3) if kept["left"] else (3, 4)), seed=1)
        wanted = reference_results(OPS[name], a, b, *kept.values())
        for x, y in zip(layouts(a), layouts(b), strict=True):
            check(OPS[name], OPS[name](x, y, **kept), wanted, dtype)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("size", [15, 16, 17, 33, 128, 129])
def test_systems_of_any_size_by_steps_or_by_blas(size, dtype):
    a, b = matrices(dtype, 2, size, size) + size * np.eye(size, dtype=dtype), matrices(dtype, 2, size, 9, seed=1)
    for x, y in zip(layouts(a), layouts(b), strict=True):
        for upper in (False, True):
            found = OPS["solve_triangular"](x, y, upper=upper).numpy()
            np.testing.assert_allclose((np.triu(a) if upper else np.tril(a)) @ found, b, rtol=1e-3, atol=2e-4)
        np.testing.assert_allclose(a @ OPS["solve_ex"](x, y)[0].numpy(), b, rtol=1e-3, atol=2e-4)
        eye = np.broadcast_to(np.eye(size, dtype=dtype), a.shape)
        np.testing.assert_allclose(a @ OPS["inv_ex"](x)[0].numpy(), eye, rtol=1e-3, atol=2e-4)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_vectors_are_right_sides_as_well(dtype):
    a, b = matrices(dtype, 2, 4, 4), matrices(dtype, 2, 4, seed=1)
    for right in (b, b[0]):
        check(OPS["solve_ex"], OPS["solve_ex"](wc.from_numpy(a), wc.from_numpy(right)),
              reference_results(OPS["solve_ex"], a, right, True), dtype)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize(("left", "adjoint"), list(itertools.product((False, True), repeat=2)))
def test_systems_of_known_factors_in_every_layout(left, adjoint, dtype):
    sizes = ((4, 3, (), ()), (4, 3, (2,), (3, 1)), (3, 1, (3, 1), (2,)), (20, 9, (), (2,)), (150, 9, (), ()))
    for n, k, front, other in sizes:
        a = matrices(dtype, *front, n, n)
        a[..., :, 0], a[..., :, 1] = a[..., :, 1].copy(), a[..., :, 0].copy()      # rows are swapped
        b = matrices(dtype, *other, *((n, k) if left else (k, n)), seed=1)
        matrix = a.conj().swapaxes(-2, -1) if adjoint else a
        lu, pivots, _ = OPS["lu_factor_ex"](wc.from_numpy(a))
        assert (pivots.numpy() != np.arange(1, n + 1)).any()
        spread = pivots.new_zeros(*pivots.shape, 2)
        spread[..., 0] = pivots
        for x, y in zip(layouts(lu.numpy()), layouts(b), strict=True):
            for rows in (pivots, spread[..., 0]):
                found = OPS["lu_solve"](x, rows, y, left=left, adjoint=adjoint).numpy()
                product = matrix @ found if left else found @ matrix
                np.testing.assert_allclose(*np.broadcast_arrays(product, b), 1e-3, 2e-4)


WIDTHS = [(1, 1), (1, 4), (4, 1), (3, 3), (2, 1, 5, 3), (2, 3, 5), (60, 4), (4, 60), (30, 30), (170, 165)]


def precision(dtype):
    return 1e-9 if dtype in ("float64", "complex128") else 3e-4


def rebuilt(parts, name):
    """The matrices that eigenvectors and eigenvalues, or singular ones, are of."""
    if name == "eigh":
        values, vectors = (x.numpy() for x in parts)
        return vectors * values[..., None, :] @ vectors.conj().swapaxes(-2, -1)
    u, values, vh = (x.numpy() for x in parts)
    k = values.shape[-1]
    return u[..., :k] * values[..., None, :] @ vh[..., :k, :]


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize("shape", [(1, 1), (3, 3), (2, 1, 4, 4), (30, 30), (170, 170)], ids=str)
def test_eigenvalues_of_the_triangle_that_is_asked_for(shape, upper, dtype):
    a = matrices(dtype, *shape)
    triangle = np.triu(a, 1) if upper else np.tril(a, -1)
    whole = triangle + triangle.conj().swapaxes(-2, -1) + np.eye(shape[-1]) * a.real
    for x in layouts(a):
        parts = OPS["eigh"](x, "U" if upper else "L", True)
        np.testing.assert_allclose(rebuilt(parts, "eigh"), whole, precision(dtype), precision(dtype))
        assert (np.diff(parts[0].numpy()) >= 0).all()
        assert parts[1].stride()[-2:] == (1, shape[-1])
        values, nothing = OPS["eigh"](x, "U" if upper else "L", False)
        assert nothing.shape == (0,)
        np.testing.assert_allclose(values.numpy(), parts[0].numpy(), precision(dtype), precision(dtype))


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("shape", WIDTHS, ids=str)
def test_singular_values_in_every_layout(shape, full, dtype):
    a = matrices(dtype, *shape)
    m, n, k = *shape[-2:], min(shape[-2:])
    for x in layouts(a):
        parts = OPS["svd"](x, full, True)
        np.testing.assert_allclose(rebuilt(parts, "svd"), a, precision(dtype), precision(dtype))
        assert (parts[0].shape[-2:], parts[2].shape[-2:]) == (((m, m), (n, n)) if full else ((m, k), (k, n)))
        for vectors in (parts[0].numpy(), parts[2].numpy().conj().swapaxes(-2, -1)):
            eye = np.broadcast_to(np.eye(vectors.shape[-1]), (*shape[:-2], *vectors.shape[-1:] * 2))
            np.testing.assert_allclose(vectors.conj().swapaxes(-2, -1) @ vectors, eye, atol=min(precision(dtype), 1e-4))
        assert (np.diff(parts[1].numpy()) <= 0).all()
        none, values, nothing = OPS["svd"](x, full, False)
        assert (none.shape, nothing.shape) == ((0,), (0,))
        np.testing.assert_allclose(values.numpy(), parts[1].numpy(), precision(dtype), precision(dtype))


def test_pivots_of_no_row_are_refused():
    lu, b = wc.eye(3), wc.ones(3, 2)
    for pivots in ([1, 2, 4], [0, 2, 3], [1, -5, 3]):
        with pytest.raises(RuntimeError, match="between 1 and 3 inclusive"):
            OPS["lu_solve"](lu, wc.tensor(pivots, dtype=wc.int32), b)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_determinants_of_singular_and_infinite_matrices(dtype):
    singular = np.array([[0, 1], [0, 1]], dtype)
    det, sign, size = OPS["det"](wc.from_numpy(singular))[0], *OPS["slogdet"](wc.from_numpy(singular))[:2]
    assert (det.item(), sign.item(), size.item()) == (0, 0, -np.inf)
    if not dtype.startswith("c"):
        sign, size = OPS["slogdet"](wc.from_numpy(np.diag([np.inf, -2]).astype(dtype)))[:2]
        assert (sign.item(), size.item()) == (-1, np.inf)


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_pivots_that_are_zero_are_numbered_as_without_lapack(dtype):
    first, last = np.array([[0, 1], [0, 1]], dtype), np.array([[0, 0], [1, 1]], dtype)
    a = np.stack([first, matrices(dtype, 2, 2), last])
    for name, arguments in {"inv_ex": (), "solve_ex": (np.ones((2, 2), dtype),), "lu_factor_ex": ()}.items():
        found = OPS[name](wc.from_numpy(a), *map(wc.from_numpy, arguments))
        assert found[2 if name == "lu_factor_ex" else 1].tolist() == [1, 0, 2]
        if name != "lu_factor_ex":
            assert [bool(np.isnan(x).all()) for x in found[0].numpy()] == [True, False, True]


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
@pytest.mark.parametrize("n", [1, 5, 70])
def test_a_factorization_that_stops_leaves_the_columns_before_the_pivot(dtype, n):
    orders = [0, n // 2, n - 1]
    a = np.stack([positive(matrices(dtype, n, n))] * 4)
    for matrix, order in zip(a, orders, strict=False):
        matrix[order, order] = -1
    for upper in (False, True):
        found = OPS["cholesky_ex"](wc.from_numpy(a), upper=upper)
        assert found[1].tolist() == [*(order + 1 for order in orders), 0]
        check(OPS["cholesky_ex"], found, reference_results(OPS["cholesky_ex"], a, upper), dtype)
        for matrix, factor, k in zip(a, found[0].numpy(), orders, strict=False):
            lower, asked = (factor.conj().T, matrix.conj().T) if upper else (factor, matrix)
            left = lower[:, :k]
            np.testing.assert_allclose(left @ lower[:k, :k].conj().T, asked[:, :k], 1e-3, 1e-3)
            np.testing.assert_allclose(lower[k, k], asked[k, k] - (abs(left[k]) ** 2).sum(), 1e-3, 1e-3)
            np.testing.assert_array_equal(lower[k + 1:, k:], np.tril(asked)[k + 1:, k:])


@pytest.mark.parametrize("dtype", DTYPE_NAMES)
def test_a_pivot_that_is_not_a_number_stops_the_factorization(dtype):
    a = positive(matrices(dtype, 6, 6))
    a[4, 2] = np.nan
    found, info = OPS["cholesky_ex"](wc.from_numpy(a))
    assert info.tolist() == 5
    assert np.isnan(found.numpy()[4, [2, 3, 4]].real).all()
    np.testing.assert_array_equal(found.numpy()[5, 4:], a[5, 4:])


def test_a_zero_on_the_diagonal_of_a_triangle_gives_infinities():
    a = wc.tensor([[1.0, 2.0], [0.0, 0.0]])
    x = OPS["solve_triangular"](a, wc.ones(2, 1), upper=True)
    assert x.tolist() == [[-float("inf")], [float("inf")]]


def test_threads_share_the_matrices_of_a_batch_and_change_nothing():
    a = wc.from_numpy(positive(matrices("float32", 300, 20, 20)))
    b = wc.from_numpy(matrices("float32", 300, 20, 20, seed=1))
    calls = {"cholesky_ex": (a,), "inv_ex": (b,), "solve_ex": (b, a), "lu_factor_ex": (b,), "qr": (b,), "det": (b,),
             "slogdet": (b,), "eigh": (a,), "svd": (b,), "lu_solve": (*OPS["lu_factor_ex"](b)[:2], a)}
    before = wc.get_num_threads()
    several = {name for name in calls if name != "lu_solve"}
    results = []
    try:
        for threads in (1, 4):
            wc.set_num_threads(threads)
            found = {name: OPS[name](*given) for name, given in calls.items()}
            found = {name: xs if name in several else (xs,) for name, xs in found.items()}
            results.append({name: [x.numpy().tobytes() for x in xs] for name, xs in found.items()})
    finally:
        wc.set_num_threads(before)
    assert results[0] == results[1]


@pytest.mark.parametrize("n", [3, 80])
@pytest.mark.parametrize("batch", [(), (2,)])
def test_results_lie_column_by_column(n, batch):
    a = np.random.default_rng(n).normal(size=(*batch, n, n)) + n * np.eye(n)
    square, b = a @ a.swapaxes(-2, -1), np.random.default_rng(1).normal(size=(*batch, n, 2))
    (q, r), (lu, pivots, _) = wc.linalg_qr(wc.tensor(a), "reduced"), wc.linalg_lu_factor_ex(wc.tensor(a))
    permutation, low, up = wc._lu_unpack(lu, pivots)
    upper = wc.linalg_solve_triangular(wc.tensor(a), wc.tensor(b), upper=True)
    pairs = [
        (wc.linalg_inv_ex(wc.tensor(a))[0], np.linalg.inv(a)),
        (wc.linalg_cholesky_ex(wc.tensor(square))[0], np.linalg.cholesky(square)),
        (wc.linalg_solve_ex(wc.tensor(a), wc.tensor(b))[0], np.linalg.solve(a, b)),
        (upper, np.linalg.solve(np.triu(a), b)),
        (wc.linalg_eigh(wc.tensor(square))[1].abs(), np.abs(np.linalg.eigh(square)[1])),
        (q @ r, a),
        (permutation @ low @ up, a),
    ]
    for got, expected in pairs:
        np.testing.assert_allclose(np.asarray(got), expected, 1e-9, 1e-9)
    for matrix in (pairs[0][0], pairs[1][0], pairs[2][0], upper, q, r, lu, wc.linalg_eigh(wc.tensor(square))[1]):
        assert matrix.stride()[-2:] == (1, n)
