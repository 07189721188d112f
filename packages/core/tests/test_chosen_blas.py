"""WENGERT_BLAS: products and factorizations by a library that the user names."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

BUNDLED = sorted(Path(np.__file__).parent.parent.glob("numpy.libs/libscipy_openblas*.so*"))
PROGRAM = """
import numpy as np, wengert_core as wc
from wengert_core.products import uses_chosen
rng = np.random.default_rng(0)
def some(shape, dtype):
    x = rng.normal(size=shape)
    return (x + 1j * rng.normal(size=shape) if dtype.startswith("complex") else x).astype(dtype)
for dtype in ("float32", "float64", "complex64", "complex128"):
    for shapes in (((3, 4), (4, 5)), ((2, 3, 4), (2, 4, 5)), ((40, 30), (30, 20)), ((1, 4), (4, 5)), ((3, 0), (0, 2))):
        a, b = [some(s, dtype) for s in shapes]
        close = lambda x, y: np.testing.assert_allclose(x.numpy(), y, 1e-4, 1e-4)
        close(wc.from_numpy(a) @ wc.from_numpy(b), a @ b)
        t = lambda x: wc.from_numpy(np.ascontiguousarray(np.swapaxes(x, -1, -2))).transpose(-1, -2)
        close(t(a) @ wc.from_numpy(b), a @ b)
        close(wc.from_numpy(a) @ t(b), a @ b)
        close(wc.from_numpy(a)[..., ::2, :] @ t(b)[..., ::2], a[..., ::2, :] @ b[..., ::2])
    m = some((4, 4), dtype) + 4 * np.eye(4, dtype=dtype)
    close(wc.TABLE.ops["linalg.inv"](wc.from_numpy(m)), np.linalg.inv(m))
print(uses_chosen())
"""


def run(blas: str, **environment: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True,
        env={**os.environ, "WENGERT_BLAS": blas, **environment})
    return done.stdout.strip(), done.stderr


@pytest.mark.skipif(not BUNDLED, reason="this NumPy has no BLAS of its own beside it, which the test could name")
def test_products_are_computed_by_the_library_that_is_named():
    assert run(str(BUNDLED[0]), WENGERT_KERNELS="") == ("True", "")


def test_python_kernels_use_none():
    assert run(str(BUNDLED[0]) if BUNDLED else "libm.so.6", WENGERT_KERNELS="python")[0] == "False"


@pytest.mark.parametrize(("name", "why"), [
    ("/nowhere/libblas.so", "it cannot be opened"),
    ("libm.so.6", "it has no dgemm and dpotrf under a name that is known"),
])
def test_a_library_that_is_of_no_use_is_reported_and_numpys_used(name, why):
    used, errors = run(name, WENGERT_KERNELS="")
    assert used == "False"
    assert errors.count("RuntimeWarning") == 1
    assert f"WENGERT_BLAS={name}: {why}" in errors
