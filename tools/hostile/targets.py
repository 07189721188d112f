"""The targets of calls: public functions, and all that the public and the compiled classes have."""

from __future__ import annotations

import importlib
import pkgutil
import sys
from dataclasses import dataclass
from enum import Enum
from types import ModuleType
from typing import Any

import wengert
from wengert_core.tensors.lazy_attribute import Later

PACKAGES = ["compat", "core", "engine", "formulas", "functional", "gradcheck", "graph", "profiler", "special"]
NAMESPACES = [
    "", "nn.functional", "linalg", "fft", "special", "signal.windows", "autograd", "autograd.graph",
    "autograd.functional", "autograd.forward_ad", "autograd.profiler", "autograd.profiler_util",
    "autograd.anomaly_mode", "autograd.function", "autograd.grad_mode", "autograd.variable", "func", "profiler",
    "cuda", "random", "utils.checkpoint", "utils.hooks", "testing", "memory", "jit", "compiler", "_dynamo",
    "backends.cuda", "backends.cudnn", "backends.mkl", "backends.mkldnn", "backends.mps", "backends.openmp",
    "utils.dlpack",
]  # fmt: skip
LEFT_OUT = {
    "wengert.plugins": "changes what is installed for all calls behind it",
    "wengert.profiler.profile_program": "runs a program that a path names",
    "wengert.memory.set_cache_limit": "a setting that no call takes back",
}
"""Not called, with the reason."""
SKIPPED = {
    "__class__", "__doc__", "__module__", "__dict__", "__weakref__", "__subclasshook__", "__init_subclass__",
}  # fmt: skip
"""Attributes that every class has and nobody wrote."""
PYTHONS = {"builtins", "enum", "typing", "collections", "contextlib"}
"""Modules of Python's: what a class of ours inherits from theirs (``object``, ``list``, ``Enum``) is not called."""
SHARED, CHANGING = {"layout", "memory_format", "device"}, {"__init__", "__setattr__", "__delattr__", "__setstate__"}
"""Classes in Python whose objects are shared by all: who changes one has changed it for the calls behind it."""


@dataclass(frozen=True)
class Target:
    """Something to call.

    text: what names it, to be followed by arguments.   op: the name its samples have.   kind: function, method,
    property, made (a class) or half (a half-made object's).   owner, of: name and text of the class of ``self``.
    """

    text: str
    op: str
    kind: str
    owner: str = ""
    of: str = ""


STRICT = {
    "Tensor", "Storage", "Node", "FunctionNode", "SavedTensor", "Generator", "dtype", "device", "layout",
    "memory_format", "Size", "Op", "Composite", "finfo", "iinfo", "Formula", "Later", "Several", "HookPair", "Packed",
    "Tangent", "Trace", "GraphTask", "Scratch", "Workspace", "Source", "Batch", "Levels", "Rule", "Recording",
    "Observer",
}  # fmt: skip
"""Classes whose methods say TypeError of another ``self``: those of torch's that are written in C, and compiled ones.
Of a class that is written in Python, there as here, an AttributeError is what another ``self`` gives."""


def load_all() -> None:
    """Import every module of the packages, so that all classes are there."""
    for package in [wengert, *(importlib.import_module(f"wengert_{name}") for name in PACKAGES)]:
        for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
            if not module.name.endswith("__main__"):
                importlib.import_module(module.name)


def resolve_path(path: str) -> Any:
    """Return the object that a dotted path from ``wengert`` leads to; None where there is nothing."""
    found: Any = wengert
    for part in filter(None, path.split(".")):
        found = getattr(found, part, None)
    return found


def functions() -> tuple[list[Target], dict[type, str]]:
    """Functions of the namespaces, and the classes that they show."""
    found: dict[int, Target] = {}
    classes: dict[type, str] = {}
    for path in NAMESPACES:
        room = resolve_path(path)
        for name in dir(room) if room is not None else ():
            value, text = getattr(room, name, None), ".".join(filter(None, ["wengert", path, name]))
            if name.startswith("__") or text in LEFT_OUT or isinstance(value, ModuleType):
                continue
            if isinstance(value, type):
                classes.setdefault(value, text)
            elif callable(value):
                op = ".".join(filter(None, [path if path in ROOMS else "", name]))
                found.setdefault(id(value), Target(text, op, "function"))
    return list(found.values()), classes


ROOMS = {"nn.functional", "linalg", "fft", "special", "signal.windows"}
"""Namespaces that the names of samples have."""


def compiled_classes() -> dict[type, str]:
    """Extension types of the packages, with a text that leads to them."""
    found = {}
    for name, module in sorted(sys.modules.items()):
        if name.startswith("wengert_") and not name.startswith(("wengert_testing", "wengert_registry")):
            for value in vars(module).values():
                if isinstance(value, type) and not value.__flags__ & (1 << 9) and value.__module__ == name:
                    # of wengert_core the name "tensor" is an op
                    shadowed = name == "wengert_core.tensors.tensor"
                    found[value] = value.__qualname__ if shadowed else f"{name}.{value.__qualname__}"
    return found


def of_class(kind: type, text: str) -> list[Target]:
    """Methods, operators, properties and the half-made object's attributes of a class."""
    owner = kind.__name__ if not text.startswith("wengert.cuda.") else f"cuda.{kind.__name__}"  # there are two devices
    if issubclass(kind, Enum):  # to call it is Enum's: it looks a member up
        return []
    if issubclass(kind, BaseException) or (text.endswith("Tensor") and not text.endswith(".Tensor")):
        return [Target(text, "", "made", owner)]
    makers = [vars(base) for base in kind.__mro__ if base.__module__ not in PYTHONS]
    own = any(name in facts for facts in makers for name in ("__new__", "__init__"))
    found = [Target(text, kind.__name__, "made", owner)] if own else []
    for name in dir(kind):
        value, home = next(((vars(base)[name], base) for base in kind.__mro__ if name in vars(base)), (None, kind))
        if name in SKIPPED or home.__module__ in PYTHONS or (kind.__name__ in SHARED and name in CHANGING):
            continue
        if isinstance(value, Later):  # becomes the attribute itself when that is asked for
            found.append(Target(f"{text}.{name}", name, "method", owner, text))
        elif hasattr(type(value), "__get__") and (hasattr(type(value), "__set__") or not callable(value)):
            found += [
                Target(f"{text}.__dict__['{name}'].{slot}", name, "property", owner, text)
                for slot in ("__get__", "__set__", "__delete__")
                if name in vars(kind) and hasattr(type(value), slot)
                if slot == "__get__" or kind.__name__ not in SHARED
            ]
        elif callable(getattr(kind, name, None)):
            found.append(Target(f"{text}.{name}", name, "method", owner, text))
        found.append(Target(f"half({text}).{name}", name, "half", owner, text))
    return found


def collect() -> list[Target]:
    """All targets, in an order that is the same in every run."""
    load_all()
    found, classes = functions()
    for kind, text in compiled_classes().items():
        classes.setdefault(kind, text)
    for kind, text in sorted(classes.items(), key=lambda pair: pair[1]):
        found += of_class(kind, text)
    return found
