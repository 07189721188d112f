"""``python -m wengert plugins``: JSON stays JSON whatever plugins do, and ``--load`` checks all that they give."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from wengert_testing.plugins import install, run

LOUD = """
import atexit, os, sys, subprocess, warnings
print("printed"); sys.__stdout__.write("written\\n"); os.system("echo by a child"); os.write(1, b"by C\\n")
warnings.warn("warned"); atexit.register(print, "at the end"); stream = sys.stdout
"""
TABLE = """
from wengert_core.optable.op_table import OpTable
TABLE = OpTable("acme")
TABLE.pointwise_unary("twice(Tensor self) -> Tensor", reference=lambda xp, x: x + x, doc="Twice.")
TABLE.pointwise_unary("{row}(Tensor self) -> Tensor", reference=lambda xp, x: x + x, doc="Twice.")
from wengert_formulas.table import FormulaTable
FORMULAS = FormulaTable("acme")
"""


def listing(folder: Path, *options: str, status: int = 0, **environment: str) -> dict[str, dict[str, str]]:
    """The rows that are no part of wengert, by group and name."""
    done = run(folder, "-m", "wengert", "plugins", "--json", *options, **environment)
    assert done.returncode == status, done.stdout + done.stderr
    rows = json.loads(done.stdout)
    ours = [row for row in rows if row["distribution"].startswith("wengert")]
    assert {row["state"] for row in ours if row["name"] != "cuda"} <= {"loaded", "available"}, ours
    return {f"{row['group'].split('.')[1]}:{row['name']}": row for row in rows if row not in ours}


@pytest.mark.parametrize("environment", [{}, {"WENGERT_PLUGINS": "eager"}], ids=["", "eager"])
def test_json_is_all_that_is_written_to_stdout(tmp_path: Path, environment: dict[str, str]) -> None:
    load = "def load():\n    print('printed later', file=stream)\n    return TABLE\n"
    source = LOUD + TABLE.format(row="other") + load
    install(tmp_path, "loud", {"ops:acme": "loud_plugin:load"}, loud_plugin=source)
    assert listing(tmp_path, "--load", **environment)["ops:acme"]["state"] == "loaded"


def test_a_reader_that_has_seen_enough_gets_no_traceback() -> None:
    """As in ``python -m wengert plugins | head -1``."""
    program = [sys.executable, "-m", "wengert", "plugins"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert process.returncode == 1


EXITS = ("raise SystemExit(3)", "import sys\nsys.exit()", "class Own(BaseException): pass\nraise Own")


@pytest.mark.parametrize("source", EXITS)
def test_a_plugin_that_ends_the_process_does_not_end_the_list(tmp_path: Path, source: str) -> None:
    install(tmp_path, "quits", {"ops:acme": "quits_plugin:x", "devices:quits": "quits_plugin:x"}, quits_plugin=source)
    rows = listing(tmp_path, "--load", status=1)
    assert {row["state"] for row in rows.values()} == {"failed"}
    assert "SystemExit" in rows["ops:acme"]["error"] or "Own" in rows["ops:acme"]["error"]


LAYOUT = """
from wengert_core.extend import LayoutPlugin
class Odd(LayoutPlugin):
    layouts = ("odd",)
    describe = clone = zeros = elements = reduce = lambda self, *arguments: None
"""
DEVICE = "from wengert_testing.sim import SimDevice\nclass Odd(SimDevice):\n    type = 'odd'\n"
BOTH = {"ops:acme": "TABLE", "formulas:acme": "FORMULAS"}
CHECKED = {
    "rows that are refused": ({"ops:acme": "TABLE"}, "", "exp", ["wengert.exp", "Tensor.exp", "the name is wengert's"]),
    "a formula of no op": (BOTH, "FORMULAS.zero('absent')", "other",
                           ["formula 'absent'", "it has other, other_, twice, twice_"]),
    "a formula that names no argument": (
        BOTH, "FORMULAS.elementwise('twice', lambda nonsense: 2)", "other",
        ["formula 'twice'", "nonsense"]),
    "a batching rule of no op": (BOTH, "FORMULAS.batch('absent', 'broadcast')",
                                 "other", ["batching rule 'absent'"]),
    "a batching rule that is none": (BOTH, "FORMULAS.batching['twice'] = 'bradcast'",
                                     "other", ["batching rule 'twice'", "'broadcast' or a function", "'bradcast'"]),
    "formulas of no table": ({"formulas:acme": "FORMULAS"}, "", "other", ["no op table 'acme'"]),
    "an override of no op": ({"formulas:core.absent": "VALUE"},
            "FORMULAS.zero('absent')\nVALUE = FORMULAS.entries['absent']",
                             "other", ["formula 'absent'", "no op that is called so"]),
    "an override that names no argument": (
        {"formulas:core.exp": "VALUE"},
        "FORMULAS.elementwise('exp', lambda nonsense: 2)\nVALUE = FORMULAS.entries['exp']", "other", ["'exp'",
                "nonsense"]),
    "a device that raises": (
        {"devices:odd": "Odd"},
        DEVICE + "    def device_count(self): 1 / 0",
        "other", ["ZeroDivisionError"]),
    "a device without arrays": (
        {"devices:odd": "Odd"},
        DEVICE + "    def __init__(self):\n        super().__init__()\n        self.xp = None", "other", ["xp"]),
    "a device that counts in words": (
        {"devices:odd": "Odd"},
        DEVICE + "    def device_count(self): return 'two'",
        "other", ["device_count() gave 'two'", "an int from 0 on"]),
    "a layout with a kernel of no op": (
        {"layouts:odd": "Odd"}, LAYOUT + "    kernels = {'adddd': abs}", "other", ["kernels has 'adddd'"]),
    "a layout with a kernel that cannot be called": (
        {"layouts:odd": "Odd"}, LAYOUT + "    functions = {'mul': 3}", "other", ["functions['mul'] is of type int"]),
    "a sink that cannot be called": ({"profiler_sinks:odd": "VALUE"}, "VALUE = 3", "other", ["expected a class",
            "got int"]),
    "a sink without methods": ({"profiler_sinks:odd": "Sink"}, "class Sink: pass", "other", ["write(profile)",
            "begin("]),
    "a process group without a transport": (
        {"process_groups:odd": "Odd"},
        "from wengert_distributed.extend import ProcessGroup\nclass Odd(ProcessGroup): backend = 'odd'",
        "other", ["the class Odd has no method all_reduce"]),
    "a name that is there": ({"namespace:autograd.backward": "VALUE"}, "VALUE = 3", "other", ["the name is wengert's"]),
}  # fmt: skip


@pytest.mark.parametrize("kind", CHECKED)
def test_load_checks_what_plugins_give(tmp_path: Path, kind: str) -> None:
    points, source, row, says = CHECKED[kind]
    install(tmp_path, "odd", {key: f"odd_plugin:{name}" for key, name in points.items()},
            odd_plugin=TABLE.format(row=row) + source)
    rows = listing(tmp_path, "--load", status=1)
    (wrong,) = [one for one in rows.values() if one["state"] != "loaded"]
    assert wrong["state"] == "defective"
    for part in says:
        assert part in wrong["error"]


def test_load_finds_nothing_wrong_with_what_is_right(tmp_path: Path) -> None:
    source = """
FORMULAS.elementwise("twice", lambda self: 2)
FORMULAS.batch("twice", "broadcast")
FORMULAS.zero("sign")
SIGN = FORMULAS.entries.pop("sign")
class Sink:
    def begin(self, kind, what, number, shapes): pass
    def end(self): pass
from wengert_testing.sim import SimDevice
class Device(SimDevice):
    type = "odd"
def method(self): return self
"""
    points = {"ops:acme": "TABLE", "formulas:acme": "FORMULAS", "formulas:core.sign": "SIGN",
            "profiler_sinks:acme": "Sink",
              "devices:odd": "Device", "namespace:acme.method": "method",
                      "namespace:Tensor.acme_method": "method"}  # fmt: skip
    install(tmp_path, "fine", {key: f"fine_plugin:{name}" for key, name in points.items()},
            fine_plugin=TABLE.format(row="other") + source)
    assert {row["state"] for row in listing(tmp_path).values()} == {"available"}
    rows = listing(tmp_path, "--load")
    assert {row["state"] for row in rows.values()} == {"loaded"}
    assert {row["error"] for row in rows.values()} == {""}
