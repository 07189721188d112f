"""Steps inside of a capture: numbers that change from step to step become tensors.

Note [Captured steps]
    A program that ``wengert.capture`` has recorded runs without Python, and a rule's numbers are Python's: the learning
    rate, which schedulers change, and what follows from the count of steps. So in a recording a function that is not
    recorded (``compiler.disable``) computes them, as always, and each replay calls it: what it gives as tensors of one
    float64 number is read by the operations behind it, with the same bits. The other hyperparameters are its result as
    well, so that a replay notices when one has changed. That step is recorded anew. If it was the momentum, or another
    number of ``VARIABLE``, it is a tensor from then on: a scheduler may change it in each step.
    Groups, options and state are looked at in each replay, and are nearly always what they were: what follows from them
    is computed again only where ``wengert.replay.Contents`` sees a change.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakValueDictionary, ref

import wengert
from wengert import Tensor

from wengert_optim.updates.number_code import NumberCode, trace_numbers

__all__ = ["captured_number", "captured_numbers", "compare_contents", "count_waits"]

NUMBER: Any = wengert.tensor
KINDS = frozenset((bool, int, float, str, type(None), tuple))
"""Types of options that are compared; a tuple is one of numbers, or of tensors by their identity."""
NUMBERS = (int, float)
VARIABLE = ("alpha", "betas", "dampening", "lambd", "momentum", "rho", "weight_decay")
"""Options that become tensors once they have changed: rules use them in arithmetic only, but for ``is_on``."""
LEFT_OUT = frozenset(("lr", "max_momentum", "base_momentum", "initial_lr", "max_lr", "min_lr"))
"""Options that are no guards: the learning rate is a tensor, the others are notes of schedulers."""
NEVER_COMPARED = LEFT_OUT | {"params"}


def no_result() -> None:
    """Stand in a saved program for a comparison: a file has the parameters and the state that it was saved with."""


class Changes:
    """The names of a group's options that have changed since its first captured step.

    The functions that a program calls keep it: as long as one does, it is known to later recordings.
    """

    def __init__(self, options: Any) -> None:
        self.options = options
        self.first = {name: options[name] for name in VARIABLE if is_number(options.get(name))}
        self.names: list[str] = []
        self.plain: frozenset[tuple[str, Any]] = frozenset()
        self.contents: Any = None

    def look(self) -> tuple[dict[str, Any], frozenset[tuple[str, Any]]]:
        """Note the options that are other numbers now; return what ``numbers`` does, and the others' values."""
        options = self.options
        if self.contents is not None and self.contents.agree(options):
            varying = self.numbers() if self.names else NOTHING
            if len(varying) == len(self.names):
                return varying, self.plain
        for name, value in self.first.items():
            now = options.get(name)
            if now is not value and name not in self.names and is_number(now) and now != value:
                self.names.append(name)
        varying = self.numbers()
        self.plain = plain(options, varying)
        skip = NEVER_COMPARED.union(self.names)
        self.contents = wengert.replay.Contents(options, skip=skip) if len(varying) == len(self.names) else None
        return varying, self.plain

    def numbers(self) -> dict[str, Any]:
        """Return the options that have changed at some time, without numbers up to zero, by which rules may decide."""
        options = self.options
        return {name: as_floats(options[name]) for name in self.names if is_variable(options.get(name))}


NOTHING: dict[str, Any] = {}
CHANGES: WeakValueDictionary[int, Changes] = WeakValueDictionary()
"""By the id of the group, which they keep alive."""


def changes_of(options: Any) -> Changes:
    """Return the changes of a group that are known."""
    found = CHANGES.get(id(options))
    if found is None:
        found = CHANGES[id(options)] = Changes(options)
    found.look()
    return found


def captured_numbers(rule: Any, options: Any, scalars: Sequence[Tensor], owner: Any = None) -> tuple[Any, Any]:
    """Count a step; return options and numbers for the rule's update, with tensors in place of Python's numbers.

    owner: the Bucket of these scalars; each replay asks it whether its numbers are as they were, while it is alive.
    """
    has_tensors = False
    bucket = no_bucket if owner is None else ref(owner)
    changes = changes_of(options)

    def read_plain(*scalars: Tensor) -> Any:
        nonlocal has_tensors
        own = bucket()
        is_same = own is None or own.has_same_numbers()
        numbers, lr = rule.advance(options, *scalars), options.get("lr")
        has_tensors = any(isinstance(one, Tensor) for one in (numbers if isinstance(numbers, tuple) else (numbers,)))
        if own is not None:
            own.note_versions()
        tensors, values = changes.look()
        return numbers, lr, tuple(tensors.values()), values, is_same

    def read(*scalars: Tensor) -> Any:
        return changing(read_plain(*scalars))

    def read_options() -> Any:
        own = bucket()
        if own is not None:
            own.note_versions()
        return None if isinstance(options.get("lr"), Tensor) else options.get("lr"), changes.look()[1]

    read.option_names = read_options.option_names = tuple(options)  # type: ignore[attr-defined]
    describe_for_files(rule, changes, scalars, read, read_options)
    if options.get("capturable") or options.get("differentiable"):
        numbers = rule.advance(options, *scalars)
        wengert.compiler.disable(read_options)()
        return options, numbers
    read.plain_numbers = read_plain  # type: ignore[attr-defined]
    numbers, lr, tensors, *_ = wengert.compiler.disable(read)(*scalars)
    varying = dict(zip(changes.numbers(), tensors, strict=True))
    made = {**options, "lr": lr, **varying, "varying": varying}
    return made if has_tensors else {**made, "captured": True}, numbers


def compare_contents(optimizer: Any, has_state: bool = True) -> None:
    """Let each replay compare parameters and state of an optimizer: others than in the recording are recorded anew."""
    read: Any = Comparison(optimizer, has_state).read
    wengert.compiler.disable(read)()


def count_waits(optimizer: Any, waited: Tensor) -> None:
    """Let an optimizer count a step that stale plans wait for, also in each replay: one may become stale in this step.

    Note [Steps that are waited for] in plan.py.   waited: int64[], the steps so far.
    """
    reference = ref(optimizer)

    def count(waited: Tensor) -> int:
        found = reference()
        return 0 if found is None else found._count_step(waited)

    count.frozen_result = no_result  # type: ignore[attr-defined]
    wengert.compiler.disable(count)(waited)


class Comparison:
    """The groups of an optimizer, and its state, as a number, which is computed again where they have changed."""

    def __init__(self, optimizer: Any, has_state: bool) -> None:
        self.optimizer, self.has_state = ref(optimizer), has_state
        self.groups: Any = None
        self.state: Any = None
        self.number = 0

    def read(self) -> int:
        """Return the number."""
        found: Any = self.optimizer()
        if found is None:
            return 0
        groups, state = found.param_groups, found.state if self.has_state else NOTHING
        if self.groups is None or not (self.groups.agree(groups) and self.state.agree(state)):
            options = {name for group in groups for name in group if name != "params"}
            self.groups = wengert.replay.Contents(groups, skip=options)
            self.state = wengert.replay.Contents(state, numbers=False)
            self.number = hash((tuple(map(parameters_of, groups)), tuple(map(entries_of, state.items()))))
        return self.number

    read.frozen_result = no_result  # type: ignore[attr-defined]


def parameters_of(group: dict[str, Any]) -> Any:
    """Return what identifies a group and its parameters."""
    return id(group), tuple(map(id, group["params"]))


def entries_of(item: tuple[Any, Any]) -> Any:
    """Return what identifies a parameter and the tensors of its state, with their memory."""
    param, state = item
    entries = state.items() if isinstance(state, dict) else (("", state),)
    return id(param), tuple([
        (name, id(one), one.data_ptr() if one.layout is wengert.strided else 0)
        for name, one in entries if isinstance(one, Tensor)
    ])  # fmt: skip


def captured_number(function: Callable[..., float], tensors: Sequence[Tensor]) -> Any:
    """Return a number that follows from those of tensors, as a tensor that each replay computes anew."""

    def read(*own: Tensor) -> Any:
        return changing(function(*own))

    read.plain_numbers = function  # type: ignore[attr-defined]
    return wengert.compiler.disable(read)(*tensors)


def describe_for_files(rule: Any, changes: Changes, scalars: Sequence[Tensor], read: Any, read_options: Any) -> None:
    """Say what a saved program has in place of these functions: numbers as they are, or how they follow from steps."""
    options = changes.options
    read_options.frozen_result = lambda: None

    def number_code() -> NumberCode | None:
        made = trace_numbers(rule, options, len(scalars))
        if made is not None:
            for value in changes.numbers().values():
                made.results += value if isinstance(value, tuple) else (value,)
        return made

    if scalars:
        read.number_code = number_code
        read.file_hint = "the optimizer decides in Python by the number of its steps; one that does not can be saved"
    else:
        read.frozen_result = lambda: (
            changing(rule.advance(options)), changing(options.get("lr")), changing(tuple(changes.numbers().values())),
        )  # fmt: skip


def no_bucket() -> None:
    """Stand in for a reference to a bucket, where there is none."""


def is_number(value: Any) -> bool:
    """Return whether a value is a Python number, or a tuple of those."""
    return type(value) in NUMBERS or (type(value) is tuple and all(map(is_number, value)))


def is_variable(value: Any) -> bool:
    """Return whether a tensor may stand for a value: for a number above zero, and for any in a tuple."""
    return value > 0 if type(value) in NUMBERS else is_number(value)


def as_floats(value: Any) -> Any:
    """Return a number as a float, or those of a tuple."""
    return tuple(map(float, value)) if isinstance(value, tuple) else float(value)


def changing(value: Any) -> Any:
    """Return a number, or those of a tuple, as tensors."""
    if type(value) is float:
        return NUMBER(value, dtype=wengert.float64, device="cpu")  # whatever the default device is
    return tuple(map(changing, value)) if isinstance(value, tuple) else value


def plain(options: Any, varying: Any = ()) -> frozenset[tuple[str, Any]]:
    """Return the options that are plain values; the learning rate and those that vary have no values here."""
    if not varying:
        return frozenset([one for one in options.items() if type(one[1]) in KINDS and one[0] not in LEFT_OUT])
    return frozenset([
        (name, None if name in varying else value)
        for name, value in options.items() if type(value) in KINDS and name not in LEFT_OUT
    ])  # fmt: skip
