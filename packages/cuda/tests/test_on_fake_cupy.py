"""wengert-cuda without a GPU: its plugin with a stand-in for CuPy, its kernels compiled as C++ for the host."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import compiled
import pytest

FOLDER = Path(__file__).parent
NEEDS = [] if compiled.COMPILER else ["g++, which compiles CUDA's source as C++"]
NEEDS += [] if shutil.which("gcc") else ["gcc, which compiles the stand-in for cuBLAS"]
NEEDS += [] if importlib.util.find_spec("scipy") else ["scipy, which stands for cupyx.scipy"]


@pytest.mark.skipif(bool(NEEDS), reason=f"needs {' and '.join(NEEDS)}")
def test_programs_on_fake_cupy():
    """In a process of its own: there CuPy is another one for good."""
    files = sorted(set(FOLDER.glob("*_on_fake_cupy.py")) - {Path(__file__)}, reverse=True)
    assert files[0].name == "programs_on_fake_cupy.py"  # first: it counts the memory of the process
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib",
               *map(str, files)]  # fmt: skip
    environment = {name: value for name, value in os.environ.items() if name != "WENGERT_TEST_DEVICE"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 200
