"""dir(wengert) shows what torch would, whatever else is in reach."""

import operator
from pathlib import Path

import pytest
import wengert
from wengert.modules import SUBMODULES
from wengert_core import TABLE


def test_hidden_names_are_rows():
    assert TABLE.hidden - set(TABLE.ops) == set()


def test_hidden_names_are_not_shown_but_there():
    assert TABLE.hidden & set(dir(wengert)) == set()
    assert all(getattr(wengert, name) is TABLE.ops[name] for name in TABLE.hidden)


def test_what_belongs_to_wengert_alone_is_not_shown():
    assert {"TABLE", "compose", "_compose", "tensortype"} & set(dir(wengert)) == set()


def test_the_modules_of_the_package_are_known_and_not_shown():
    files = {file.stem for file in Path(wengert.__file__).parent.glob("*.py")} - {"__init__", "__main__"}
    assert files == set(SUBMODULES)
    assert set(SUBMODULES) & set(dir(wengert)) <= {"profile"}


def test_other_rows_are_shown():
    shown = {name for name in TABLE.ops if "." not in name} - TABLE.hidden
    assert shown - set(dir(wengert)) == set()


def test_import_star_brings_what_optional_parts_give_too():
    found = {}
    exec("from wengert.autograd.graph import *", found)
    assert {"Node", "saved_tensors_hooks", "walk", "draw", "explain_grad", "saved_memory"} - set(found) == set()
    assert found["walk"] is wengert.autograd.graph.walk


def test_import_star_of_autograd():
    found = {}
    exec("from wengert.autograd import *", found)
    assert {"backward", "grad", "Function", "no_grad"} - set(found) == set()


@pytest.mark.parametrize(("place", "name"), [
    ("linalg", "solve"), ("fft", "rfft"), ("special", "erf"), ("nn.functional", "relu"), ("signal.windows", "hann"),
])
def test_import_star_of_a_place_with_operations(place, name):
    found = {}
    exec(f"from wengert.{place} import *", found)
    assert found[name] is operator.attrgetter(f"{place}.{name}")(wengert)
