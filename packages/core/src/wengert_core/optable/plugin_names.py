"""Names that plugins give to core: methods of Tensor, and ops for ``find``. Loads neither tables nor families.

Note [Names of plugins' ops]
    A table may give any name that is free. Core's ops and Tensor's own attributes are never in question; who else gets
    a name that several tables give, the registry decides (decision 15), and takes it away again when
    the plugin is switched off: what stands on Tensor then says why.
"""

from __future__ import annotations

from typing import Any

from wengert_registry import registry

from wengert_core.dispatch import op as _op
from wengert_core.optable import lazy_names
from wengert_core.tensors.lazy_attribute import PROMISED, Later
from wengert_core.tensors.tensor import Tensor, mount

MOUNTED: dict[str, tuple[Any, Any]] = {}
"""For a plugin's method: what was given (the method, what loads it, or what says why it is gone), and what ``mount``
made of it, which stands on Tensor.
"""
BEFORE: dict[str, Any] = {}
"""Attributes that stood on Tensor for promised methods before a table gave these."""


# ---- who has names


def holder_of_op(name: str) -> str:
    """Return why no plugin gets the name of an op; '' where it is free."""
    other = _op.loaded_op(name)
    ours = name in lazy_names.OPS.families or (other is not None and other.owner == "core")
    return "the name is wengert's" if ours else ""


def holder_of_method(name: str) -> Any:
    """Return why no table gets the name of a method, or the entry point that is called so; '' where it is free."""
    return why_not_method(name) or registry.group("namespace").current("Tensor." + name) or ""


def why_not_method(name: str) -> str:
    """Return why no plugin gets the name of a method of Tensor; '' where it is free."""
    if not name.isidentifier() or name.startswith("__"):
        return "a method of Tensor has a name of letters, digits and underscores that does not begin with two of these"
    there = Tensor.__dict__.get(name)
    free = there is None or there is standing(name) or name in PROMISED
    return "" if free and name not in lazy_names.METHODS.families else "the name is wengert's"


# ---- mounting


def standing(name: str) -> Any:
    """Return the object that was put on Tensor under a name for a plugin; None where nothing was."""
    return MOUNTED.get(name, (None, None))[1]


def raise_missing_method(name: str) -> None:
    """Raise the AttributeError that says why a method is not there."""
    reasons = registry.reasons(name, "Tensor")
    raise AttributeError(". ".join([f"'Tensor' object has no attribute '{name}'", *reasons]), name=name)


def put_method(name: str, value: Any) -> None:
    """Give Tensor a method of a plugin."""
    if name in PROMISED:
        BEFORE[name] = Tensor.__dict__[name]
        PROMISED.discard(name)
    mount(name, value)
    MOUNTED[name] = (value, Tensor.__dict__[name])


def take_method(name: str, value: Any) -> None:
    """Take it away, unless something else has taken its place; what is left says why."""
    given, there = MOUNTED.get(name, (None, None))
    if given is not value or Tensor.__dict__.get(name) is not there:
        return
    del MOUNTED[name]
    if name in BEFORE:
        PROMISED.add(name)
        mount(name, BEFORE.pop(name))
    else:
        put_method(name, Later(name, name, raise_missing_method))


def put_op(name: str, op: Any) -> None:
    """Let ``find`` know a plugin's op."""
    if _op.loaded_op(name) is None:
        _op.register(op)


def take_op(name: str, op: Any) -> None:
    """Let ``find`` forget it."""
    _op.unregister(op)


registry.places["op"].connect(holder_of_op, put_op, take_op)
registry.places["Tensor"].connect(holder_of_method, put_method, take_method)
