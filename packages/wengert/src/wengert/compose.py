"""How ``wengert.*`` comes to be: names from the registry, mounted when wengert is imported or when they are first asked
for.

Entries of ``wengert.namespace.v1`` (``entry_points.py``) and op tables give names to ``wengert`` and its modules
(``modules.py``). Core's ops and the first-party ``top.`` names are there at once; modules, optional parts and plugins
are loaded when a name is asked for that nobody has given yet.

Note [Which entry points an import looks at]
    To look at one means to find who stands for its name and whether a stranger may give it: 100,000 instructions, and
    there are hundreds. So an import looks at those alone that may be refused or that give a method of Tensor; of all
    others it reads which modules they lie in. These are made, so that names can be asked of them. The others are
    wengert's own, and those of a stranger who is the only one with names below a head: ``acme.solve`` and
    ``acme.linalg.solve`` of the distribution ``acme``. They are looked at when their names are asked for.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import wengert_core
from wengert_core.api.namespace import LATER as CORE_LATER
from wengert_core.optable import lazy_names as core_names
from wengert_core.optable.plugin_names import MOUNTED, put_method
from wengert_core.tensors import named_tuple
from wengert_core.tensors.lazy_attribute import PROMISED, Later
from wengert_core.tensors.tensor import Tensor
from wengert_core.tensors.tensor import mount as mount_on_tensor
from wengert_registry import PluginError, registry
from wengert_registry.claims import NEEDED

from wengert import entry_points, modules
from wengert.entry_points import (
    FILLED,
    GROUP,
    LATE,
    is_entry,
    is_late,
    is_module_path,
    is_op,
    load_method,
    mount_entry,
    mount_late,
    refusal,
    why_no_module,
    why_not,
)  # fmt: skip
from wengert.modules import (
    ABSENT,
    CHANGING,
    ON_DEMAND,
    OUR_MODULES,
    SUBMODULES,
    MountedModule,
    enclosing,
    make_ours,
    module_at,
    mount,
    unmount,
    value_at,
)  # fmt: skip
from wengert.parts import METHODS, NOT_PARTS, PARTS

HIDDEN = {*SUBMODULES, "_compose"} - {"profile"}
"""Names that ``dir(wengert)`` leaves out, beside internal rows of op tables."""
ARRANGED: dict[str, Any] = {}
"""The entry points that have been looked at, with the candidates that they were."""
SEEN: list[int] = []
"""The arrangement of the registry that places have been made for."""
SCANNED: list[Any] = []
"""The sections of the group that modules have been made for."""
OUR_METHODS: set[str] = set()
"""The entry points of wengert's own distributions that give methods of Tensor."""


class MissingPartError(ImportError):
    """A part of wengert that is not installed; says which command installs it."""


def compose(namespace: dict[str, Any]) -> None:
    """Mount what the first-party entries give. Called once, by ``import wengert``."""
    modules.FILL[:], modules.FIND[:], modules.KNOWN[:], modules.SPEC[:] = [mount_late], [find], [known_names], [spec_of]
    group = registry.group("namespace")
    group.on_accept(entry_points.accept)
    needed = [rows for one, rows in group.sections().items() if one.name in NEEDED]
    for name in sorted({name for rows in needed for name in rows if name.startswith("top.")}):
        if not is_late(group.current(name)):
            names: Any = group.get(name)
            mount(names)
    sys.modules["wengert.return_types"] = named_tuple.MODULE  # which is no file: so that it can be imported
    named_tuple.MODULE.__spec__ = ModuleSpec("wengert.return_types", None, origin="mounted")
    make_ours([*core_names.NAMESPACES, *(name.rpartition(".")[0] for name in PARTS)])
    make_modules()
    for name, part in METHODS.items():
        if name not in Tensor.__dict__:  # its table may be loaded, by a program that imported core first
            PROMISED.add(name)
            installed = part in registry.group("ops")
            mount_on_tensor(name, Later(name, part, load_part) if installed else missing_method(name))
    namespace["plugins"] = registry
    registry.places["wengert"].connect(entry_points.holder, entry_points.put_row, unmount)
    arrange()
    registry.on_change(arrange)
    if not any(isinstance(finder, Finder) for finder in sys.meta_path):
        sys.meta_path.insert(0, LOADER)  # before Python's own, which takes a folder of stubs for a package
    registry.tell()
    if not is_listing():
        registry.compose()


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
    group.load_all([entry for entry in group.names("top.") if is_late(group.current(entry))])
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


# ---- what is installed, and changes


def arrange() -> None:
    """Make the places of what is installed and take away what is not any more."""
    if registry.arrangement in SEEN:
        return
    SEEN[:] = [registry.arrangement]
    for dotted, (candidate, value) in [*LATE.items()]:
        if not GROUP.is_current(candidate):
            del LATE[dotted]
            unmount(dotted, value)
    for dotted in [dotted for dotted, candidate in FILLED.items() if not GROUP.is_current(candidate)]:
        del FILLED[dotted]
        CHANGING.pop(f"wengert.{dotted}", None)
        ON_DEMAND.pop(f"wengert.{dotted}", None)
    make_modules()
    foreign = {name for one, rows in GROUP.sections().items() if not one.first_party for name in rows}
    names = (foreign | OUR_METHODS).difference(*make_foreign_modules())
    now = {name: GROUP.current(name) for name in sorted(names) if name in GROUP}
    changed = [name for name in {**ARRANGED, **now} if now.get(name, ABSENT) is not ARRANGED.get(name, ABSENT)]
    ARRANGED.clear()
    ARRANGED.update(now)
    for name in changed:
        if name.startswith("Tensor."):
            arrange_method(name, now.get(name))
        elif is_module_path(name) and name in now and (now[name] is None or not refusal(now[name])):
            module_at(name.rpartition(".")[0])  # so that names can be asked of it


def arrange_method(entry: str, candidate: Any) -> None:
    """Let a method of Tensor be loaded by its entry point; where there is none any more, let it say so."""
    name = entry.removeprefix("Tensor.")
    if (candidate is None and name in MOUNTED) or (candidate is not None and not refusal(candidate)):
        put_method(name, Later(name, entry, load_method))


def make_modules() -> None:
    """Make the modules around what wengert's own distributions give, in use or not."""
    sections = GROUP.sections()
    if sections not in SCANNED:
        SCANNED[:] = [sections]
        rows = [rows for one, rows in sections.items() if one.first_party]
        around = {name.rpartition(".")[0] for names in rows for name in names}
        make_ours(dotted for dotted in around if is_module_path(f"{dotted}."))
        if "Tensor" in around:
            OUR_METHODS.update(name for names in rows for name in names if name.startswith("Tensor."))


def make_foreign_modules() -> Iterator[list[str]]:
    """Make the modules around what strangers give below heads of their own; the names that need no look, by head."""
    below: dict[str, dict[Any, list[str]]] = {}
    for distribution, rows in GROUP.sections().items():
        for name in () if distribution.first_party else rows:
            below.setdefault(name.partition(".")[0], {}).setdefault(distribution, []).append(name)
    for head, by_distribution in below.items():
        distribution, *more = by_distribution
        if not more and distribution.folder and registry.rules.leaves_alone(distribution):
            names = by_distribution[distribution]
            modules = {name.rpartition(".")[0] for name in names}
            if is_free(head, distribution.name) and are_clear(names, modules):
                for dotted in modules:
                    module_at(dotted)
                yield names


def is_free(head: str, distribution: str) -> bool:
    """Return whether no name of wengert lies below a head, and a distribution may have it."""
    return head not in OUR_MODULES and is_module_path(f"{head}.") and not why_not(head, distribution)


def are_clear(names: Iterable[str], modules: Iterable[str]) -> bool:
    """Return whether names are well formed, and lie in what is a module."""
    joined = ".".join(["", *names])
    if ".__" in joined or not all(map(str.isidentifier, joined[1:].split("."))):
        return False
    return not any(map(why_no_module, {dotted for name in modules for dotted in (*enclosing(name), name) if dotted}))


# ---- importing modules


class Finder:
    """``import wengert.autograd.functional`` for names that the registry mounts."""

    # no base class: importlib.abc costs 25 ms to import
    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        root, _, dotted = fullname.partition(".")
        if root != "wengert" or not dotted:
            return None
        if dotted in OUR_MODULES or isinstance(sys.modules.get(fullname), MountedModule):
            return spec_of(fullname)  # reloaded
        if is_entry(dotted):
            try:
                found = mount_entry(dotted)
            except PluginError as error:
                raise ImportError(f"{fullname} cannot be imported: {error}", name=fullname) from error
            except AttributeError:  # refused, which has been reported
                return None
            if not isinstance(found, ModuleType) and not hasattr(found, "__path__"):
                return None  # a name in a module: not to be imported itself
            return spec_of(fullname)
        if dotted in PARTS:
            raise MissingPartError(missing_part(fullname, PARTS[dotted], registry.reasons(dotted)))
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module, the same one again if it was taken out of ``sys.modules``.

        autograd.gradcheck is a function with a ``__path__`` and stands for its module, as in torch.
        """
        dotted = spec.name.partition(".")[2]
        found: Any = value_at(dotted)
        if isinstance(found, MountedModule):
            return found
        if dotted not in OUR_MODULES:
            found = registry.group("namespace").get(dotted)
            if not isinstance(found, ModuleType):
                return found  # type: ignore[no-any-return]
        return module_at(dotted)

    def exec_module(self, module: ModuleType) -> None:
        """Nothing to run: the names are there, and a module that is loaded again keeps them."""


LOADER = Finder()


def spec_of(fullname: str) -> ModuleSpec:
    """The spec of a mounted module: a package without files, in which ``pkgutil`` finds nothing."""
    loader: Any = LOADER  # it has what a loader needs, without the base class
    return ModuleSpec(fullname, loader, origin="mounted", is_package=True)
