"""Families of ops are loaded when one of their names is needed, and the list of who brings what is true."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
import wengert_core as wc
from wengert_core.api.public import LATER, load_later
from wengert_core.optable.families import METHODS, OPS

pytestmark = pytest.mark.native("what is imported when, by processes of their own")
ROOT = Path(__file__).resolve().parents[3]
LOADED = """
import sys
print(*(name[17:] for name in sorted(sys.modules) if name.startswith("wengert_core.ops.")))
"""


def loaded_after(code: str) -> set[str]:
    done = subprocess.run([sys.executable, "-c", f"{code}\n{LOADED}"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("code", "family"),
    [
        ("from wengert_core import exp", "pointwise.exponential"),
        ("import wengert_core as wc; wc.TABLE.ops['exp']", "pointwise.exponential"),
        ("from wengert_core.dispatch.op import find; find('exp')", "pointwise.exponential"),
        ("import wengert_core as wc; wc.ones(2).exp()", "pointwise.exponential"),
        ("import wengert_core as wc; wc.Tensor.exp", "pointwise.exponential"),
        ("import wengert_core as wc; wc.ones(2, 2) @ wc.ones(2, 2)", "linalg.matmul"),
        ("import wengert_core as wc; wc.ones(2) < 1", "pointwise.comparison"),
        ("import wengert_core as wc; wc.ones(2) - 1", "pointwise.arithmetic"),
        ("import wengert_core as wc; wc.ones(2)[0]", "index.getitem_fill"),
        ("import wengert_core as wc; x = wc.ones(2); x[0] = 1", "index.getitem_fill"),
        ("import wengert_core as wc; wc.ones(2)", "create.factories"),
        ("import wengert_core as wc; wc.ones(2).T", "view.views"),
        ("import wengert_core as wc; x = wc.ones(2, dtype=wc.complex64); x.imag = 3", "pointwise.complex"),
    ],
)
def test_a_family_is_loaded_with_the_first_of_its_names(code, family):
    assert family not in loaded_after("import wengert_core")
    assert family in loaded_after(code)


def test_importing_loads_no_family():
    before = {"operators"}
    assert loaded_after("import wengert_core") == before
    if find_spec("wengert") is not None:
        assert loaded_after("import wengert") == before


def test_an_unknown_name_is_an_attribute_error_and_loads_nothing():
    with pytest.raises(AttributeError, match="module 'wengert_core' has no attribute 'exponent'"):
        _ = wc.exponent
    assert not hasattr(wc.Tensor, "exponent")
    with pytest.raises(KeyError, match="exponent"):
        wc.TABLE.ops["exponent"]


def test_going_through_the_names_loads_them_all():
    assert {name for names in OPS.values() for name in names.split()} <= set(wc.TABLE.ops)
    assert {name for names in METHODS.values() for name in names.split()} <= set(wc.TABLE.methods)


def test_the_parts_of_a_complex_tensor_can_be_assigned():
    x = wc.zeros(2, dtype=wc.complex64)
    x.imag, x.real = 3, wc.ones(2)
    assert x.tolist() == [1 + 3j, 1 + 3j]
    y = wc.zeros(2)
    y.real = 2
    assert y.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="imag is not implemented for tensors with non-complex dtypes"):
        y.imag = 3


def test_the_first_use_may_be_in_several_threads():
    code = """
import threading, wengert_core as wc
start, errors = threading.Barrier(8), []
def work():
    start.wait()
    try:
        for _ in range(20):
            assert (wc.ones(3).sort().values.cumsum(0).exp() > 0).all()
    except BaseException as error:
        errors.append(error)
threads = [threading.Thread(target=work) for _ in range(8)]
[t.start() for t in threads]; [t.join() for t in threads]
assert not errors, errors
"""
    for _ in range(5):
        subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("rows", [0, 1, 5, 20])
def test_a_load_that_was_interrupted_is_done_again(rows):
    code = f"""
import wengert_core as wc
from wengert_core.optable.kinds.base import Rows
plain, left = Rows.add, {rows}
def add(*args, **kwargs):
    global left
    left -= 1
    if left < 0:
        Rows.add = plain
        raise KeyboardInterrupt
    return plain(*args, **kwargs)
Rows.add = add
try:
    wc.ones(2).sin()
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("not interrupted")
assert abs(wc.ones(2).sin()[0].item() - 0.8415) < 1e-4
assert wc.zeros(2).cos().tolist() == wc.cos(wc.zeros(2)).tolist() == [1, 1]
assert wc.TABLE.ops["sin"] is wc.sin is wc.Tensor.sin
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_list_of_families_is_up_to_date():
    command = [sys.executable, "-m", "tools.generate.op_families", "--check"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_no_family_is_loaded_by_the_import():
    code = "import sys, wengert_core; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {f"wengert_core.ops.{family}" for family in {*OPS, *METHODS}} & {*done.stdout.split()} == set()


@pytest.mark.parametrize("frozen", [False, True])
def test_importing_leaves_the_garbage_collector_as_it_was(frozen):
    code = f"""
import gc
if {frozen}:
    gc.freeze()
before = gc.get_freeze_count()
import wengert_core
print(gc.isenabled(), before > 0, gc.get_freeze_count() > 0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    enabled, before, after = done.stdout.split()
    assert (enabled, before) == ("True", after)
    assert before == "True" or not frozen  # Python 3.12 starts with some objects frozen


@pytest.mark.parametrize(
    "code",
    [
        "wc.from_numpy(np.ones(3)).to(wc.float32)",
        "wc.from_numpy(np.ones(3)).float()",
        "wc.from_numpy(np.ones(3))[1:]",
        "wc.from_numpy(np.ones(3))[0].item()",
        "list(wc.from_numpy(np.ones((3, 2))))",
        "wc.from_numpy(np.ones(3)).numpy()",
        "print(wc.from_numpy(np.ones((3, 2))))",
        "wc.from_numpy(np.ones((3, 2))).T.tolist()",
        "wc.Tensor([1, 2])[None]",
        "wc.from_numpy(np.ones(3)).__setitem__(0, 2)",
        "copy.deepcopy(wc.from_numpy(np.ones(3)))",
        "pickle.loads(pickle.dumps(wc.from_numpy(np.ones(3))))",
        "1 in wc.from_numpy(np.ones(3))",
        "bool(wc.from_numpy(np.ones(1)))",
        "2 ** wc.from_numpy(np.ones(1))",
        "np.exp(wc.from_numpy(np.ones(1)))",
        "wc.from_numpy(np.ones(3)).detach()",
        "wc.from_dlpack(np.ones(3))[:2]",
        "wc.manual_seed(1); wc.rand(2)",
        "wc.finfo(wc.float32).eps",
    ],
)
def test_the_first_thing_a_program_does_may_be_anything(code):
    subprocess.run([sys.executable, "-c", f"import copy, pickle, numpy as np, wengert_core as wc\n{code}"], check=True)


@pytest.mark.parametrize("name", sorted(LATER))
def test_a_name_that_comes_later_is_what_its_module_has(name):
    assert name in dir(wc)
    assert getattr(wc, name) is load_later(name)


def test_names_that_come_later_are_loaded_by_the_first_use():
    code = (
        "import sys, wengert_core as wc\n"
        "names = ['api.legacy_constructors', 'drivers.copy.cast', 'exchange.type_info', 'rng.generator']\n"
        "there = lambda: [name for name in names if 'wengert_core.' + name in sys.modules]\n"
        "print(there()); x = wc.Tensor([1, 2]); print(there(), x.tolist())\n"
        "print(x.double().dtype, wc.finfo(wc.float32).bits, wc.manual_seed(0).initial_seed(), there())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "[]",
        "['api.legacy_constructors'] [1.0, 2.0]",
        "torch.float64 32 0 ['api.legacy_constructors', 'drivers.copy.cast', 'exchange.type_info', 'rng.generator']",
    ]
