"""When the package is loaded, how its names are imported, and what there is without it."""

import subprocess
import sys

import pytest

LOADED = "print(sorted(name for name in sys.modules if name.startswith('wengert_compat')))"


def run(program):
    done = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def test_importing_wengert_loads_nothing_of_it():
    assert run(f"import sys, wengert; {LOADED}") == ["[]"]


def test_its_names_are_listed_before_it_is_loaded():
    program = f"import sys, wengert as wg; print({{'jit', 'compile', 'to_dlpack'}} <= set(dir(wg))); {LOADED}"
    assert run(program) == ["True", "[]"]


def test_a_name_loads_its_own_module_alone():
    program = f"import sys, wengert as wg; wg.jit.is_tracing(); {LOADED}"
    assert run(program) == ["['wengert_compat', 'wengert_compat.jit', 'wengert_compat.jit_modules']"]


@pytest.mark.parametrize("statement", [
    "import wengert.jit", "import wengert.compiler", "import wengert._dynamo", "import wengert.version",
    "import wengert.backends.cudnn as cudnn; cudnn.benchmark = True; assert wengert.backends.cudnn.benchmark",
    "from wengert.backends import cudnn, mkl, mkldnn, mps, openmp", "from wengert.backends.cuda import matmul",
    "from wengert import jit, compile, to_dlpack, use_deterministic_algorithms",
    "from wengert.utils.dlpack import from_dlpack, to_dlpack", "from wengert.utils import dlpack",
    "import wengert._C; assert wengert._C._LinAlgError is wengert.linalg.LinAlgError",
    "from wengert.autograd import kineto_available; assert not kineto_available()",
    "from wengert.version import __version__, cuda", "from wengert.jit import *; script(ignore(is_tracing))",
])  # fmt: skip
def test_names_are_imported_as_torchs_are(statement):
    assert run(f"import wengert; {statement}") == []


def test_a_name_that_does_not_exist():
    program = """
import wengert as wg
for place in (wg.jit, wg.backends, wg.backends.cudnn, wg.version):
    print(hasattr(place, "no_such_name"))
"""
    assert run(program) == ["False"] * 4


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv("WENGERT_DISABLE_PLUGINS", "wengert-compat")
    program = """
import wengert as wg
print([hasattr(wg, name) for name in ("jit", "compile", "compiler", "version", "to_dlpack")])
print(hasattr(wg.utils, "dlpack"), wg.from_dlpack(wg.ones(1)).item())
"""
    assert run(program) == ["[False, False, False, False, False]", "False 1.0"]
