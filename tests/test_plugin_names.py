"""Names that plugins give to wengert: who gets one that several give, when they go, and what an absent one says."""

from __future__ import annotations

from pathlib import Path

import pytest
from wengert_testing.plugins import install, run

TABLE = """
from wengert_core.optable.op_table import OpTable
from wengert_formulas.table import FormulaTable
TABLE, FORMULAS = OpTable("{name}"), FormulaTable("{name}")
def row(name, factor):
    TABLE.pointwise_unary(name + "(Tensor self) -> Tensor", reference=lambda xp, x: x * factor, doc="A multiple.")
    FORMULAS.elementwise(name, lambda self: factor)
"""
START = "import warnings; warnings.simplefilter('ignore')\nimport wengert as wg\nx = wg.ones(1)\n"
LOUD = "import warnings; warnings.simplefilter('error')\nimport wengert as wg\nx = wg.ones(1)\n"


def table(folder: Path, distribution: str, name: str, rows: str) -> None:
    """Install a distribution with an op table and its formulas."""
    module = f"table_of_{name}"
    points = {f"ops:{name}": f"{module}:TABLE", f"formulas:{name}": f"{module}:FORMULAS"}
    install(folder, distribution, points, **{module: TABLE.format(name=name) + rows})


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two strangers whose tables share the name 'shared'."""
    table(tmp_path, "first", "one", "row('shared', 2)\nrow('only_first', 3)")
    table(tmp_path, "second", "two", "row('shared', 5)\nrow('only_second', 7)")
    return tmp_path


def succeed(folder: Path, program: str, **environment: str) -> list[str]:
    """The lines that a program prints."""
    done = run(folder, "-c", program, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


SHARED = """
print(wg.only_first(x).item(), x.only_second().item())
for attempt in (lambda: wg.shared, lambda: x.shared):
    try:
        print(attempt())
    except AttributeError as error:
        print(error)
"""


@pytest.mark.parametrize("load", ["", "wg.plugins.group('ops').get('two')", "wg.plugins.group('ops').get('one')"])
def test_a_clash_of_rows_costs_the_names_that_clash(two: Path, load: str) -> None:
    values, *errors = succeed(two, f"{START}{load}{SHARED}")
    assert values == "3.0 7.0"
    for error, name in zip(errors, ["'wengert' has no attribute 'shared'", "'Tensor' object has no"], strict=True):
        assert name in error
        for part in ("first 1", "second 1", "'one = table_of_one:TABLE' of wengert.ops.v1",
                'WENGERT_PREFER="ops:NAME='):
            assert part in error


def test_a_clash_is_one_warning_for_each_plugin(two: Path) -> None:
    program = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    import wengert as wg
    hasattr(wg, "shared"), hasattr(wg, "shared_"), hasattr(wg.Tensor, "shared"), wg.only_first
for one in caught:
    print(one.message)
"""
    lines = succeed(two, program)
    assert len(lines) == 2
    for line, mine in zip(lines, ("first 1", "second 1"), strict=True):
        assert line.startswith(f"plugin {mine}: op table")
        assert "gives Tensor.shared, Tensor.shared_, wengert.shared, wengert.shared_, which are refused" in line
        assert "only_" not in line


@pytest.mark.parametrize(("choice", "factor"), [("ops:shared*=first", 2), ("ops:one=first, ops:shar*=second", 5)])
def test_the_user_settles_a_clash_of_rows(two: Path, choice: str, factor: int) -> None:
    program = """
y = wg.ones(1, requires_grad=True)
wg.shared(y).backward()
print(wg.shared(x).item(), x.shared().item(), y.grad.item(), wg.only_first(x).item(), wg.only_second(x).item())
"""
    assert succeed(two, LOUD + program, WENGERT_PREFER=choice) == [f"{factor}.0 {factor}.0 {factor}.0 3.0 7.0"]
    later = f"hasattr(wg, 'shared')\nwg.plugins.prefer({choice!r})\n"
    assert succeed(two, START + later + program) == [f"{factor}.0 {factor}.0 {factor}.0 3.0 7.0"]


def test_names_go_and_come_with_their_plugin(two: Path) -> None:
    program = """
held = wg.only_first, wg.Tensor.only_first
print(held[0](x).item(), x.only_first().item())
wg.plugins.disable("first")
print(hasattr(wg, "only_first"), hasattr(x, "only_first"), "only_first" in dir(wg))
print(wg.shared(x).item(), x.shared().item())
try:
    x.only_first()
except AttributeError as error:
    print(error)
try:
    wg.only_first
except AttributeError as error:
    print(error)
wg.plugins.enable("first")
print(wg.only_first is held[0], wg.Tensor.only_first is held[1], hasattr(wg, "shared"), hasattr(x, "shared"))
"""
    first, second, third, method, function, last = succeed(two, START + program)
    assert first == "3.0 3.0"
    assert (second, third) == ("False False False", "5.0 5.0")
    for error in (method, function):
        assert "first 1 (entry point 'one = table_of_one:TABLE' of wengert.ops.v1) offers it" in error
        assert 'disabled by disable(); wengert.plugins.enable("first")' in error
    assert last == "True True False False"


def test_declared_names_go_and_come_with_their_plugin(tmp_path: Path) -> None:
    points = {"namespace:acme": "acme_module", "namespace:acme.more.deep": "acme_module:deep",
              "namespace:Tensor.acme_method": "acme_module:method",
                      "namespace:top.acme": "acme_module:names"}  # fmt: skip
    source = (
        "deep = 1\ndef method(self): return self * 4\ndef names(): return {'acme_top': 5, 'Tensor.acme_top': method}\n"
        "__all__ = ['answer']\nanswer = 42"
    )
    install(tmp_path, "acme", points, acme_module=source)
    program = """
import sys
def state():
    names = ("acme", "acme.answer", "acme.more", "acme.more.deep", "acme_top", "Tensor.acme_method", "Tensor.acme_top")
    found = []
    for name in names:
        at = wg
        try:
            for part in name.split("."):
                at = getattr(at, part)
            found.append("1")
        except AttributeError:
            found.append("0")
    return "".join(found)
print("acme_module" in sys.modules, state(), x.acme_method().item())
wg.plugins.disable("acme")
print(state(), "wengert.acme" in sys.modules, type(wg.Tensor).__name__)
try:
    import wengert.acme
except ImportError as error:
    print(type(error).__name__)
wg.plugins.enable("acme")
import wengert.acme.more
print(state(), wengert.acme.answer, x.acme_top().item())
"""
    lines = succeed(tmp_path, LOUD + program)
    assert lines[0] == "False 1111111 4.0"
    assert lines[1] == "0000000 False type"
    assert lines[2:] == ["ModuleNotFoundError", "1111111 42 4.0"]


ABSENT = [
    ("failed", {"namespace:gone": "absent_plugin:x"}, {}, ["ZeroDivisionError", "'gone = absent_plugin:x'"]),
    ("failed table", {"ops:gone": "absent_plugin:x"}, {}, ["it may be a name of absent 1", "ZeroDivisionError"]),
    ("disabled", {"namespace:gone": "absent_plugin:x"}, {"WENGERT_DISABLE_PLUGINS": "absent"},
     ["absent 1 (entry point 'gone = absent_plugin:x' of wengert.namespace.v1) offers it", "WENGERT_DISABLE_PLUGINS",
      'wengert.plugins.enable("absent")']),
    ("disabled table", {"ops:gone": "absent_plugin:x"}, {"WENGERT_DISABLE_PLUGINS": "absent"},
     ["it may be a name of absent 1", "disabled by WENGERT_DISABLE_PLUGINS"]),
    ("ours only", {"namespace:gone": "absent_plugin:x"}, {"WENGERT_PLUGINS": "off"},
            ["disabled by WENGERT_PLUGINS=off"]),
    ("incompatible", {"wengert.namespace.v7:gone": "absent_plugin:x"}, {},
     ["absent 1", "made for wengert.namespace.v7", "install versions that match"]),
    ("incompatible table", {"wengert.ops.v7:gone": "absent_plugin:x"}, {},
     ["it may be a name of absent 1", "made for wengert.ops.v7"]),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "points", "environ", "says"), ABSENT, ids=[case[0] for case in ABSENT])
def test_an_absent_name_that_a_plugin_offers_says_why(
    tmp_path: Path, kind: str, points: dict[str, str], environ: dict[str, str], says: list[str]
) -> None:
    install(tmp_path, "absent", points, absent_plugin="1 / 0")
    program = "try:\n    wg.gone\nexcept AttributeError as error:\n    print(error)\nprint(hasattr(wg, 'gone'))"
    error, there = succeed(tmp_path, START + program, **environ)
    assert there == "False"
    for part in ("module 'wengert' has no attribute 'gone'", *says):
        assert part in error


@pytest.mark.parametrize("environ", [{}, {"WENGERT_DISABLE_PLUGINS": "absent"}], ids=["failed", "disabled"])
def test_an_absent_method_that_a_plugin_offers_says_why(tmp_path: Path, environ: dict[str, str]) -> None:
    install(tmp_path, "absent", {"namespace:Tensor.gone": "absent_plugin:x"}, absent_plugin="1 / 0")
    program = "wg.plugins.enable('absent'); wg.plugins.disable('absent')\n" * bool(environ)
    program += "try:\n    x.gone()\nexcept AttributeError as error:\n    print(error)\nprint(hasattr(x, 'gone'))"
    error, there = succeed(tmp_path, START + program, **environ)
    assert there == "False"
    assert "'Tensor' object has no attribute 'gone'" in error
    assert "'Tensor.gone = absent_plugin:x' of wengert.namespace.v1" in error
    assert ("disabled" if environ else "ZeroDivisionError") in error


def test_an_op_of_a_plugin_is_not_said_to_be_torchs(two: Path) -> None:
    program = """
table = wg.plugins.group("ops").get("one")
table.composite(lambda x: x.exp(), name="only_composed", doc="e**x.")
table.pointwise_unary("no_formula(Tensor self) -> Tensor", reference=lambda xp, x: x, doc="Itself.")
row = table.ops["no_formula"]
with wg.autograd.profiler.profile() as profile:
    wg.only_first(x); table.ops["only_composed"](x); wg.special.i0e(x)
print(*sorted({event.name for event in profile.function_events}))
try:
    row(wg.ones(1, requires_grad=True)).backward()
except RuntimeError as error:
    print(error)
"""
    names, error = succeed(two, START + program)
    assert {"one::only_first", "one::only_composed", "aten::special_i0e", "aten::exp"} <= set(names.split())
    assert "derivative for one::no_formula is not implemented" in error


def test_an_op_is_unpickled_from_its_own_table(two: Path) -> None:
    program = """
import pickle
tables = [wg.plugins.group("ops").get(name) for name in ("one", "two")]
print(*(pickle.loads(pickle.dumps(table.ops["shared"])) is table.ops["shared"] for table in tables))
print(pickle.loads(pickle.dumps(wg.exp)) is wg.exp)
open("op.pickle", "wb").write(pickle.dumps(tables[0].ops["only_first"]))
"""
    assert succeed(two, f"import os; os.chdir({str(two)!r})\n{START}{program}") == ["True True", "True"]
    program = f"import pickle\nprint(pickle.load(open({str(two / 'op.pickle')!r}, 'rb'))(x).item())"
    assert succeed(two, START + program) == ["3.0"]


def test_an_optional_part_that_is_switched_off_takes_its_names_with_it(tmp_path: Path) -> None:
    program = """
print(wg.i0(x) is not None, wg.vmap is not None, wg.special.i1e is not None)
wg.plugins.disable("wengert-special, wengert-functional")
for attempt in (lambda: wg.i0, lambda: wg.vmap, lambda: wg.special.i1e, lambda: x.i0()):
    try:
        print(attempt())
    except (ImportError, AttributeError) as error:
        print("disabled by disable()" in str(error))
wg.plugins.enable("wengert-special, wengert-functional")
print(wg.i0(x).item() == x.i0().item(), wg.vmap(wg.sin)(x).item() == wg.sin(x).item(), wg.special.i1e(x) is not None)
"""
    assert succeed(tmp_path, LOUD + program) == ["True True True", *["True"] * 4, "True True True"]


def test_rows_in_modules_of_wengert_wait_until_those_are_filled(tmp_path: Path) -> None:
    table(tmp_path, "acme", "acme", "row('autograd.acme', 2)\nrow('autograd.backward', 3)\nrow('linalg.acme', 4)")
    program = """
wg.plugins.group("ops").load_all()
print(wg.linalg.acme(x).item(), wg.autograd.acme(x).item(), "acme" in repr(wg.autograd.backward))
"""
    assert succeed(tmp_path, START + program) == ["4.0 2.0 False"]
    done = run(tmp_path, "-c", "import wengert as wg\nwg.plugins.group('ops').load_all(); wg.autograd.grad")
    assert "plugin acme 1: op table 'acme', entry point 'acme = table_of_acme:TABLE'" in done.stderr
    assert "gives wengert.autograd.backward, which is refused: the name is wengert's" in done.stderr


@pytest.mark.parametrize("name", ["exp", "autograd.grad", "Tensor.exp", "ones.foo", "Tensor", "__path__"])
def test_a_name_that_is_taken_cannot_be_registered_in_this_process(tmp_path: Path, name: str) -> None:
    program = f"""
before = wg.exp, wg.Tensor, wg.Tensor.exp, wg.autograd.grad
try:
    wg.plugins.register("namespace", {name!r}, lambda self: 3)
except ValueError as error:
    print(error)
print(before == (wg.exp, wg.Tensor, wg.Tensor.exp, wg.autograd.grad))
"""
    error, same = succeed(tmp_path, LOUD + program)
    assert f"'{name}' cannot be registered as a name of wengert: " in error
    assert same == "True"


def test_names_registered_in_this_process_last_as_long(tmp_path: Path) -> None:
    program = """
register = wg.plugins.group("namespace").register
with register("local.answer", 42), register("Tensor.local", lambda t: t * 2):
    print(wg.local.answer, x.local().item())
print(hasattr(wg, "local"), hasattr(x, "local"), hasattr(wg.Tensor, "local"))
"""
    assert succeed(tmp_path, LOUD + program) == ["42 2.0", "False False False"]


def test_an_absent_device_or_sink_that_a_plugin_offers_says_why(tmp_path: Path) -> None:
    install(tmp_path, "absent", {"devices:gone": "absent_plugin:x", "profiler_sinks:gone": "absent_plugin:x"})
    program = """
for attempt in (lambda: wg.ones(1, device="gone"), lambda: wg.autograd.profiler.profile(sinks=["gone"]).__enter__()):
    try:
        attempt()
    except (RuntimeError, ValueError) as error:
        print(error)
"""
    device, sink = succeed(tmp_path, START + program, WENGERT_DISABLE_PLUGINS="absent")
    assert "Expected one of cpu, cuda" in device
    assert "there is no sink 'gone'" in sink
    for error in (device, sink):
        assert "absent 1 (entry point 'gone = absent_plugin:x' of wengert." in error
        assert "disabled by WENGERT_DISABLE_PLUGINS" in error


def test_a_kind_of_kernels_that_there_is_not_is_warned_about(tmp_path: Path) -> None:
    done = run(tmp_path, "-c", "import wengert", WENGERT_KERNELS="pyhton")
    assert "WENGERT_KERNELS is 'pyhton' and has no effect" in done.stderr
    assert run(tmp_path, "-W", "error", "-c", "import wengert", WENGERT_KERNELS="python").stderr == ""


def test_a_device_with_the_number_of_another_does_not_get_its_memory(tmp_path: Path) -> None:
    source = "from wengert_testing.sim import SimDevice\nclass {0}(SimDevice):\n    type, dlpack_type = '{1}', 2\n"
    install(tmp_path, "aaa", {"devices:aaa": "first_device:Device"}, first_device=source.format("Device", "aaa"))
    program = """
from wengert_core.devices import device as devices
group = wg.plugins.group("devices")
print(devices.kinds().index("cuda") < devices.kinds().index("aaa") if "cuda" in group else "no cuda")
print(devices.usable("aaa").dlpack_type, devices.usable("no_such_type"))
"""
    first, second = succeed(tmp_path, LOUD + program)
    assert first in ("True", "no cuda")
    assert second == "2 None"


def test_the_user_may_prefer_a_plugin_to_an_optional_part_but_not_to_core(tmp_path: Path) -> None:
    table(tmp_path, "acme", "acme", "row('i0', 2)\nrow('exp', 3)")
    program = """
print(wg.i0(x).item(), x.i0().item(), round(wg.exp(x).item(), 4), round(x.exp().item(), 4))
wg.plugins.disable("acme")
print(round(wg.i0(x).item(), 4), round(x.i0().item(), 4))
wg.plugins.disable("wengert-special")
wg.plugins.enable("acme")
print(wg.i0(x).item(), x.i0().item())
wg.plugins.disable("acme")
for attempt in (lambda: wg.i0, lambda: x.i0()):
    try:
        attempt()
    except (ImportError, AttributeError) as error:
        print("disabled by disable()" in str(error))
wg.plugins.enable("wengert-special")
print(round(wg.i0(x).item(), 4), round(x.i0().item(), 4))
"""
    lines = succeed(tmp_path, START + program, WENGERT_PREFER="ops:i0*=acme, ops:exp*=acme")
    assert lines == ["2.0 2.0 2.7183 2.7183", "1.2661 1.2661", "2.0 2.0", "True", "True", "1.2661 1.2661"]


def test_a_part_that_is_absent_leaves_its_names_to_others(tmp_path: Path) -> None:
    table(tmp_path, "acme", "acme", "row('i0', 2)")
    program = "print(wg.i0(x).item(), x.i0().item())"
    assert succeed(tmp_path, LOUD + program, WENGERT_DISABLE_PLUGINS="wengert-special") == ["2.0 2.0"]
    values = succeed(tmp_path, START + program.replace(".item()", ".item().__round__(4)"))
    assert values == ["1.2661 1.2661"]


def test_changing_names_are_asked_for_each_time(tmp_path: Path) -> None:
    source = """
count, answer = 0, 42
__all__ = ["answer", "fixed"]
__changing__ = ("now", "fixed")
fixed = 1  # no copy of it is kept
def __getattr__(name):
    global count, fixed
    if name != "now":
        raise AttributeError(name)
    count += 1
    fixed = count
    return count
"""
    install(tmp_path, "acme", {"namespace:acme": "acme_module"}, acme_module=source)
    program = """
print(wg.acme.now, wg.acme.now, wg.acme.fixed, wg.acme.answer)
held = wg.acme
wg.plugins.disable("acme")
print(hasattr(wg, "acme"), hasattr(held, "now"))
"""
    assert succeed(tmp_path, START + program) == ["1 2 2 42", "False False"]
