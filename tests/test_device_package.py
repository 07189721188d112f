"""The example device as its users have it: built, installed into a fresh environment, found by its entry point."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "docs" / "examples" / "device"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")


def succeed(command: list[str], **environment: str) -> str:
    """What a command prints; it has to end well."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("WENGERT_")}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=clean | environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of a fresh environment with the package, which sees those of the environment that runs the
    tests.
    """
    folder = tmp_path_factory.mktemp("device")
    source = folder / "source"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    succeed([*PIP, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(folder), str(source)])
    venv.create(folder / "environment", symlinks=True)
    ours = folder / "environment" / "bin" / "python"
    wheel = next(folder.glob("wengert_disk-*.whl"))
    succeed([*PIP, "--python", str(ours), "install", "--no-deps", "--no-index", str(wheel)])
    place = succeed([str(ours), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]).strip()
    shared = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    lines = [f"import site; site.addsitedir({path!r})" for path in shared]
    (Path(place) / "beside.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(ours)


def run(python: str, program: str) -> str:
    return succeed([python, "-W", "error", "-c", program])


def test_importing_wengert_does_not_import_it(python):
    assert run(python, "import sys, wengert; print([name for name in sys.modules if 'disk' in name])") == "[]\n"


def test_a_suite_that_knows_of_no_devices_runs_on_it(python):
    """As the authors of a device try it: the tests of backward, with the plugin of pytest."""
    suite = str(Path(__file__).parent / "torch_parity" / "reference" / "test_backward.py")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "wengert_testing.on_device", suite]
    assert " passed" in succeed(command, WENGERT_TEST_DEVICE="disk")


def test_the_first_use_of_its_name_loads_it(python):
    program = """
import wengert as wg
x = wg.arange(3.0, device="disk", requires_grad=True)
(x * x).sum().backward()
print(x.grad)
print(wg.zeros(2, 2, device="disk").device, wg.cuda.is_available())
"""
    assert run(python, program).splitlines() == ["tensor([0., 2., 4.], device='disk:0')", "disk:0 False"]


def test_it_is_listed_with_its_distribution(python):
    table = succeed([python, "-m", "wengert", "plugins"])
    expected = ["wengert.devices.v1", "disk", "wengert-disk", "0.2.0"]
    assert any(line.split()[:4] == expected for line in table.splitlines())


def test_it_is_about_a_hundred_lines():
    source = (PACKAGE / "src" / "wengert_disk" / "__init__.py").read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 110


def test_its_own_tests_pass(python):
    options = ["-q", "-p", "no:cacheprovider", "-c", str(PACKAGE / "pyproject.toml")]
    succeed([python, "-B", "-m", "pytest", *options, str(PACKAGE / "tests")])
