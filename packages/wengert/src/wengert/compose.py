"""How ``wengert.*`` comes to be: names from the registry, mounted when wengert is imported or when they are first asked
for.

Entries of ``wengert.namespace.v1`` (``entry_points.py``) and op tables give names to ``wengert`` and its modules
(``modules.py``). Core's ops and the first-party ``top.`` names are there at once; modules, optional parts and plugins
are loaded when a name is asked for that nobody has given yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import wengert_core
from wengert_core.api.namespace import LATER as CORE_LATER
from wengert_core.optable import lazy_names as core_names
from wengert_core.tensors import named_tuple
from wengert_core.tensors.lazy_attribute import PROMISED, Later
from wengert_core.tensors.tensor import Tensor
from wengert_core.tensors.tensor import mount as mount_on_tensor
from wengert_registry import PluginError, registry

from wengert import entry_points, modules
from wengert.entry_points import is_entry, is_late, is_module_path, is_op, mount_entry, mount_late
from wengert.modules import ABSENT, OUR_MODULES, SUBMODULES, module_at, mount, unmount, value_at
from wengert.parts import METHODS, NOT_PARTS, PARTS

HIDDEN = {*SUBMODULES, "_compose"} - {"profile"}
"""Names that ``dir(wengert)`` leaves out, beside internal rows of op tables."""


class MissingPartError(ImportError):
    """A part of wengert that is not installed; says which command installs it."""


def compose(namespace: dict[str, Any]) -> None:
    """Mount what the first-party entries give. Called once, by ``import wengert``."""
    modules.FILL[:], modules.FIND[:], modules.KNOWN[:] = [mount_late], [find], [known_names]
    group = registry.group("namespace")
    group.on_accept(entry_points.accept)
    for name in [name for name in group.names() if name.startswith("top.") and not is_late(group.current(name))]:
        names: Any = group.get(name)
        mount(names)
    sys.modules["wengert.return_types"] = named_tuple.MODULE  # which is no file: so that it can be imported
    ours = [one.name for one in group.candidates() if one.distribution.first_party and is_module_path(one.name)]
    inside = [f"{module_path}." for module_path in core_names.NAMESPACES]
    OUR_MODULES.update(*(enclosing(name) for name in (*ours, *PARTS, *inside)))
    for module_path in sorted(OUR_MODULES):
        module_at(module_path)  # so that names can be asked of it
    for name, part in METHODS.items():
        if name not in Tensor.__dict__:  # its table may be loaded, by a program that imported core first
            PROMISED.add(name)
            installed = part in registry.group("ops")
            mount_on_tensor(name, Later(name, part, load_part) if installed else missing_method(name))
    namespace["plugins"] = registry
    registry.places["wengert"].connect(entry_points.holder, entry_points.put_row, unmount)
    entry_points.arrange()
    registry.on_change(entry_points.arrange)
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.append(Finder())
    registry.tell()
    if not is_listing():
        registry.compose()


def enclosing(dotted: str) -> list[str]:
    """The modules that a name lies in."""
    parts = dotted.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def is_listing() -> bool:
    """Return whether this is ``python -m wengert plugins``, which loads plugins itself and sees to what they print."""
    words = sys.orig_argv
    return sys.argv[:1] == ["-m"] and "-m" in words and words[words.index("-m") + 1 :][:2] == ["wengert", "plugins"]


def find(dotted: str) -> Any:
    """A name that is not there yet: an op of core, a mounted module, a plugin's name, or an error that says what to
    install.
    """
    module_path, _, name = dotted.rpartition(".")
    absent = f"module 'wengert{'.' + module_path if module_path else ''}' has no attribute '{name}'"
    if is_op(dotted):
        if is_hidden(dotted):
            raise AttributeError(f"{absent}: it is no name of torch's; the row is wengert_core.{name}", name=name)
        mount({dotted: core_names.OPS[dotted]})
        return core_names.OPS[dotted]
    if dotted in CORE_LATER:
        mount({dotted: getattr(wengert_core, dotted)})
        return getattr(wengert_core, dotted)
    if is_entry(dotted):
        try:
            return mount_entry(dotted)
        except PluginError as error:
            raise AttributeError(f"{absent}: {error}", name=name) from error
    group = registry.group("namespace")
    group.load_all([entry for entry in group.names() if entry.startswith("top.") and is_late(group.current(entry))])
    registry.group("ops").load_all()
    registry.tell()
    found = value_at(dotted)
    if found is not ABSENT:
        return found
    reasons = registry.reasons(dotted)
    part = missing_extra(dotted)
    if part is not None:
        raise MissingPartError(missing_part(f"wengert.{dotted}", part, reasons))
    absent_part = next((one for one in (dotted, *enclosing(dotted)) if one in NOT_PARTS), None)
    if absent_part:
        reasons = [no_part(absent_part), *reasons]
    raise AttributeError(". ".join([absent, *reasons]), name=name)


def missing_part(name: str, part: str, reasons: Sequence[str] = ()) -> str:
    """The message about a name of a part that is not installed, or not in use."""
    why = f" ({'; '.join(reasons)})" if reasons else ""
    return f"{name} is not installed{why}: pip install 'wengert[{part}]' (see docs/errors/missing-part)"


def missing_extra(dotted: str) -> str | None:
    """Return the extra that brings a name which is not there; None where no extra that is missing does."""
    head, _, name = dotted.rpartition(".")
    if dotted in PARTS:
        return PARTS[dotted]
    if head == "nn" and name[:1].isupper() and not is_entry("nn"):
        return "nn"  # a layer
    return PARTS[head] if head in PARTS and not is_entry(head) else None


def no_part(dotted: str) -> str:
    """The sentence about a name of PyTorch's that is no part of wengert."""
    return f"torch.{dotted} is no part of wengert: {NOT_PARTS[dotted]}"


def load_part(name: str) -> None:
    """Load the op table of an optional part, which puts its methods on Tensor."""
    try:
        registry.group("ops").get(name)
    except PluginError as error:
        raise AttributeError(f"a method of Tensor cannot be loaded: {error}") from error


def missing_method(name: str) -> Callable[..., Any]:
    """A method of Tensor that is an error which says what to install."""

    def missing(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise MissingPartError(missing_part(f"Tensor.{name}", METHODS[name], registry.reasons(name, "Tensor")))

    missing.__name__ = name
    return missing


def top_level_getattr(name: str) -> Any:
    """``wengert.<name>`` for a name that nobody has mounted yet."""
    if name == "__all__":
        return [name for name in dir(sys.modules["wengert"]) if not name.startswith("_")]
    if (name.startswith("__") and name != "__config__") or "." in name:
        raise AttributeError(f"module 'wengert' has no attribute '{name}'")
    return find(name)


def known_names(module_path: str = "") -> list[str]:
    """What could be mounted in a module (of wengert itself: ''), as far as it is known by name."""
    inside = module_path + "." if module_path else ""
    entries = registry.group("namespace").names()
    names = [name for name in entries if is_entry(name) and not name.startswith("top.")]  # which is no place
    names += [*core_names.OPS.families, *CORE_LATER]
    names += [name for name, part in PARTS.items() if part in registry.group("ops")]
    return [name.removeprefix(inside).partition(".")[0] for name in names if name.startswith(inside)]


def hidden_names() -> set[str]:
    """The names that ``dir(wengert)`` leaves out."""
    from wengert_core.optable.hidden_names import HIDDEN as IN_CORE  # few programs ask

    return HIDDEN | IN_CORE


def is_hidden(name: str) -> bool:
    """Return whether a row is internal: torch has no function of that name."""
    from wengert_core.optable.hidden_names import HIDDEN as IN_CORE  # loaded with the first op

    return name in IN_CORE


class Finder:
    """``import wengert.autograd.functional`` for names that the registry mounts."""

    # no base class: importlib.abc costs 25 ms to import
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        root, _, dotted = fullname.partition(".")
        if root != "wengert" or not dotted:
            return None
        if is_entry(dotted):
            try:
                found = mount_entry(dotted)
            except PluginError as error:
                raise ImportError(f"{fullname} cannot be imported: {error}", name=fullname) from error
            except AttributeError:  # refused, which has been reported
                return None
            if not isinstance(found, ModuleType) and not hasattr(found, "__path__"):
                return None  # a name in a module: not to be imported itself
            return ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]  # has what a loader needs
        if dotted in PARTS:
            raise MissingPartError(missing_part(fullname, PARTS[dotted], registry.reasons(dotted)))
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module; autograd.gradcheck is a function with a ``__path__`` and stands for its module, as in torch."""
        dotted = spec.name.partition(".")[2]
        found: Any = registry.group("namespace").get(dotted)
        return module_at(dotted) if isinstance(found, ModuleType) else found

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the names are there."""
