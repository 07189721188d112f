"""dir(wengert) shows what torch would, whatever else is in reach."""

import operator
from pathlib import Path

import pytest
import wengert
import wengert_core
from wengert.modules import SUBMODULES
from wengert_core import TABLE
from wengert_core.dispatch.op import Op, find


def test_hidden_names_are_rows():
    assert TABLE.hidden - set(TABLE.ops) == set()


def test_internal_rows_are_neither_shown_nor_given():
    assert TABLE.hidden & set(dir(wengert)) == set()
    assert [name for name in sorted(TABLE.hidden) if hasattr(wengert, name)] == []
    with pytest.raises(AttributeError, match=r"has no attribute 'pool_gather': .*wengert_core\.pool_gather"):
        wengert.pool_gather  # noqa: B018


def test_internal_rows_are_found_by_formulas_and_plugins():
    assert all(getattr(wengert_core, name) is TABLE.ops[name] for name in TABLE.hidden)
    ops = {name: TABLE.ops[name] for name in TABLE.hidden if isinstance(TABLE.ops[name], Op)}
    assert len(ops) > 100
    assert all(find(op.name) is op for op in ops.values())


def test_internal_rows_of_a_plugin_are_found_but_not_given():
    assert find("_polygamma").owner == "special"
    assert not hasattr(wengert, "_polygamma")
    assert "_polygamma" not in dir(wengert)


def test_names_of_places_are_not_given_at_the_top():
    assert not hasattr(wengert, "linalg.det")


def test_the_rows_that_are_shown_are_those_which_torch_was_asked_about():
    """A new row is added to the case, and its answer recorded; one that PyTorch lacks is named in ``hidden_names``."""
    text = (Path(__file__).parents[1] / "torch_parity/recorded/cases/compat/top_level_names.txt").read_text()
    asked = set(text.partition('"""')[2].partition('"""')[0].split())
    assert {name for name in TABLE.ops if "." not in name} - TABLE.hidden == asked


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
