"""The state of Python that a function depends on: attributes of modules and classes, slots, sets, arrays."""

from __future__ import annotations

import math
from collections import deque
from types import ModuleType
from typing import Any

import numpy as np
import pytest
import wengert as wg
from wengert_replay.python_state.states import PythonStates

SETTINGS = ModuleType("settings_of_a_user")
SETTINGS.__dict__.update(rate=2.0, other=1.0, inner=ModuleType("settings_of_a_user.inner"))
SETTINGS.inner.__dict__.update(rate=2.0, outer=SETTINGS)
exec("def helper():\n    return rate", SETTINGS.__dict__)


class Base:
    rate = 2.0
    table: dict[str, float] = {"rate": 2.0}  # noqa: RUF012

    @staticmethod
    def read() -> float:
        return SETTINGS.rate


class Child(Base):
    pass


class WithSlots:
    __slots__ = ("missing", "rate")

    def __init__(self) -> None:
        self.rate = 2.0


class Items(list):
    pass


DERIVED, SLOTTED, QUEUE, CHOSEN, ARRAY, ITEMS = (
    Child(), WithSlots(), deque([2.0]), {2.0}, np.array([2.0]), Items([2.0])
)  # fmt: skip


def change_set() -> None:
    CHOSEN.clear()
    CHOSEN.add(3.0)


CASES: dict[str, tuple[Any, Any]] = {
    "an attribute of a module": (lambda: SETTINGS.rate, lambda: setattr(SETTINGS, "rate", 3.0)),
    "of a module in a module": (lambda: SETTINGS.inner.rate, lambda: setattr(SETTINGS.inner, "rate", 3.0)),
    "of modules that know each other": (
        lambda: SETTINGS.inner.outer.inner.rate,
        lambda: setattr(SETTINGS.inner, "rate", 4.0),
    ),
    "a global variable of a module's function": (lambda: SETTINGS.helper(), lambda: setattr(SETTINGS, "rate", 4.0)),
    "an attribute of a class": (lambda: Base.rate, lambda: setattr(Base, "rate", 3.0)),
    "of an object's class": (lambda: DERIVED.rate, lambda: setattr(Base, "rate", 4.0)),
    "a dict of a class": (lambda: Child.table["rate"], lambda: Base.table.__setitem__("rate", 3.0)),
    "what a static method reads": (lambda: Child.read(), lambda: setattr(SETTINGS, "rate", 5.0)),
    "a slot": (lambda: SLOTTED.rate, lambda: setattr(SLOTTED, "rate", 3.0)),
    "a queue": (lambda: QUEUE[0], lambda: QUEUE.__setitem__(0, 3.0)),
    "a set": (lambda: sum(CHOSEN), change_set),
    "an array": (lambda: float(ARRAY[0]), lambda: ARRAY.__setitem__(0, 3.0)),
    "a list of another class": (lambda: ITEMS[0], lambda: ITEMS.__setitem__(0, 3.0)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_change_is_seen(name: str) -> None:
    function, change = CASES[name]
    states, captured = PythonStates(10), wg.capture(lambda x: x * function(), guard_python=True)
    x = wg.ones(2)
    assert states.number(function, ()) == states.number(function, ()) == 0
    assert all(captured(x).tolist() == [function()] * 2 for _ in range(3))
    change()
    assert states.number(function, ()) == 1
    assert all(captured(x).tolist() == [function()] * 2 for _ in range(3))
    assert wg.replay.explain(captured).replays == 4


def test_what_the_function_does_not_name_is_not_looked_at() -> None:
    def function() -> float:
        return SETTINGS.rate * math.pi

    states = PythonStates(10)
    assert states.number(function, ()) == 0
    SETTINGS.other = 5.0
    assert states.number(function, ()) == 0
