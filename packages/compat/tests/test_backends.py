"""wengert.backends and wengert.version: what is there, and settings that are kept, as in PyTorch 2.13 without a GPU."""

import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest
import wengert as wg
from wengert_compat.backends import mkl

CUDNN = {"enabled": True, "benchmark": False, "deterministic": False, "allow_tf32": True}


def run(program, **variables):
    ours = {name: value for name, value in os.environ.items() if not name.startswith("WENGERT_")}
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False,
                          env={**ours, **variables})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("library", ["cudnn", "mkldnn", "mps", "openmp"])
def test_a_library_that_is_not_used_is_not_available(library):
    assert getattr(wg.backends, library).is_available() is False


def test_there_is_no_code_for_mps():
    assert wg.backends.mps.is_built() is False


def test_cudnn_has_no_version():
    assert wg.backends.cudnn.version() is None


def test_cuda_is_built_where_a_plugin_brings_the_device():
    program = "import wengert as wg; print(wg.backends.cuda.is_built())"
    assert run(program) == "True"  # wengert-cuda is installed with the other packages
    assert run(program, WENGERT_DISABLE_PLUGINS="wengert-cuda") == "False"


def test_mkl_is_asked_for_in_the_memory_of_the_process(tmp_path, monkeypatch):
    maps = tmp_path / "maps"
    monkeypatch.setattr(mkl, "LOADED", maps)
    for line, expected in [("7f01 r-xp /opt/lib/libmkl_rt.so.2", True), ("7f01 r-xp /opt/libopenblas.so.0", False)]:
        maps.write_text(line + "\n")
        assert mkl.is_available() is expected


def test_mkl_is_available_where_wengert_opens_it(tmp_path):
    """A copy of NumPy's library stands for it."""
    found = [*Path(np.__file__).parent.with_name("numpy.libs").glob("*openblas*.so")]
    if not found:
        pytest.skip("NumPy has no OpenBLAS of its own here")
    copy = tmp_path / "libmkl_rt.so.2"
    shutil.copy(found[0], copy)
    program = "import wengert as wg; print(wg.backends.mkl.is_available())"
    assert run(program, WENGERT_BLAS=str(copy)) == "True"
    assert run(program, WENGERT_BLAS="numpy") == "False"


@pytest.mark.parametrize(("name", "default"), CUDNN.items())
def test_a_setting_of_cudnn_has_its_default_and_is_kept(name, default):
    cudnn = wg.backends.cudnn
    assert getattr(cudnn, name) is default
    setattr(cudnn, name, not default)
    try:
        assert getattr(cudnn, name) is (not default)
    finally:
        setattr(cudnn, name, default)


def settings(module, *names):
    return tuple(getattr(module, name) for name in names)


def test_flags_hold_for_a_block():
    cudnn = wg.backends.cudnn
    assert cudnn.benchmark_limit is None
    with cudnn.flags():
        assert settings(cudnn, *CUDNN) == (False, False, False, True)
    with cudnn.flags(enabled=True, benchmark=True, benchmark_limit=3, deterministic=True, allow_tf32=False):
        assert settings(cudnn, *CUDNN) == (True, True, True, False)
    assert settings(cudnn, *CUDNN) == tuple(CUDNN.values())


def test_flags_go_back_to_what_was_set():
    cudnn = wg.backends.cudnn
    cudnn.benchmark = True
    try:
        with cudnn.flags(deterministic=True):
            assert settings(cudnn, "benchmark", "deterministic") == (False, True)
        assert settings(cudnn, *CUDNN) == (True, True, False, True)
    finally:
        cudnn.benchmark = False


def test_flags_go_back_when_the_block_raises():
    with pytest.raises(ZeroDivisionError), wg.backends.cudnn.flags(deterministic=True):
        1 / wg.backends.cudnn.enabled
    assert settings(wg.backends.cudnn, *CUDNN) == tuple(CUDNN.values())


@pytest.mark.parametrize(("name", "wrong"), [("enabled", "x"), ("benchmark", 1)])
def test_flags_are_bools(name, wrong):
    with pytest.raises(RuntimeError, match=f"set_{name}_cudnn expects a bool, but got {type(wrong).__name__}"):
        wg.backends.cudnn.flags(**{name: wrong}).__enter__()
    assert settings(wg.backends.cudnn, *CUDNN) == tuple(CUDNN.values())


def test_flags_that_do_not_exist():
    with pytest.raises(TypeError, match="unexpected keyword argument 'foo'"):
        wg.backends.cudnn.flags(foo=1)


def test_flags_of_mkldnn():
    mkldnn = wg.backends.mkldnn
    with mkldnn.flags():
        assert settings(mkldnn, "enabled", "deterministic") == (False, False)
    assert settings(mkldnn, "enabled", "deterministic") == (True, False)


def test_flags_of_the_package_itself():
    program = """
from wengert_compat.backends import cudnn
with cudnn.flags():
    print(cudnn.enabled, end=" ")
print(cudnn.enabled)
"""
    assert run(program) == "False True"


@pytest.mark.parametrize(("name", "default"), [
    ("allow_tf32", False), ("allow_fp16_accumulation", False), ("allow_fp16_reduced_precision_reduction", True),
    ("allow_bf16_reduced_precision_reduction", True),
])  # fmt: skip
def test_a_setting_of_products_on_a_gpu_is_kept(name, default):
    matmul = wg.backends.cuda.matmul
    assert getattr(matmul, name) is default
    setattr(matmul, name, not default)
    assert getattr(matmul, name) is (not default)
    setattr(matmul, name, default)
    with pytest.raises(RuntimeError, match="expects a bool, but got str"):
        setattr(matmul, name, "x")


def test_settings_of_products_that_do_not_exist():
    with pytest.raises(AttributeError, match="Unknown attribute foo"):
        _ = wg.backends.cuda.matmul.foo
    with pytest.raises(AttributeError, match="Unknown attribute foo"):
        wg.backends.cuda.matmul.foo = 1


def test_the_version_is_the_distributions():
    assert wg.version.__version__ == metadata.version("wengert") == wg.__version__
    assert (wg.version.cuda, wg.version.hip, wg.version.debug) == (None, None, False)
    assert isinstance(wg.version.git_version, str)
