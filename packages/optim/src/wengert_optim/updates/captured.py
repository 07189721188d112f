"""Steps inside of a capture: numbers that change from step to step become tensors.

Note [Captured steps]
    A program that ``wengert.capture`` has recorded runs without Python, and a rule's numbers are Python's: the learning
    rate, which schedulers change, and what follows from the count of steps. So in a recording a function that is not
    recorded (``compiler.disable``) computes them, as always, and each replay calls it: what it gives as tensors of one
    float64 number is read by the operations behind it, with the same bits. The other hyperparameters are its result as
    well, so that a replay notices when one has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakMethod

import wengert
from wengert import Tensor

from wengert_optim.updates.number_code import trace_numbers

__all__ = ["captured_number", "captured_numbers", "compared_options"]

NUMBER: Any = wengert.tensor
KINDS = frozenset((bool, int, float, str, type(None), tuple))
"""Types of options that are compared; a tuple is one of numbers, or of tensors by their identity."""


def captured_numbers(
    rule: Any, options: Any, scalars: Sequence[Tensor], note: Callable[[], None] | None
) -> tuple[Any, Any]:
    """Count a step; return options and numbers for the rule's update, with tensors in place of Python's numbers.

    note: called behind that, in each replay too, as long as the object is alive whose method it is.
    """
    has_tensors = False
    again = None if note is None else WeakMethod(note)

    def read(*scalars: Tensor) -> Any:
        nonlocal has_tensors
        numbers, lr = rule.advance(options, *scalars), options.get("lr")
        has_tensors = any(isinstance(one, Tensor) for one in (numbers if isinstance(numbers, tuple) else (numbers,)))
        note_again(again)
        return changing(numbers), changing(lr), plain(options)

    def read_options() -> Any:
        note_again(again)
        return None if isinstance(options.get("lr"), Tensor) else options.get("lr"), plain(options)

    describe_for_files(rule, options, scalars, read, read_options)
    if options.get("capturable") or options.get("differentiable"):
        numbers = rule.advance(options, *scalars)
        wengert.compiler.disable(read_options)()
        return options, numbers
    numbers, lr, _ = wengert.compiler.disable(read)(*scalars)
    return {**options, "lr": lr} if has_tensors else {**options, "lr": lr, "captured": True}, numbers


def captured_number(function: Callable[..., float], tensors: Sequence[Tensor]) -> Any:
    """Return a number that follows from those of tensors, as a tensor that each replay computes anew."""
    return wengert.compiler.disable(lambda *own: changing(function(*own)))(*tensors)


def compared_options(options: Any) -> Any:
    """Return options whose numbers are Python's, all of which a replay compares."""

    def read_options() -> Any:
        return None if isinstance(options.get("lr"), Tensor) else options.get("lr"), plain(options)

    wengert.compiler.disable(read_options)()
    return options


def describe_for_files(rule: Any, options: Any, scalars: Sequence[Tensor], read: Any, read_options: Any) -> None:
    """Say what a saved program has in place of these functions: numbers as they are, or how they follow from steps."""
    read_options.frozen_result = lambda: None
    if scalars:
        read.number_code = lambda: trace_numbers(rule, options, len(scalars))
        read.file_hint = "the optimizer decides in Python by the number of its steps; one that does not can be saved"
    else:
        read.frozen_result = lambda: (changing(rule.advance(options)), changing(options.get("lr")))


def note_again(reference: WeakMethod[Callable[[], None]] | None) -> None:
    """Call the method that a weak reference leads to, where there is one."""
    note = None if reference is None else reference()
    if note is not None:
        note()


def changing(value: Any) -> Any:
    """Return a number, or those of a tuple, as tensors."""
    if type(value) is float:
        return NUMBER(value, dtype=wengert.float64)
    return tuple(map(changing, value)) if isinstance(value, tuple) else value


def plain(options: Any) -> frozenset[tuple[str, Any]]:
    """Return the options that are plain values, the learning rate left out."""
    return frozenset([(name, value) for name, value in options.items() if type(value) in KINDS and name != "lr"])
