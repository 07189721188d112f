"""Products and factorizations by MKL or a library that WENGERT_BLAS names, and on how many threads."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = pytest.mark.native("the processes that the tests start choose the kernels")
BUNDLED = sorted(Path(np.__file__).parent.parent.glob("numpy.libs/libscipy_openblas*.so*"))
COMPILER = shutil.which("cc") or shutil.which("gcc")
PROGRAM = """
import numpy as np, wengert_core as wc
from wengert_core.drivers.linalg.gemm import uses_chosen
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


def run(blas: str, program: str = PROGRAM, **environment: str) -> tuple[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True,
        env={**os.environ, "WENGERT_BLAS": blas, **environment})
    return done.stdout.strip(), done.stderr


def in_environment(folder: Path) -> str:
    """The program where Python's environment is said to be this folder."""
    return f"import sys; sys.prefix = {str(folder)!r}\n{PROGRAM}"


@pytest.mark.skipif(not BUNDLED, reason="this NumPy has no BLAS of its own beside it, which the test could name")
def test_products_are_computed_by_the_library_that_is_named():
    assert run(str(BUNDLED[0]), WENGERT_KERNELS="") == ("True", "")


@pytest.mark.skipif(not BUNDLED, reason="this NumPy has no BLAS of its own beside it, which could stand for MKL")
@pytest.mark.parametrize(("wanted", "used"), [("", "True"), ("numpy", "False")])
def test_mkl_is_used_where_it_is_installed_unless_numpys_is_wanted(tmp_path, wanted, used):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libmkl_rt.so.3").symlink_to(BUNDLED[0])
    assert run(wanted, in_environment(tmp_path), WENGERT_KERNELS="") == (used, "")


def test_a_file_that_is_not_mkl_is_passed_over(tmp_path):
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "libmkl_rt.so.3").write_bytes(b"")
    assert run("", in_environment(tmp_path), WENGERT_KERNELS="") == ("False", "")


COUNTING = """
int asked[16], count = 0;
int MKL_Set_Num_Threads_Local(int number) {
    int before = count ? asked[count - 1] : 0;
    asked[count++] = number;
    return before;
}
"""


@pytest.mark.skipif(not BUNDLED, reason="this NumPy has no BLAS of its own beside it, which could stand for MKL")
@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler for a library that counts")
@pytest.mark.parametrize(("size", "asked"), [(20, [1, 0]), (100, [1, 0]), (200, [])])
def test_small_products_by_mkl_stay_on_the_thread_that_calls(tmp_path, size, asked):
    library = tmp_path / "libcounting.so"
    (tmp_path / "counting.c").write_text(COUNTING)
    subprocess.run([COMPILER, "-shared", "-fPIC", "counting.c", "-o", library, "-Wl,--no-as-needed", BUNDLED[0],
                    f"-Wl,-rpath,{BUNDLED[0].parent}"],
                   cwd=tmp_path, check=True)
    program = f"""
import ctypes, wengert_core as wc
from wengert_core.drivers.linalg.gemm import uses_chosen
assert uses_chosen()
library = ctypes.CDLL({str(library)!r})
count = ctypes.c_int.in_dll(library, "count")
count.value = 0
x = wc.ones({size}, {size})
assert (x @ x)[0, 0].item() == {size}
print(list((ctypes.c_int * 16).in_dll(library, "asked"))[:count.value])
"""
    assert run(str(library), program, WENGERT_KERNELS="") == (str(asked), "")


@pytest.mark.skipif(not BUNDLED, reason="this NumPy has no BLAS of its own beside it, whose threads could be counted")
def test_set_num_threads_1_keeps_a_large_product_on_the_calling_thread():
    program = """
import threading, wengert_core as wc
x = wc.ones(600, 600)
from wengert_core.runtime import blas_lookup as blas
seen = []
wc.set_num_threads(1)
before = blas.num_threads()
done = threading.Event()
def watch():
    while not done.is_set():
        seen.append(blas.num_threads())
watcher = threading.Thread(target=watch)
watcher.start()
for _ in range(50):
    x @ x
done.set()
watcher.join()
print(1 in seen or before <= 1, blas.num_threads() == before)
"""
    assert run("", program, WENGERT_KERNELS="")[0].split() == ["True", "True"]


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
