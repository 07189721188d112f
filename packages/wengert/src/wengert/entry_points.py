"""Entry points of ``wengert.namespace.v1``: what they may be called, what they may give, and how it is mounted.

Note [Names of entry points]
    ``top.ANYTHING`` gives a dict of names, or a function that returns one; ``Tensor.NAME`` gives a method of Tensor;
    any other name is a dotted place under ``wengert.``: a module's public names are mounted there, any other object is
    what is found there. A stranger's entry point never takes the place of a name that is there or that wengert will
    load, and gives names to modules only: it is refused with a warning. What comes from optional parts and plugins is
    loaded when it is asked for, noted in LATE, and taken away when its plugin is switched off.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Any

from wengert_core.api.namespace import LATER as CORE_LATER
from wengert_core.messages.short_repr import short_repr
from wengert_core.optable import lazy_names as core_names
from wengert_core.optable.plugin_names import put_method, raise_missing_method, why_not_method
from wengert_registry import PluginError, errors, registry
from wengert_registry.claims import NEEDED

from wengert.modules import (
    ABSENT,
    CHANGING,
    ON_DEMAND,
    OUR_MODULES,
    SUBMODULES,
    MountedModule,
    dotted_name,
    module_at,
    mount,
    value_at,
)  # fmt: skip
from wengert.parts import METHODS, PARTS

GROUP = registry.group("namespace")
FILLED: dict[str, Any] = {}
"""The entry points that have been mounted, with the candidates that they were."""
LATE: dict[str, tuple[Any, Any]] = {}
"""Names that optional parts and plugins gave: (candidate, value)."""


# ---- what a stranger may be called


def why_not(dotted: str, distribution: str = "", fill: bool = False) -> str:
    """Return why a plugin does not get ``wengert.<dotted>``; '' where it is free, or the distribution's already.

    fill: load the module that the name lies in, to see whether it is there. Not with the registry's lock held.
    """
    parts = dotted.split(".")
    if not all(part.isidentifier() and not part.startswith("__") for part in parts):
        return ("a name of wengert has parts of letters, digits and underscores with dots between them, none of which "
                "begins with two underscores")
    for end in range(1, len(parts)):
        why = why_no_module(".".join(parts[:end]))
        if why:
            return why
    entry = GROUP.current(dotted)
    ours = is_op(dotted) or dotted in CORE_LATER or dotted in OUR_MODULES or dotted in SUBMODULES
    if ours or is_promised(dotted, PARTS) or (entry and entry.distribution.first_party):
        return "the name is wengert's"
    if fill:
        fill_module(dotted.rpartition(".")[0])
    value = value_at(dotted)
    if value is ABSENT or isinstance(value, MountedModule):
        return ""
    giver, given = LATE.get(dotted) or registry.places["wengert"].winners.get(dotted) or (None, None)
    if giver is None or given is not value:
        return "the name is wengert's"
    return "" if giver.distribution.name == distribution else errors.reserved_name(giver)


def why_no_module(dotted: str) -> str:
    """Return why no names are put into ``wengert.<dotted>``; '' where it is a module or free."""
    value, entry = value_at(dotted), GROUP.current(dotted)
    free = value is ABSENT and not is_op(dotted) and dotted not in CORE_LATER and dotted not in SUBMODULES
    if isinstance(value, MountedModule) or (free and (entry is None or ":" not in entry.target)):
        return ""
    if isinstance(value, ModuleType) or dotted in SUBMODULES:
        return f"wengert.{dotted} is a module that takes no names"
    return f"wengert.{dotted} is no module, and only modules take names ('Tensor.NAME' is a method of Tensor)"


def is_promised(name: str, by_part: dict[str, str]) -> bool:
    """Return whether an op table of wengert's own that is installed brings the name."""
    table = registry.group("ops").current(by_part.get(name, ""))
    return table is not None and table.distribution.first_party


def is_op(dotted: str) -> bool:
    """Return whether core has a function that is called so, loaded or not. ``max.dim`` is a form of the op ``max``."""
    ops = core_names.OPS
    return dotted in ops and (dotted.partition(".")[0] not in ops or "." not in dotted)


def fill_module(dotted: str) -> None:
    """Mount the entry point of a module, so that its own names come first."""
    if dotted and dotted not in FILLED and is_entry(dotted):
        outcome = GROUP.attempt_all([dotted])[dotted]  # one that fails says so when it is asked for
        if not isinstance(outcome, PluginError):
            mount_entry(dotted)


def holder(dotted: str) -> Any:
    """Return why no table gets a name, or the entry point that is called so; '' where it is free."""
    given = registry.places["wengert"].winners.get(dotted)
    entry = GROUP.current(dotted) if is_module_path(dotted) else None
    ours = given is not None and given[0].distribution.first_party
    settled = ours or (given is not None and value_at(dotted) is given[1]) or is_promised(dotted, PARTS)
    why = "" if settled else why_not(dotted) or why_no_object(dotted)
    return why or (entry if entry and not refusal(entry) else "")


def why_no_object(dotted: str) -> str:
    """Return why ``wengert.<dotted>`` cannot be anything but a module; '' where it can."""
    if not isinstance(value_at(dotted), MountedModule):
        return ""
    inside = [one for one in map(GROUP.current, GROUP.names(f"{dotted}.")) if one]
    whose = f"that of {errors.origin(inside[0])}" if inside else "another's"
    return f"wengert.{dotted} is a module, in which lies a name that is {whose}"


def is_late(candidate: Any) -> bool:
    """Return whether a candidate (None: several) is an optional part's or a plugin's, loaded on first use only."""
    return candidate is None or not candidate.distribution.first_party or candidate.distribution.name not in NEEDED


def is_module_path(entry: str) -> bool:
    """Return whether an entry point is called as what it gives: not one of the other forms."""
    return not entry.startswith(("top.", "Tensor."))


def refusal(candidate: Any, fill: bool = False) -> str:
    """Return why an entry point is refused, which is noted to be reported; '' where it is not."""
    if candidate.distribution.first_party or candidate.name.startswith("top."):
        return ""
    head, _, last = candidate.name.partition(".")
    if head == "Tensor" and last:
        why = "the name is wengert's" if is_promised(last, METHODS) else why_not_method(last)
    else:
        why = why_not(candidate.name, candidate.distribution.name, fill)
    if why and not candidate.in_process:
        registry.note(errors.entry_conflict(candidate, why))
    return why


# ---- what it may give


def accept(candidate: Any, obj: Any) -> Any:
    """What a ``wengert.namespace.v1`` entry point gives. Raises TypeError or ValueError to refuse it."""
    name = candidate.name
    if candidate.in_process and (why := refusal(candidate)):
        raise ValueError(f"'{name}' cannot be registered as a name of wengert: {why}")
    if name.startswith("top."):
        names = obj() if callable(obj) else obj
        if not isinstance(names, dict) or not all(isinstance(key, str) for key in names):
            raise TypeError("expected a dict of names (str) and what they stand for, or a function that returns one, "
                            f"got {type(names).__name__}")
        if is_late(candidate):
            methods = {key.removeprefix("Tensor."): value for key, value in names.items() if key.startswith("Tensor.")}
            others = {key: value for key, value in names.items() if not key.startswith("Tensor.")}
            registry.claim(candidate, {"Tensor": methods, "wengert": others})
        return names
    if name.startswith("Tensor."):
        if isinstance(obj, ModuleType) or not (callable(obj) or hasattr(type(obj), "__get__")):
            raise TypeError("expected a method of Tensor: a function whose first argument is the tensor, or a "
                            f"property, got {type(obj).__name__}")
    elif isinstance(obj, ModuleType):
        public_names(obj)
        changing_names(obj)
    return obj


def public_names(module: ModuleType) -> list[str]:
    """The names that a module gives. Raises TypeError where ``__all__`` names what is not there.

    Names that the module's ``__getattr__`` gives are not asked for: a module loads what a program uses.
    """
    public = getattr(module, "__all__", None)
    if public is None:
        return [name for name in vars(module) if not name.startswith("_")]
    loads = "__getattr__" in vars(module)
    if isinstance(public, str) or not all(
        isinstance(name, str) and (loads or hasattr(module, name)) for name in public
    ):
        raise TypeError(f"__all__ of the module {module.__name__} names what is not there: expected names in it")
    return list(public)


def changing_names(module: ModuleType) -> tuple[str, ...]:
    """The names of a module that are asked for each time, its ``__changing__``. TypeError where that holds no names."""
    names = getattr(module, "__changing__", ())
    if type(names) not in (tuple, list) or not all(type(name) is str and name.isidentifier() for name in names):
        raise TypeError(
            f"__changing__ of the module {module.__name__} must be a tuple of names, got {short_repr(names)}"
        )
    return tuple(names)


# ---- mounting


def mount_entry(dotted: str) -> Any:
    """Load the entry point called ``dotted`` and mount it. Of a module the public names are mounted, anything else is
    mounted itself.

    Raises PluginError where it cannot be had, AttributeError where it is refused.
    """
    source: Any = GROUP.get(dotted)
    candidate: Any = GROUP.current(dotted)
    owner, why = candidate.distribution.name, refusal(candidate, fill=True)
    if why:
        raise AttributeError(errors.entry_conflict(candidate, why))
    FILLED[dotted] = candidate
    if not isinstance(source, ModuleType):
        if not candidate.distribution.first_party and why_no_object(dotted):
            raise AttributeError(errors.entry_conflict(candidate, why_no_object(dotted)))
        give(candidate, {dotted: source})
        return source
    module, changing = module_at(dotted), changing_names(source)
    public = [name for name in public_names(source) if name not in changing]
    ours = candidate.distribution.first_party
    free = public if ours else [name for name in public if not why_not(f"{dotted}.{name}", owner)]
    there = {name: vars(source)[name] for name in free if name in vars(source)}
    if ours:
        module.__dict__.update(there)
        mount_rows(dotted)
    give(candidate, {f"{dotted}.{name}": value for name, value in there.items()})
    if len(free) < len(public):
        lost = [f"wengert.{dotted}.{name}" for name in public if name not in free]
        registry.note(errors.name_conflicts(candidate, lost, "the names are there already"))
    if ours or not module.__doc__:
        module.__doc__ = source.__doc__
    CHANGING[module.__name__] = dict.fromkeys(changing, source)

    def load(name: str) -> Any:
        """Mount a name that the source's ``__getattr__`` gives."""
        value = getattr(source, name)
        give(candidate, {f"{dotted}.{name}": value})
        return value

    ON_DEMAND[module.__name__] = dict.fromkeys((name for name in free if name not in there), load)
    module.__dict__["__all__"] = [*module.__dict__.get("__all__", ()), *free, *late_objects(dotted, free)]
    for inside in map(GROUP.current, GROUP.names(f"{dotted}.")):
        if inside is not None:
            refusal(inside)  # now that this module's names are known
    registry.tell()
    return module


def put_row(dotted: str, value: Any) -> None:
    """Mount a name that a table gives; one in a module of wengert's that has not been filled waits for that."""
    module_path = dotted.rpartition(".")[0]
    around = GROUP.current(module_path) if module_path and module_path not in FILLED else None
    if around is None or not around.distribution.first_party:
        mount({dotted: value})


def mount_rows(module_path: str) -> None:
    """Mount what tables give to a module of wengert's, now that its own names are there."""
    for dotted, (candidate, value) in registry.places["wengert"].winners.items():
        if dotted.rpartition(".")[0] == module_path:
            mount({dotted: value})
            if value_at(dotted) is not value:
                registry.note(errors.name_conflicts(candidate, [f"wengert.{dotted}"], "the name is wengert's"))


def give(candidate: Any, names: dict[str, Any]) -> None:
    """Mount what an entry point gives, and note what may have to be taken away."""
    mount(names)
    if is_late(candidate):
        for name, value in names.items():
            if value_at(name) is value:
                LATE[name] = candidate, value
    for name, value in names.items():
        if isinstance(value, MountedModule):
            LATE.pop(name, None)  # a module of wengert's own, under another name


def late_objects(module_path: str, there: Iterable[str]) -> list[str]:
    """The public names which our optional parts give to a module and which are no modules: ``import *`` loads them."""
    inside = module_path + "."
    found = {name.removeprefix(inside) for one, rows in GROUP.sections().items() if one.first_party
             for name, target in rows.items() if name.startswith(inside) and ":" in target}
    return sorted(name for name in found if "." not in name and name[0] != "_" and name not in there)


def mount_late(module: ModuleType) -> bool:
    """Mount the entry point of a module that was made for what lies inside it; True when there was one to mount."""
    dotted = dotted_name(module)
    if dotted in FILLED or not is_entry(dotted):
        return False
    try:
        mount_entry(dotted)
    except PluginError as error:
        raise AttributeError(f"module 'wengert.{dotted}' cannot be loaded: {error}") from error
    return True


def is_entry(dotted: str) -> bool:
    """Return whether an entry point that is not refused is called so, and is a place."""
    candidate: Any = GROUP.current(dotted) if is_module_path(dotted) and dotted in GROUP else None
    return dotted in GROUP if candidate is None else not refusal(candidate)


def load_method(entry: str) -> None:
    """Put the method of Tensor that an entry point gives in the place of what stands for it."""
    name = entry.removeprefix("Tensor.")
    if entry not in GROUP:
        raise_missing_method(name)
    try:
        value = GROUP.get(entry)
    except PluginError as error:
        raise AttributeError(f"'Tensor' object has no attribute '{name}': {error}", name=name) from error
    put_method(name, value)
