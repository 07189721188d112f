"""Facts of arguments that Python reads, and other calls have otherwise: views, versions, where tensors lie."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import wengert as wg
from wengert_replay.arguments import KINDS, describe_tensors


def is_later(make: Callable[[bool], Any]) -> list[Callable[[int], Any]]:
    """Return arguments of calls: such that the fact is another one after some calls, and the other way round."""
    return [lambda k: make(k > 2), lambda k: make(k <= 2)]


def view(is_so: bool) -> Any:
    whole = wg.arange(4.0).reshape(2, 2)
    return whole[1] if is_so else whole[1].clone()


def retains(is_so: bool) -> Any:
    made: Any = wg.ones(2, requires_grad=True) * 1
    if is_so:
        made.retain_grad()
    return made


def write(is_so: bool) -> Any:
    made = wg.ones(2)
    return made.add_(0) if is_so else made


def view_with_history(is_so: bool) -> Any:
    whole: Any = wg.ones(2, 2, requires_grad=True) * 1
    return whole[0] if is_so else whole[0].detach()


FACTS: dict[str, tuple[Callable[[bool], Any], Callable[[Any], Any]]] = {
    "_is_view()": (view, lambda x: x * 2 if x._is_view() else x * 3),
    "_base": (view, lambda x: x * 2 if x._base is None else x * 3),
    "_base of a part": (view, lambda x: x * 2 if x[:1]._base is x else x * 3),
    "detach_()": (view, lambda x: x.detach_() * 2),
    "detach_() of a history": (view_with_history, lambda x: x.detach_() * 2),
    "untyped_storage()": (view, lambda x: x * x.untyped_storage().nbytes()),
    "untyped_storage() of a part": (view, lambda x: x * x[:1].untyped_storage().nbytes()),
    "storage_offset()": (view, lambda x: x * x.storage_offset()),
    "storage_offset() of a part": (view, lambda x: x * x[1:].storage_offset()),
    "_version": (write, lambda x: x + x._version),
    "_version of a part": (write, lambda x: x + x[:1]._version),
    "retains_grad": (retains, lambda x: x.detach() * 2 if x.retains_grad else x.detach() * 3),
}


@pytest.mark.parametrize("fact", FACTS)
@pytest.mark.parametrize("order", [0, 1])
def test_each_call_has_its_own(fact: str, order: int) -> None:
    make, function = FACTS[fact]
    argument = is_later(make)[order]
    captured = wg.capture(function, quiet=True)
    for k in range(6):
        sides: list[Any] = []
        for one in (captured, function):
            x = argument(k)
            try:
                sides.append((one(x).tolist(), x._version, x.requires_grad, x.is_leaf))
            except RuntimeError as error:
                sides.append(str(error))
        assert sides[0] == sides[1]


@pytest.mark.parametrize("fact", ["_is_view()", "untyped_storage()", "storage_offset()", "_version", "retains_grad"])
def test_what_is_read_is_part_of_the_signature(fact: str) -> None:
    make, function = FACTS[fact]
    captured = wg.capture(function, quiet=True)
    for k in range(8):
        captured(make(k % 2 == 0))
    found = wg.replay.explain(captured)
    assert (len(found.programs), found.replays) == (2, 5)
    assert f"Python reads {fact} of an argument at {__file__}:" in str(found)


def test_a_function_that_reads_none_has_one_program() -> None:
    captured = wg.capture(lambda x: x * 2)
    for k in range(6):
        captured(view(k > 2))
    found = wg.replay.explain(captured)
    assert (len(found.programs), found.replays, found.reasons) == (1, 5, [])


def test_the_base_of_an_argument() -> None:
    captured = wg.capture(lambda x: x * x._base.sum(), quiet=True)
    for _ in range(2):
        assert captured(view(True)).tolist() == [12.0, 18.0]
    assert "Python reads _base of an argument that is a view" in str(wg.replay.explain(captured))


@pytest.mark.parametrize("fact", ["_version", "retains_grad"])
def test_facts_of_tensors_from_outside(fact: str) -> None:
    outside = wg.ones(2)
    captured = wg.capture(lambda x: x + getattr(outside, fact), quiet=True)
    for _ in range(3):
        outside.add_(1)
        x = wg.ones(2)
        assert captured(x).tolist() == captured.function(x).tolist()
    assert f"Python reads {fact} of a tensor from outside" in str(wg.replay.explain(captured))


def test_facts_of_what_the_function_makes() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        return y.view(2) * (y._version + y[1:].storage_offset() + y.untyped_storage().nbytes() + y._is_view())

    captured = wg.capture(function)
    for k in range(4):
        x = view(k > 1)
        assert captured(x).tolist() == function(x).tolist()
    assert wg.replay.explain(captured).replays == 3


def test_a_subclass_hears_nothing_of_it() -> None:
    calls: list[str] = []

    class Listener(wg.Tensor):
        @classmethod
        def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            calls.append(getattr(func, "__name__", ""))
            return super().__torch_function__(func, types, args, kwargs or {})

    x = wg.ones(2).as_subclass(Listener)
    calls.clear()
    assert describe_tensors([x], tuple(sorted(set(KINDS.values()))))[1] == ""
    assert calls == []
