"""Plugins that are wrong on purpose: wengert and another plugin work beside each, and a message names who is at fault.

Each case is installed beside a plugin that is right, in a folder of its own, and a process of its own uses all three.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from wengert_testing.plugins import install, run

TABLE = """
from wengert_core.optable.op_table import OpTable
TABLE = OpTable("{table}")
def twice(name, **settings):
    TABLE.pointwise_unary(name + "(Tensor self) -> Tensor", reference=lambda xp, x: x + x, doc="Twice.", **settings)
"""
FORMULAS = """
from wengert_formulas.table import FormulaTable
FORMULAS = FormulaTable("{table}")
"""
RIGHT = {
    "ops:right": "right_plugin:TABLE", "formulas:right": "right_plugin:FORMULAS",
            "namespace:right.hello": "right_more:hello",
    "namespace:Tensor.right_method": "right_more:method", "profiler_sinks:right": "right_more:Sink",
}  # fmt: skip
RIGHT_PLUGIN = (
    TABLE.format(table="right") + FORMULAS.format(table="right")
    + "twice('right_twice')\nFORMULAS.elementwise('right_twice', lambda self: 2)\n"
)
RIGHT_MORE = """
def hello(): return "hello"
def method(self): return self + 1
class Sink:
    def __init__(self, text=None): pass
    def write(self, profile): print("written", file=__import__("sys").stderr)
"""

PROGRAM = """
import contextlib, io, json, sys, warnings
printed = io.StringIO()
raised = []
with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(printed):
    warnings.simplefilter("always")
    import wengert as wg
    import wengert_core as wc
    Tensor, ones, linalg = wg.Tensor, wg.ones, wg.linalg
    for line in {probe!r}.splitlines():
        try:
            exec(line)
        except Exception as error:
            raised.append(f"{{type(error).__name__}}: {{error}}")
    # wengert is as before
    x = wg.tensor([0.5, 1.0], requires_grad=True)
    (wg.exp(x) * x).sum().backward()
    assert [round(v, 4) for v in x.grad.tolist()] == [2.4731, 5.4366], x.grad
    assert wg.Tensor is Tensor is wc.Tensor and isinstance(x, wg.Tensor) and wg.ones is ones
    assert wg.linalg is linalg and wg.linalg.det(wg.eye(2)).item() == 1
    assert round(wg.i0(wg.ones(1)).item(), 4) == round(wg.ones(1).i0().item(), 4) == 1.2661
    assert wg.vmap(wg.sin)(wg.zeros(2)).tolist() == [0, 0]
    assert wg.autograd.functional.jacobian(lambda v: v * 2, wg.ones(1)).item() == 2
    assert wg.nn.functional.relu(-wg.ones(1)).item() == 0 and not hasattr(wg, "no_such_name")
    assert wg.from_dlpack(wg.ones(2)).sum().item() == 2 and wg.zeros(1, device="cpu").item() == 0
    # so is the plugin that is right
    y = wg.tensor([3.0], requires_grad=True)
    wg.right_twice(y).backward()
    assert y.grad.item() == 2 and y.right_twice().item() == 6 and y.right_method().item() == 4
    assert wg.right.hello() == "hello"
    with wg.autograd.profiler.profile(sinks=["right"]):
        wg.ones(1) + 1
print(json.dumps([[str(one.message) for one in caught] + raised, sorted(wg.plugins.group("ops").names())]))
"""


class Wrong(NamedTuple):
    """A plugin that is wrong: what its entry points are, what its module holds, and what has to be said of it."""

    kind: str
    points: dict[str, str]
    source: str
    says: tuple[str, ...]
    probe: str = ""  # lines that run one by one


def ops(kind: str, rows: str, *says: str, probe: str = "wg.no_such_name", table: str = "aaa") -> Wrong:
    """One with an op table."""
    source = TABLE.format(table=table) + rows
    return Wrong(kind, {f"ops:{table}": "wrong_plugin:TABLE"}, source, (f"'{table} = wrong_plugin:TABLE'", *says),
            probe)


def name(kind: str, entry: str, source: str, *says: str, probe: str = "wg.no_such_name") -> Wrong:
    """One with a name of wengert."""
    return Wrong(kind, {f"namespace:{entry}": "wrong_plugin:value"}, source, (f"'{entry} = wrong_plugin:value'",
            *says), probe)


def formulas(kind: str, entry: str, source: str, *says: str, probe: str = "") -> Wrong:
    """One with derivatives."""
    text = FORMULAS.format(table=entry.partition(".")[0]) + source
    return Wrong(kind, {f"formulas:{entry}": "wrong_plugin:value"}, text, (f"'{entry} = wrong_plugin:value'", *says),
            probe)


def sink(kind: str, source: str, *says: str) -> Wrong:
    """One with a profiler sink, which is used."""
    probe = "with wg.autograd.profiler.profile(sinks=['wrong', 'right']): wg.ones(1) + 1"
    points = {"profiler_sinks:wrong": "wrong_plugin:value"}
    return Wrong(kind, points, source, ("'wrong = wrong_plugin:value' of wengert.profiler_sinks.v1", *says), probe)


MODULE = "import types\nvalue = types.ModuleType('value')\n"
FUNCTION = "def value(*args): return 'wrong'\n"
DEVICE = "from wengert_core.devices.plugin import DevicePlugin\nclass value(DevicePlugin):\n    type = 'wrongdevice'\n"
CASES = [
    ops("a row with the name of an op of core's", "twice('exp')", "wengert.exp", "the name is wengert's"),
    ops("a row with the name of an op of an optional part", "twice('i0')", "wengert.i0", "Tensor.i0",
            "wengert-special"),
    ops("the same, loaded first", "twice('i0')", "wengert.i0", probe="wg.plugins.group('ops').get('aaa')"),
    ops("a row with the name of a method", "twice('tolist')", "Tensor.tolist", "the name is wengert's"),
    ops("a row with the name of a class", "twice('Tensor')", "wengert.Tensor", "the name is wengert's"),
    ops("a row below a function", "twice('ones.wrong')", "wengert.ones.wrong", "only modules take names"),
    ops("a row in a module of ours", "twice('linalg.det')", "wengert.linalg.det", "the name is wengert's"),
    ops("a row with the name of another plugin's module", "twice('fine')\ntwice('right')", "wengert.right",
        "in which lies a name that is that of right 1", probe="wg.fine(wg.ones(1))"),
    ops("a row with another plugin's declared method", "twice('right_method')", "Tensor.right_method",
            "that of right 1"),
    ops("an op of core's in its table",
        "from wengert_core import exp, relu\nTABLE.add(exp, 'my_exp')\nTABLE.add(relu, 'abs')",
        "wengert.abs", probe="assert wg.my_exp is wg.exp\nwg.abs(wg.ones(1))"),
    ops("a table that hides names", "TABLE.hidden.add('exp')\ntwice('sin')", "wengert.sin",
        probe="assert 'exp' in dir(wg)\nwg.no_such_name"),
    ops("a method that Python calls", "twice('fine')\nTABLE.methods['__getattr__'] = lambda self, name: 1",
        "Tensor.__getattr__", "letters, digits and underscores"),
    Wrong("a table of another name", {"ops:aaa": "wrong_plugin:TABLE"}, TABLE.format(table="bbb"),
          ("'aaa = wrong_plugin:TABLE'", "named 'bbb'", "must agree"), "wg.no_such_name"),
    Wrong("no table", {"ops:aaa": "wrong_plugin:TABLE"}, "TABLE = 3", ("expected an OpTable", "got int"),
            "wg.no_such_name"),
    Wrong("a table with rows that are nothing", {"ops:aaa": "wrong_plugin:TABLE"},
          TABLE.format(table="aaa") + "TABLE.ops[3] = None", ("'aaa = wrong_plugin:TABLE'", "cannot be loaded"),
          "wg.no_such_name"),
    Wrong("the table of core", {"ops:core": "wrong_plugin:TABLE"}, TABLE.format(table="core") + "twice('exp')",
          ("'core = wrong_plugin:TABLE'", "the name is that of wengert-core"), "wg.no_such_name"),
    Wrong("a module that ends the process", {"ops:aaa": "wrong_plugin:TABLE"}, "raise SystemExit(3)",
          ("'aaa = wrong_plugin:TABLE'", "SystemExit: 3"), "wg.no_such_name"),
    Wrong("a module that raises", {"ops:aaa": "wrong_plugin:TABLE"}, "1 / 0", ("ZeroDivisionError",),
            "wg.no_such_name"),
    Wrong("a function that ends the process", {"ops:aaa": "wrong_plugin:load"}, "def load(): raise SystemExit",
          ("'aaa = wrong_plugin:load'", "SystemExit"), "wg.no_such_name"),
    Wrong("another generation", {"wengert.ops.v9:aaa": "wrong_plugin:TABLE"}, "",
          ("AttributeError", "made for wengert.ops.v9"), "wg.wrong_op"),
    formulas("the formulas of core", "core", "value = FORMULAS", "the name is that of wengert-formulas"),
    formulas("the formulas of another plugin", "right", "value = FORMULAS", "the name is that of right 1"),
    formulas("a formula in place of core's that is none", "core.exp", "value = 3", "expected the formula of one op"),
    formulas("one that is another op's", "core.exp", "FORMULAS.zero('sin')\nvalue = FORMULAS.entries['sin']",
             "the formula is of the op 'sin'"),
    formulas("one that names no argument", "core.exp",
             "FORMULAS.elementwise('exp', lambda nonsense: nonsense)\nvalue = FORMULAS.entries['exp']", "nonsense"),
    formulas("one that cannot be imported", "core.exp", "1 / 0", "ZeroDivisionError"),
    Wrong("one that says it is wengert's own",
          {"wengert.first_party.v1:aaa-wrong": "x", "formulas:core": "wrong_plugin:value"}, "value = 3",
          ("'core = wrong_plugin:value'", "the name is that of wengert-formulas")),
    ops("a table that hides a number", "twice('fine')\nTABLE.hidden = 3", "expected a set of names",
            probe="dir(wg)\nwg.fine"),
    name("a function of core's", "exp", FUNCTION, "the name is wengert's"),
    name("a class", "Tensor", MODULE, "the name is wengert's"),
    name("a name inside of a function", "ones.wrong", FUNCTION, "only modules take names"),
    name("a name inside of a class's method", "Tensor.exp.wrong", FUNCTION, "letters, digits and underscores"),
    name("a method of Tensor's", "Tensor.exp", FUNCTION, "the name is wengert's"),
    name("a method that Python calls", "Tensor.__getattr__", FUNCTION, "letters, digits and underscores"),
    name("a module as a method", "Tensor.wrong", MODULE, "expected a method of Tensor", probe="wg.ones(1).wrong"),
    name("a module of ours", "linalg", MODULE + "value.det = 3", "the name is wengert's"),
    name("a name in a module of ours", "autograd.backward", FUNCTION, "the name is wengert's",
            probe="wg.autograd.backward"),
    name("an optional part", "vmap", FUNCTION, "the name is that of wengert-functional"),
    name("a name that is none", "a..b", FUNCTION, "parts of letters, digits and underscores"),
    name("a name of Python's", "__getattr__", FUNCTION, "begins with two underscores"),
    name("a module that raises", "wrong", "1 / 0", "AttributeError", "ZeroDivisionError", probe="wg.wrong"),
    name("a module that ends the process", "wrong", "import sys; sys.exit(1)", "SystemExit",
            probe="import wengert.wrong"),
    name("a module whose list of names is wrong", "wrong", MODULE + "value.__all__ = ['absent']", "__all__",
         probe="wg.wrong"),
    name("a module whose changing names are none", "wrong", MODULE + "value.__changing__ = 5", "__changing__",
         probe="wg.wrong"),
    name("names that are no dict", "top.wrong", "value = 3", "expected a dict of names"),
    name("names that are there", "top.wrong",
            "value = {'exp': 3, 'fine': 4, 'Tensor.exp': 5, 'ones.x': 6, 'Tensor.x': len}",
         "wengert.exp", "Tensor.exp", "wengert.ones.x", probe="assert wg.fine == 4\nwg.no_such_name"),
    Wrong("a device that is none", {"devices:wrongdevice": "wrong_plugin:value"}, "value = 3",
          ("'wrongdevice = wrong_plugin:value'", "expected a class derived from", "got int"),
                  "wg.ones(1, device='wrongdevice')"),
    Wrong("a device without memory", {"devices:wrongdevice": "wrong_plugin:value"}, DEVICE,
          ("'wrongdevice = wrong_plugin:value'", "lacks device_count, allocate"), "wg.ones(1, device='wrongdevice')"),
    Wrong("the CPU", {"devices:cpu": "wrong_plugin:value"}, DEVICE.replace("wrongdevice", "cpu"),
          ("'cpu = wrong_plugin:value'", "wengert's own"), "wg.plugins.group('devices').load_all()"),
    Wrong("a device of a type that cannot be asked for", {"devices:gpu2": "wrong_plugin:value"},
            DEVICE.replace("wrongdevice", "gpu2"),
          ("'gpu2 = wrong_plugin:value'", "letters and underscores"), "wg.plugins.group('devices').load_all()"),
    Wrong("a sink of ours", {"profiler_sinks:chrome": "wrong_plugin:value"}, "value = 3",
          ("'chrome = wrong_plugin:value'", "the name is that of wengert-profiler")),
    sink("a sink that ends the process", "def value(text): raise SystemExit", "SystemExit"),
    sink("a sink that gives nothing", "def value(text): pass", "expected an object with write(profile)",
            "got NoneType"),
    sink("a sink that cannot be called", "value = 3", "not callable"),
    Wrong("a line that cannot be read", {"ops:aaa": "not a module"}, "", ("'aaa = not a module'",
            "expected 'name = module")),
]  # fmt: skip

@pytest.fixture
def folder(tmp_path: Path) -> Path:
    install(tmp_path, "right", RIGHT, right_plugin=RIGHT_PLUGIN, right_more=RIGHT_MORE)
    return tmp_path


def use(folder: Path, probe: str = "", **environment: str) -> str:
    """All that is said while wengert and the plugin that is right are used."""
    done = run(folder, "-c", PROGRAM.format(probe=probe), **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "written" in done.stderr
    return "\n".join(json.loads(done.stdout)[0])


def test_nothing_is_said_of_a_plugin_that_is_right(folder: Path) -> None:
    assert use(folder) == ""


@pytest.mark.parametrize("case", CASES, ids=[f"{at}-{case.kind}" for at, case in enumerate(CASES)])
def test_a_wrong_plugin_harms_nobody_and_is_named(folder: Path, case: Wrong) -> None:
    install(folder, "aaa-wrong", case.points, wrong_plugin=case.source)
    said = use(folder, case.probe)
    for part in ("aaa-wrong 1", *case.says):
        assert part in said, said


@pytest.mark.parametrize("case", CASES[::12], ids=[case.kind for case in CASES[::12]])
def test_nothing_is_said_of_a_wrong_plugin_that_is_disabled(folder: Path, case: Wrong) -> None:
    install(folder, "aaa-wrong", case.points, wrong_plugin=case.source)
    assert use(folder, WENGERT_DISABLE_PLUGINS="aaa-wrong") == ""


TAKEN = """
Tensor Tensor. Tensor.T Tensor.__add__ Tensor._base Tensor.foo.bar Tensor.grad Tensor.i0 Tensor.polygamma .x x. a..b
Generator Size __main__ __path__ autograd autograd.Function autograd.functional autograd.gradcheck
autograd.gradcheck.x autograd.graph autograd.graph.Node autograd.profiler compose comparing cuda cuda.is_available
default_generator dtype entry_points fft fft.fft float32 func func.grad i0 igamma inf linalg.LinAlgError manual_seed
max.dim memory memory.x modules newaxis nn nn.functional nn.functional.linear nn.functional.relu no_grad pi plugins
profile profile.main profiler profiler.profile random return_types return_types.max signal signal.windows.hann special
special.expit special.i0 strided testing testing.assert_close top.core utils utils.checkpoint vmap vmap.x
""".split()
EVERY = """
for name in names:
    at = wg
    try:
        for part in name.split("."):
            at = getattr(at, part)
    except AttributeError:
        continue
    assert at is not __import__("wrong_plugin").value, name
    try:
        __import__("wengert." + name)
    except ImportError:
        pass
assert {*dir(wg), *dir(wg.autograd), *dir(wg.nn)} and wg.return_types.max
assert wg.memory.__name__ == "wengert_core.memory"
assert wg.testing.assert_close(wg.ones(1), wg.ones(1)) is None and wg.autograd.graph.Node
from wengert.autograd import gradcheck
assert gradcheck(wg.sin, (wg.ones(1, dtype=wg.float64, requires_grad=True),))
"""


def test_names_of_every_kind_that_are_taken_are_refused(folder: Path) -> None:
    points = {f"namespace:{entry}": "wrong_plugin:value" for entry in TAKEN}
    install(folder, "aaa-wrong", points, wrong_plugin=FUNCTION)
    said = use(folder, f"names = {TAKEN!r}\nexec({EVERY!r})")
    for entry in TAKEN:
        assert f"entry point '{entry} = wrong_plugin:value' of wengert.namespace.v1, is refused" in said, entry
    assert "Error: " not in said


def test_names_of_every_kind_that_are_taken_are_refused_to_a_dict(folder: Path) -> None:
    install(folder, "aaa-wrong", {"namespace:top.wrong": "wrong_plugin:names"},
            wrong_plugin=f"{FUNCTION}def names(): return dict.fromkeys({TAKEN!r}, value)")
    said = use(folder, f"wg.no_such_name\nnames = {TAKEN!r}\nexec({EVERY!r})")
    for entry in sorted({*TAKEN} - {"top.core"}):
        shown = entry if entry.startswith("Tensor.") else f"wengert.{entry}"
        assert f" {shown}," in said, entry


def test_there_are_twenty_kinds_at_least() -> None:
    assert len({case.kind for case in CASES}) >= 20
