"""The example plugins as their users have them: built, installed into a fresh environment, found by their entry points.

The fresh environment sees the packages of the one that runs the tests, through a .pth file; a plugin is installed in
the fresh one alone, so only its entry points can have brought what it gives into wengert.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[1] / "docs" / "examples" / "plugin"
SINK = PLUGIN.with_name("sink")
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet")
LISTED = {"wengert.ops.v1", "wengert.formulas.v1"}


def succeed(command: list[str], **environment: str) -> str:
    """What a command prints; it has to end well."""
    switches = {"WENGERT_DISABLE_PLUGINS", "WENGERT_PLUGINS", "WENGERT_PLUGINS_STRICT", "WENGERT_PREFER"}
    clean = {name: value for name, value in os.environ.items() if name not in switches}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=clean | environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def build_wheel(source: Path, folder: Path) -> Path:
    """A plugin's wheel, built from a copy of its folder."""
    shutil.copytree(source, folder / "source", ignore=shutil.ignore_patterns("build", "*.egg-info", "__pycache__"))
    succeed([*PIP, "wheel", "--no-build-isolation", "--no-deps", "--wheel-dir", str(folder), str(folder / "source")])
    return next(folder.glob("wengert_*.whl"))


def fresh(wheel: Path, folder: Path) -> str:
    """The interpreter of a fresh environment with a plugin."""
    venv.create(folder, symlinks=True)
    ours = folder / "bin" / "python"
    asked = succeed([str(ours), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"])
    succeed([*PIP, "--python", str(ours), "install", "--no-deps", "--no-index", str(wheel)])
    shared = sorted({sysconfig.get_path("purelib"), sysconfig.get_path("platlib")})
    lines = [f"import site; site.addsitedir({path!r})" for path in shared]
    (Path(asked.strip()) / "beside.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(ours)


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The interpreter of a fresh environment with the plugin of operations."""
    return fresh(build_wheel(PLUGIN, tmp_path_factory.mktemp("wheel")), tmp_path_factory.mktemp("environment"))


@pytest.fixture(scope="module")
def with_sink(tmp_path_factory: pytest.TempPathFactory) -> str:
    """... and of one with the profiler sink."""
    return fresh(build_wheel(SINK, tmp_path_factory.mktemp("sink_wheel")), tmp_path_factory.mktemp("sink_environment"))


def run(python: str, program: str, **environment: str) -> str:
    return succeed([python, "-W", "error", "-c", program], **environment)


def plugins(python: str, *options: str, **environment: str) -> list[dict[str, object]]:
    """The rows of `python -m wengert plugins` that are the example's."""
    rows = json.loads(succeed([python, "-m", "wengert", "plugins", "--json", *options], **environment))
    return [row for row in rows if row["distribution"] == "wengert-acme"]


def test_importing_wengert_does_not_import_the_plugin(python: str) -> None:
    text = run(python, "import sys, wengert; print([name for name in sys.modules if 'acme' in name])")
    assert text == "[]\n"


def test_its_operations_are_names_of_wengert_and_methods_of_tensor(python: str) -> None:
    program = """
import wengert as wg
x = wg.tensor([-1e4, 0.0, 1e4], dtype=wg.float64)
print(wg.log_cosh(x).equal(x.log_cosh()), [round(v, 6) for v in wg.log_cosh(x).tolist()])
print(wg.cbrt(wg.tensor([8.0, 64.0])).round().tolist(), "log(cosh(self))" in wg.log_cosh.__doc__)
"""
    first, second = run(python, program).splitlines()
    assert first == "True [9999.306853, 0.0, 9999.306853]"
    assert second == "[2.0, 4.0] True"


def test_its_reverse_formulas_are_used(python: str) -> None:
    program = """
import wengert as wg
x = wg.tensor([0.5, -2.0], dtype=wg.float64, requires_grad=True)
y = wg.tensor([[2.0], [4.0]], dtype=wg.float64, requires_grad=True)
z = wg.log_cosh(x)
print(type(z.grad_fn).__name__)
z.sum().backward()
print(x.grad.equal(x.detach().tanh()))
(slope,) = wg.autograd.grad(wg.log_cosh(x).sum(), x, create_graph=True)
(second,) = wg.autograd.grad(slope.sum(), x)
print(bool(((second - 1 / x.detach().cosh() ** 2).abs() < 1e-12).all()))
gx, gy = wg.autograd.grad(wg.rel_entr(x.abs(), y).sum(), (x, y))
print([round(v, 6) for v in gx.tolist()], [round(v, 6) for v in gy.flatten().tolist()])
"""
    node, first, second, pair = run(python, program).splitlines()
    assert node == "LogCoshBackward0"
    assert (first, second) == ("True", "True")
    # d/dx = sign(x) (log(|x| / y) + 1), summed over y; d/dy = -|x| / y, summed over x
    assert pair == "[-1.465736, -1.306853] [-1.25, -0.625]"


def test_its_forward_formulas_are_used(python: str) -> None:
    program = """
import wengert as wg
from wengert_core.dispatch.op import find
from wengert_formulas.forward import jvp
wg.rel_entr
x, y, t = (wg.tensor([v], dtype=wg.float64) for v in (0.5, 2.0, 1.0))
for op, values, tangents in (("log_cosh", [x], [t]), ("rel_entr", [x, y], [t, None]), ("rel_entr", [x, y], [None, t])):
    print(round(jvp(find(op), values, tangents)[0].item(), 6))
"""
    assert run(python, program).split() == ["0.462117", "-0.386294", "-0.25"]


def test_it_is_listed_with_its_distribution(python: str) -> None:
    table = succeed([python, "-m", "wengert", "plugins"])
    assert any(line.split()[:4] == ["wengert.ops.v1", "acme", "wengert-acme", "0.3.0"] for line in table.splitlines())
    rows = plugins(python)
    assert {row["group"] for row in rows} == LISTED
    assert {(row["name"], row["version"], row["state"]) for row in rows} == {("acme", "0.3.0", "available")}
    assert {row["state"] for row in plugins(python, "--load")} == {"loaded"}


def test_it_can_be_switched_off(python: str) -> None:
    off = {"WENGERT_DISABLE_PLUGINS": "wengert-acme"}
    assert {row["state"] for row in plugins(python, **off)} == {"disabled"}
    program = "import wengert; print(hasattr(wengert, 'log_cosh'), hasattr(wengert, 'exp'))"
    assert run(python, program, **off) == "False True\n"


def test_its_own_tests_pass(python: str) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-c", str(PLUGIN / "pyproject.toml")]
    succeed([python, "-B", "-m", "pytest", *options, str(PLUGIN / "tests")])


def test_a_sink_writes_profiles_where_its_package_is_installed(with_sink: str, tmp_path: Path) -> None:
    program = """
import sys, wengert as wg
print([name for name in sys.modules if 'csv_sink' in name])
with wg.autograd.profiler.profile(sinks=['csv:operations.csv']):
    wg.ones(3) * 2
"""
    script = tmp_path / "script.py"
    target = tmp_path / "operations.csv"
    assert run(with_sink, program.replace("operations.csv", str(target))) == "[]\n"
    lines = target.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "name,calls,self_cpu_us,cpu_us,memory_bytes"
    assert {line.split(",")[0] for line in lines[1:]} == {"aten::ones", "aten::mul"}
    script.write_text("import wengert as wg\nwg.ones(3).exp()\n", encoding="utf-8")
    succeed([with_sink, "-m", "wengert.profile", "--sink", f"csv:{tmp_path / 'again.csv'}", str(script)])
    assert "aten::exp" in (tmp_path / "again.csv").read_text(encoding="utf-8")


def test_a_sink_that_is_not_installed_is_named(python: str) -> None:
    program = """
import wengert as wg
try:
    wg.autograd.profiler.profile(sinks=['csv']).__enter__()
except ValueError as error:
    print(error)
"""
    assert "there is no sink 'csv'" in run(python, program)


def test_the_sinks_own_tests_pass(with_sink: str) -> None:
    options = ["-q", "-p", "no:cacheprovider", "-c", str(SINK / "pyproject.toml")]
    succeed([with_sink, "-B", "-m", "pytest", *options, str(SINK / "tests")])
