"""Contents: a look whether lists, dicts and tuples have in them what they had."""

from __future__ import annotations

import gc
import math
import weakref

import pytest
import wengert as wg

CHANGES = {
    "a number": lambda value: value["groups"][0].update(momentum=0.5),
    "an equal number of another type": lambda value: value["groups"][0].update(nesterov=0),
    "the sign of zero": lambda value: value["groups"][0].update(decay=-0.0),
    "a number that was none": lambda value: value["groups"][0].update(decay=math.nan),
    "a key": lambda value: value["groups"][0].update(new=None),
    "a missing key": lambda value: value["groups"][0].pop("name"),
    "a tensor": lambda value: value["groups"][0]["params"].__setitem__(0, wg.ones(2)),
    "an equal tensor": lambda value: value["state"].update({value["tensor"]: {"step": wg.zeros(())}}),
    "its memory": lambda value: setattr(value["tensor"], "data", wg.ones(2)),
    "a longer list": lambda value: value["groups"].append({}),
    "a shorter list": lambda value: value["groups"][0]["params"].pop(),
    "another order": lambda value: value["groups"][0]["params"].reverse(),
    "a tuple": lambda value: value["groups"][0].update(betas=(0.9, 0.98)),
    "an equal list": lambda value: value.update(groups=list(value["groups"])),
    "no more a tensor": lambda value: value["state"][value["tensor"]].update(step=0.0),
}


def value_of():
    tensor, other = wg.ones(2), wg.ones(2)
    group = {"params": [tensor, other], "lr": 0.1, "momentum": 0.9, "nesterov": False, "decay": 0.0, "name": "a",
             "betas": (0.9, 0.99)}  # fmt: skip
    return {"groups": [group], "state": {tensor: {"step": wg.zeros(())}, other: {"step": wg.ones(())}},
            "tensor": tensor}  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen(change):
    value = value_of()
    contents = wg.replay.Contents(value)
    assert contents.agree(value)
    CHANGES[change](value)
    assert not contents.agree(value)


def test_equal_numbers_of_other_addresses_are_the_same():
    value = value_of()
    contents = wg.replay.Contents(value)
    value["groups"][0].update(momentum=float("0.9"), name="".join(["a"]), betas=value["groups"][0]["betas"])
    with wg.no_grad():
        value["tensor"].add_(1)
    assert contents.agree(value)


def test_keys_that_are_skipped():
    value = value_of()
    contents = wg.replay.Contents(value, skip=("lr", "betas"))
    value["groups"][0].update(lr=wg.ones(()), betas=[1, 2])
    assert contents.agree(value)
    del value["groups"][0]["lr"]
    assert not contents.agree(value)


def test_numbers_may_be_left_out_and_tensors_may_not():
    value = value_of()
    contents = wg.replay.Contents(value, numbers=False)
    value["groups"][0].update(momentum=0.1, name="b")
    assert contents.agree(value)
    value["groups"][0]["name"] = wg.ones(1)
    assert not contents.agree(value)


def test_contents_keep_no_tensor_alive():
    value = value_of()
    contents = wg.replay.Contents(value)
    reference = weakref.ref(value["tensor"])
    kept = {**value_of()}
    value.clear()
    gc.collect()
    assert reference() is None
    assert not contents.agree(value)
    assert not contents.agree(kept)


def test_a_container_inside_of_itself_ends():
    value = []
    value.append(value)
    assert wg.replay.Contents(value).agree(value)
    assert not wg.replay.Contents(value).agree([value])
    assert wg.replay.Contents(3).agree(3)
    assert not wg.replay.Contents(3).agree(wg.ones(1))


@pytest.mark.parametrize("arguments", [(), ([], ())])
def test_bad_arguments(arguments):
    with pytest.raises(TypeError):
        wg.replay.Contents(*arguments)
    with pytest.raises(TypeError):
        wg.replay.Contents([]).agree()
