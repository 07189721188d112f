"""Values of objects without attributes: arrays, iterators, sources of random numbers.

Note [What cannot be looked at]
    Where an iterator is, only those of lists, tuples, ranges, dicts and strings tell. Any other one (a generator,
    ``zip``, ``itertools.cycle``) counts as another one in each look for changes, so that a function that can reach it
    is taken for one that changes Python's state. Sources of random numbers tell their state.
"""

from __future__ import annotations

import operator
import pickle
import random
import sys
from array import array
from itertools import count
from types import CodeType
from typing import Any

import numpy as np

ITERATORS = ("builtins", "itertools")
"""Modules whose iterators have no attributes."""
Mark = tuple[int, int, str, str]
"""First value and the one behind the last of what has a name, the name, the class of the object that has it or ""."""
Code = tuple[CodeType, str, int]
"""A code, the name under which an object or its class has it, or "", the id of the code that reaches it, or 0."""
OPTIM = "wengert.optim."
"""The beginning of the names of classes whose objects a replay steps: what nobody reads in them does not matter."""
SCHEDULER = "<scheduler>"
"""The name of a code that a step of a scheduler may run, and nobody else; the beginning of the names of classes of
schedulers that a user has written.
"""
GETTERS = frozenset((operator.attrgetter, operator.itemgetter, operator.methodcaller))
REPRESENTED = frozenset(("datetime", "decimal"))
"""Modules whose objects are what ``repr`` says."""


def kind_of_value(cls: type) -> int:
    """Return whether ``value_of`` tells what is in objects of a class: 0 no, 1 yes, 2 yes, and they may change, 3 yes,
    and they draw random numbers.
    """
    module = str(cls.__module__)
    if issubclass(cls, random.Random) or module.startswith("numpy.random"):
        return 3
    if issubclass(cls, (np.ndarray, bytearray, array)) or (module in ITERATORS and hasattr(cls, "__next__")):
        return 2
    return 1 if issubclass(cls, np.generic) or cls in (range, slice) or module in REPRESENTED else 0


def value_of(thing: Any, most_bytes: int) -> Any:
    """Return what is in an object without attributes, to be compared by ``==``; None where an iterator does not tell.

    most_bytes: of an array; what is in a larger one is passed over.
    """
    if isinstance(thing, np.ndarray):
        if thing.nbytes > most_bytes or thing.dtype.hasobject:
            return ""
        return (thing.shape, thing.strides, thing.dtype.str, thing.tobytes())
    if isinstance(thing, np.generic):
        return thing.tobytes()
    if isinstance(thing, (bytearray, array)):
        return bytes(thing) if len(thing) * getattr(thing, "itemsize", 1) <= most_bytes else ""
    if isinstance(thing, count) or kind_of_value(type(thing)) == 1:
        return repr(thing)
    if hasattr(thing, "__next__"):
        left = operator.length_hint(thing, -1)
        return left if left >= 0 else None
    return random_state(thing) or ""


def random_state(source: Any) -> Any:
    """Return the state of an object of Python or NumPy that draws random numbers, to be compared; None for another."""
    library = sys.modules.get("numpy.random")  # which NumPy loads when it is used
    try:
        if isinstance(source, random.Random):
            return source.getstate() if type(source) is random.Random else pickle.dumps(source.getstate())
        if library is None:
            return None
        if isinstance(source, library.RandomState):
            name, key, *rest = source.get_state()
            return (name, key.tobytes(), *rest)
        source = getattr(source, "bit_generator", source)
        return pickle.dumps(source.state) if isinstance(source, library.BitGenerator) else None
    except Exception:  # of a class of the user's, or one that has no state
        return None


def code_of(getter: Any) -> CodeType:
    """Return code that reads what an ``attrgetter``, ``itemgetter`` or ``methodcaller`` reads.

    >>> code_of(operator.attrgetter("a.b")).co_names
    ('x', 'a', 'b')
    """
    made_by, names = getter.__reduce__()[:2]
    if isinstance(getter, operator.itemgetter):
        reads = [f"x[{key!r}]" for key in names if isinstance(key, (str, int))]
    elif isinstance(getter, operator.methodcaller):
        reads = [f"x.{(*getattr(made_by, 'args', ()), *names)[0]}()"]
    else:
        reads = [f"x.{name}" for name in names]
    return compile(" or ".join(reads or ["x"]), "<getter>", "eval")


def set_random_state(source: Any, state: Any) -> None:
    """Set the state of a source to what ``random_state`` has given."""
    if isinstance(source, random.Random):
        source.setstate(state if type(source) is random.Random else pickle.loads(state))
    elif hasattr(source, "set_state"):
        name, key, *rest = state
        source.set_state((name, np.frombuffer(key, "uint32"), *rest))
    else:
        getattr(source, "bit_generator", source).state = pickle.loads(state)


def random_sources() -> dict[str, Any]:
    """Return the sources behind the functions of Python's ``random`` and NumPy's ``random``, which is loaded late.

    >>> source = random_sources()["random"]
    >>> before = random_state(source)
    >>> _ = random.random()
    >>> before == random_state(source)
    False
    """
    found = {"random": random.getstate.__self__}  # type: ignore[attr-defined]
    sources = sys.modules.get("numpy.random.mtrand")
    return found if sources is None else {**found, "numpy.random": sources._rand}
