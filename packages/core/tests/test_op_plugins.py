"""Tables of plugins, as the registry hands them over: installed once and whole, or refused and not at all."""

import pytest
import wengert_core as wc
from wengert_core.dispatch.op import names
from wengert_core.optable.op_table import OpTable
from wengert_registry import registry

OPS = registry.group("ops")


def table(name: str, *ops: str) -> OpTable:
    made = OpTable(name)
    for op in ops:
        made.pointwise_unary(f"{op}(Tensor self) -> Tensor", reference=lambda xp, x: x + x, doc="Twice.")
    return made


def test_a_table_is_installed_once_with_its_owner_and_methods():
    acme = table("acme_once", "twice_once")
    for _ in range(2):
        with OPS.register("acme_once", acme):
            assert OPS.get("acme_once") is acme
            assert OPS.get("acme_once").ops["twice_once"].owner == "acme_once"
            assert wc.tensor([1.5]).twice_once().tolist() == [3.0]
    assert not hasattr(wc.Tensor, "twice_once")


def test_a_function_may_return_the_table():
    acme = table("acme_made", "twice_made")
    with OPS.register("acme_made", lambda: acme):
        assert OPS.get("acme_made") is acme


TAKEN = [("slice", "op 'slice' is registered twice"), ("tolist", "has already: tolist")]


@pytest.mark.parametrize(("op", "message"), TAKEN)
def test_a_table_that_brings_a_name_which_exists_is_refused_whole(op, message):
    with pytest.raises(ValueError, match=message):
        OPS.register("acme_taken", table("acme_taken", "twice_taken", op))
    assert "twice_taken" not in names()
    assert not hasattr(wc.Tensor, "twice_taken")


def test_table_and_entry_point_have_one_name():
    with pytest.raises(ValueError, match="the table is named 'acme', its entry point 'other'"):
        OPS.register("other", table("acme", "twice_named"))


def test_anything_but_a_table_is_refused():
    with pytest.raises(TypeError, match="expected an OpTable"):
        OPS.register("acme_dict", dict)
