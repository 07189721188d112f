"""How ``wengert.*`` comes to be: names from the registry, mounted when wengert is imported or when they are first asked
for.

Entries of ``wengert.namespace.v1``: ``top.ANYTHING`` gives a dict (or a function that returns one) of names for
``wengert`` itself, dotted ones for its modules; any other name is a dotted place under ``wengert.``: a module's public
names are mounted there, any other object is what is found there, so that several distributions can give names to one
module. Op tables give their ops the same way. Core's ops and the first-party ``top.`` names are there at once; modules,
optional parts and plugins are loaded when a name is asked for that nobody has given yet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import wengert_core
from wengert_core.later import Later
from wengert_core.namespace import LATER as CORE_LATER
from wengert_core.ops import names as core_names
from wengert_core.tensor import Tensor
from wengert_core.tensor import mount as mount_on_tensor
from wengert_core.tensor_methods import PROMISED
from wengert_registry import registry

PARTS = {
    "autograd.functional": "functional", "vmap": "functional", "func": "functional", "autograd.gradcheck": "gradcheck",
    "autograd.gradgradcheck": "gradcheck", "autograd.profiler": "profiler", "autograd.profiler_util": "profiler",
    "profiler": "profiler",
    "utils.checkpoint": "graph",
    "autograd.graph.Drawing": "graph", "autograd.graph.draw": "graph", "autograd.graph.explain_grad": "graph",
    "autograd.graph.saved_memory": "graph", "autograd.graph.walk": "graph",
}
"""Names that optional distributions bring, and the extra of ``pip install wengert[...]`` each comes with."""
PARTS |= dict.fromkeys("""
    polygamma igamma igammac i0 special.polygamma special.gammainc special.gammaincc special.i0 special.i0e special.i1
    special.i1e special.erfcx special.log_ndtr special.ndtri special.entr special.xlog1py special.zeta special.airy_ai
    special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.modified_bessel_i0
    special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1
    special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.spherical_bessel_j0
    special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v
    special.chebyshev_polynomial_w special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u
    special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w special.hermite_polynomial_h
    special.hermite_polynomial_he special.laguerre_polynomial_l special.legendre_polynomial_p
""".split(), "special")
METHODS = dict.fromkeys("i0 i0_ igamma igamma_ igammac igammac_ polygamma polygamma_".split(), "special")
"""Methods of Tensor that optional distributions bring with their op tables, and their extras."""
AT_ONCE = {"wengert-core", "wengert-engine", "wengert-formulas"}
"""Distributions whose names are mounted when wengert is imported: those it cannot do without."""


HIDDEN = {"compose", "_compose"}
"""Names that ``dir(wengert)`` leaves out, beside those of core: rows of op tables which torch does not show."""


class MissingPartError(ImportError):
    """A part of wengert that is not installed; says which command installs it."""


class Mounted(ModuleType):
    """A module of ``wengert`` whose names come from several distributions."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__all__":  # who looks for those wants to load nothing
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        if mount_late(self):
            return getattr(self, name)
        if name == "__all__":
            return [name for name in dir(self) if not name.startswith("_")]
        return find(f"{self.__name__.partition('.')[2]}.{name}")

    def __dir__(self) -> list[str]:
        mount_late(self)
        return sorted({*vars(self), *known_names(self.__name__.partition(".")[2])})


FILLED: set[str] = set()
"""Places under ``wengert.`` whose own entry has been mounted."""


def mount_late(module: ModuleType) -> bool:
    """Mount the entry of a module that was made for what lies inside it; True when there was one to mount."""
    dotted = module.__name__.partition(".")[2]
    if dotted in FILLED or dotted not in registry.group("namespace"):
        return False
    mount_entry(dotted)
    return True


def module_at(dotted: str) -> ModuleType:
    """The module ``wengert.<dotted>``, made together with its parents when absent."""
    full = f"wengert.{dotted}" if dotted else "wengert"
    module = sys.modules.get(full)
    if module is None:
        module = Mounted(full)
        module.__path__ = []
        sys.modules[full] = module
        parent, _, last = dotted.rpartition(".")
        setattr(module_at(parent), last, module)
    return module


def mount(names: dict[str, Any]) -> None:
    """Put names into ``wengert`` (plain ones) and into its modules (dotted ones)."""
    top = module_at("").__dict__
    for dotted, value in names.items():
        if "." in dotted:
            place, _, name = dotted.rpartition(".")
            module_at(place).__dict__.setdefault(name, value)
        else:
            top.setdefault(dotted, value)


def mount_table(table: Any) -> None:
    """Mount a table's ops. A row such as ``max.dim`` is a form of the op ``max``, not a place."""
    ops = table.ops
    mount({name: op for name, op in ops.items() if name.partition(".")[0] not in ops or "." not in name})
    HIDDEN.update(table.hidden)


def mount_entry(dotted: str) -> Any:
    """Load the namespace entry called ``dotted``. Of a module the public names are mounted, anything else is mounted
    itself.
    """
    source: Any = registry.group("namespace").get(dotted)
    FILLED.add(dotted)
    if not isinstance(source, ModuleType):
        mount({dotted: source})
        return source
    module = module_at(dotted)
    public = getattr(source, "__all__", None) or [name for name in vars(source) if not name.startswith("_")]
    module.__dict__.update({name: getattr(source, name) for name in public})
    module.__doc__ = source.__doc__
    module.__dict__["__all__"] = [*module.__dict__.get("__all__", ()), *public, *late_objects(dotted, public)]
    return module


def late_objects(place: str, there: Iterable[str]) -> list[str]:
    """The names which our optional parts give to a module and which are no modules: ``import *`` loads them."""
    inside = place + "."
    found = {one.name.removeprefix(inside) for one in registry.group("namespace").candidates()
             if one.name.startswith(inside) and one.distribution.first_party and ":" in one.target}
    return sorted(name for name in found if "." not in name and name not in there)


def compose(namespace: dict[str, Any]) -> None:
    """Mount what the first-party entries give. Called once, by ``import wengert``."""
    group = registry.group("namespace")
    names, late = group.names(), late_names()
    for name in names:
        if name.startswith("top.") and name not in late:
            give_top(name)
    places = {name.rpartition(".")[0] for name in (*names, *PARTS) if not name.startswith("top.")}
    places.update(core_names.PLACES)
    for place in sorted(places):
        module_at(place)  # so that names can be asked of it
    for name, part in METHODS.items():
        if name not in Tensor.__dict__:  # its table may be loaded, by a program that imported core first
            PROMISED.add(name)
            installed = part in registry.group("ops")
            mount_on_tensor(name, Later(name, part, load_part) if installed else missing_method(name))
    namespace["plugins"] = registry
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.append(Finder())
    registry.compose()


def late_names() -> set[str]:
    """The namespace entries of optional parts and plugins, which are loaded on first use only."""
    return {one.name for one in registry.group("namespace").candidates()
            if not one.distribution.first_party or one.distribution.name not in AT_ONCE}


def give_top(entry: str) -> None:
    """Mount the names of one ``top.`` entry."""
    names: Any = registry.group("namespace").get(entry)
    mount(names() if callable(names) else names)


def find(dotted: str) -> Any:
    """A name that is not there yet: an op of core, a mounted module, a plugin's name, or an error that says what to
    install.
    """
    ops = core_names.OPS
    if dotted in ops and (dotted.partition(".")[0] not in ops or "." not in dotted):
        mount({dotted: ops[dotted]})
        return ops[dotted]
    if dotted in CORE_LATER:
        mount({dotted: getattr(wengert_core, dotted)})
        return getattr(wengert_core, dotted)
    group = registry.group("namespace")
    if dotted in group:
        return mount_entry(dotted)
    late = late_names()
    for entry in group.names():
        if entry.startswith("top.") and entry in late:
            give_top(entry)
    load_tables()
    place, _, name = dotted.rpartition(".")
    found = vars(module_at(place)).get(name) if not place or f"wengert.{place}" in sys.modules else None
    if found is not None:
        return found
    if dotted in PARTS:
        raise MissingPartError(f"wengert.{dotted} is not installed: pip install 'wengert[{PARTS[dotted]}]'")
    raise AttributeError(f"module 'wengert{'.' + place if place else ''}' has no attribute '{name}'")


def load_tables() -> None:
    """Load the op tables of all plugins; one that fails is reported and left out."""
    for name, table in registry.group("ops").load_all().items():
        if name != "core":
            mount_table(table)


def load_part(name: str) -> None:
    """Load the op table of an optional part, which puts its methods on Tensor."""
    mount_table(registry.group("ops").get(name))


def missing_method(name: str) -> Callable[..., Any]:
    """A method of Tensor that is an error which says what to install."""

    def missing(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise MissingPartError(f"Tensor.{name} is not installed: pip install 'wengert[{METHODS[name]}]'")

    missing.__name__ = name
    return missing


def top_level_getattr(name: str) -> Any:
    """``wengert.<name>`` for a name that nobody has mounted yet."""
    if name == "__all__":
        return [name for name in dir(sys.modules["wengert"]) if not name.startswith("_")]
    if name.startswith("__"):
        raise AttributeError(f"module 'wengert' has no attribute '{name}'")
    return find(name)


def known_names(place: str = "") -> list[str]:
    """What could be mounted in a module (of wengert itself: ''), as far as it is known by name."""
    inside = place + "." if place else ""
    names = [name for name in registry.group("namespace").names() if not name.startswith("top.")]
    names += [*core_names.OPS.families, *CORE_LATER]
    names += [name for name, part in PARTS.items() if part in registry.group("ops")]
    return [name.removeprefix(inside).partition(".")[0] for name in names if name.startswith(inside)]


def hidden() -> set[str]:
    """The names that ``dir(wengert)`` leaves out."""
    from wengert_core.ops.hidden import HIDDEN as IN_CORE  # few programs ask

    return HIDDEN | IN_CORE


class Finder:
    """``import wengert.autograd.functional`` for names that the registry mounts."""

    # no base class: importlib.abc costs 25 ms to import
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        root, _, dotted = fullname.partition(".")
        if root != "wengert" or not dotted:
            return None
        if dotted in registry.group("namespace"):
            found = mount_entry(dotted)
            if not isinstance(found, ModuleType) and not hasattr(found, "__path__"):
                return None  # a name in a module: not to be imported itself
            return ModuleSpec(fullname, self, is_package=True)  # type: ignore[arg-type]  # has what a loader needs
        if dotted in PARTS:
            raise MissingPartError(f"{fullname} is not installed: pip install 'wengert[{PARTS[dotted]}]'")
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module; autograd.gradcheck is a function with a ``__path__`` and stands for its module, as in torch."""
        dotted = spec.name.partition(".")[2]
        found: Any = registry.group("namespace").get(dotted)
        return module_at(dotted) if isinstance(found, ModuleType) else found

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the names are there."""
