"""``import torch`` finds wengert: the module ``torch``, the finder of what lies in it, and PyTorch's version.

Note [Two modules at the top, one below]
    ``torch`` is a module of its own, whose names are those of ``wengert``, because programs read from
    ``torch.__version__`` which PyTorch they have. They get the version whose behavior wengert has; ``torch.version`` is
    a copy for the same reason. Every other module ``torch.X`` is the module ``wengert.X`` itself, so that nothing is
    loaded twice, and what a program sets there holds for both names. Functions and classes keep their modules' names:
    a pickle that is written under ``torch`` is read under ``wengert``, and the other way round.
"""

from __future__ import annotations

import importlib
import operator
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from wengert_core.extend import set_tensor_module

import wengert
from wengert.compose import no_part
from wengert.modules import CHANGING, ON_DEMAND, SUBMODULES

TORCH_RELEASE = "2.13.0"
"""The PyTorch that wengert's behavior is compared with."""
TORCH_VERSION = f"{TORCH_RELEASE}+wengert"
STAND_INS: dict[str, dict[str, Any]] = {
    "hub": {"HASH_REGEX": re.compile(r"-([a-f0-9]*)\.")},
    "onnx": {"is_in_onnx_export": lambda: False},
}
"""Parts of PyTorch that wengert does not have, with what libraries read of them at import or in each call."""
READ_AS_DICT = ("distributions", "optim")
"""Modules whose ``__dict__`` programs read: all their names are loaded when a program for PyTorch asks for them."""
OWN_NAMES = ("__loader__", "__package__", "__spec__")
"""Attributes of a module that an import sets."""


def as_torch() -> ModuleType:
    """Let ``import torch`` and the imports of modules in it find wengert, in this process; return the module ``torch``.

    Call it before anything imports PyTorch; RuntimeError otherwise. Later calls change nothing. ``torch.__version__``
    and ``importlib.metadata.version("torch")`` are PyTorch's version with the local part "wengert".
    ``python -m wengert.run script.py`` calls it before a program that cannot be changed.

    >>> import wengert
    >>> torch = wengert.as_torch()                                  # doctest: +SKIP
    >>> import torch.nn.functional as F                             # doctest: +SKIP
    >>> F is wengert.nn.functional, torch.__version__               # doctest: +SKIP
    (True, '2.13.0+wengert')
    """
    found: ModuleType | None = sys.modules.get("torch")
    if found is not None and not is_alias(found):
        raise RuntimeError(
            f"wengert.as_torch() came too late: PyTorch {getattr(found, '__version__', '')} has been imported, from "
            f"{getattr(found, '__file__', None)}. Call it before the first import of torch, or of a package that "
            "imports torch"
        )
    if found is None:
        found = sys.modules["torch"] = torch_module()
        set_tensor_module("torch")  # by which opt_einsum, autoray and others tell whose arrays they have
        sys.meta_path.insert(0, TorchFinder(found))
    return found


def is_alias(module: ModuleType) -> bool:
    """Return whether a module is one that ``as_torch`` has made."""
    return any(isinstance(finder, TorchFinder) and finder.torch is module for finder in sys.meta_path)


def torch_module() -> ModuleType:
    """Return a module with the names of wengert and PyTorch's version. A name is kept after its first use.

    It is a plain module with a function ``__getattr__``, which Python reads as fast as any other.
    """
    module = ModuleType("torch", wengert.__doc__)
    module.__path__ = []  # no files: TorchFinder finds what lies in it
    module.__file__ = wengert.__file__
    module.__spec__ = spec_of("torch", module)
    module.__spec__.origin, module.__spec__.has_location = wengert.__file__, True  # what its repr shows

    def get(name: str) -> Any:
        if name.startswith("__") and name not in ("__all__", "__config__"):
            raise AttributeError(f"module 'torch' has no attribute '{name}'", name=name)
        if name in STAND_INS:
            return stand_in(name)
        value = version_module() if name == "version" else getattr(wengert, name)
        if name in READ_AS_DICT:
            load_names(value)
        if name in vars(wengert) and name not in CHANGING.get("wengert", {}):
            setattr(module, name, value)
        return value

    own = {"torch": module, "__version__": TorchVersion(TORCH_VERSION)}
    vars(module).update(own, __getattr__=get, __dir__=lambda: dir(wengert))
    return module


def load_names(module: ModuleType) -> None:
    """Load the names of a module that would be loaded when they are asked for."""
    dir(module)  # which fills it
    for name in [*ON_DEMAND.get(module.__name__, ())]:
        getattr(module, name)


def functorch_module() -> ModuleType:
    """Return the module ``functorch``, which PyTorch installs beside ``torch``: the names of ``wengert.func``."""
    module = sys.modules.get("functorch")
    if module is None:
        module = ModuleType("functorch", wengert.func.__doc__)
        vars(module).update({name: getattr(wengert.func, name) for name in dir(wengert.func) if name[0] != "_"})
    return module


def stand_in(name: str) -> ModuleType:
    """Return the module of a part that wengert does not have, with the names that programs read without using it."""
    full = f"torch.{name}"
    module = sys.modules.get(full)
    if module is None:
        module = ModuleType(full, f"What programs read of {full}, which is no part of wengert.")

        def get(attribute: str) -> Any:
            raise AttributeError(f"module '{full}' has no attribute '{attribute}'. {no_part(name)}", name=attribute)

        vars(module).update(STAND_INS[name], __getattr__=get, __path__=[])
        sys.modules[full] = module
    return module


def version_module() -> ModuleType:
    """Return the module ``torch.version``: wengert's, with PyTorch's version."""
    module: ModuleType | None = sys.modules.get("torch.version")
    if module is None:
        module = ModuleType("torch.version", wengert.version.__doc__)
        vars(module).update({name: getattr(wengert.version, name) for name in wengert.version.__all__})
        vars(module)["__version__"] = TorchVersion(TORCH_VERSION)
        sys.modules["torch.version"] = module
    return module


def compare(operation: Callable[[Any, Any], bool], version: str, other: object) -> bool:
    """Compare a version with a text or a tuple of numbers; NotImplemented for others."""
    answer: bool = NotImplemented
    if isinstance(other, (str, tuple)):
        answer = operation(version_key(version), version_key(other))
    return answer


class TorchVersion(str):
    """A version that is compared as a version: ``torch.__version__ >= "2.2"`` and ``< (3, 0)`` are answered by number.

    >>> TorchVersion("2.13.0+wengert") >= "2.2", TorchVersion("2.13.0+wengert") < (2, 13, 1)
    (True, True)
    >>> TorchVersion("2.13.0+wengert") == "2.13.0+wengert", TorchVersion("2.13.0") > "2.13.0rc1"
    (True, True)
    """

    __slots__ = ()

    def __hash__(self) -> int:
        return super().__hash__()

    def __eq__(self, other: object) -> bool:
        return compare(operator.eq, self, other)

    def __ne__(self, other: object) -> bool:
        return compare(operator.ne, self, other)

    def __lt__(self, other: object) -> bool:
        return compare(operator.lt, self, other)

    def __le__(self, other: object) -> bool:
        return compare(operator.le, self, other)

    def __gt__(self, other: object) -> bool:
        return compare(operator.gt, self, other)

    def __ge__(self, other: object) -> bool:
        return compare(operator.ge, self, other)


def version_key(version: str | tuple[Any, ...]) -> tuple[list[int], bool, str]:
    """Return what orders versions: the numbers, whether it is a release, and the local part."""
    text = str.__str__(version) if isinstance(version, str) else ".".join(map(str, version))
    public, _, local = text.partition("+")
    numbers = re.match(r"v?(\d+(?:\.\d+)*)", public)
    if numbers is None:
        return [], False, text
    release = [int(number) for number in numbers[1].split(".")]
    while release and release[-1] == 0:
        release.pop()
    return release, not re.match(r"[._-]?(a|b|c|rc|alpha|beta|pre|dev)", public[numbers.end() :]), local


class TorchFinder:
    """The finder of modules in ``torch``, which are wengert's, and of a distribution "torch" with a version."""

    def __init__(self, torch: ModuleType) -> None:
        self.torch = torch

    def find_spec(self, fullname: str, path: Sequence[str] | None = None, target: Any = None) -> ModuleSpec | None:
        """Find a module by wengert's finders. Raises ModuleNotFoundError where wengert says why there is none."""
        root, _, dotted = fullname.partition(".")
        if fullname == "functorch":
            return spec_of(fullname, functorch_module())
        if root != "torch":
            return None
        if dotted in STAND_INS:
            return spec_of(fullname, stand_in(dotted))
        module = self.torch if not dotted else version_module() if dotted == "version" else wengert_module(dotted)
        if module is None:
            return None
        if dotted in READ_AS_DICT:
            load_names(module)
        return spec_of(fullname, module)

    def find_distributions(self, context: Any = None) -> Iterator[Any]:
        """Yield the installed distribution "torch", where it is asked for by this name or by none."""
        if (getattr(context, "name", None) or "torch").lower() == "torch":
            yield torch_distribution()


def spec_of(fullname: str, module: Any) -> ModuleSpec:
    """Return the spec of a module that is there already."""
    loader: Any = TorchLoader(module)
    return ModuleSpec(fullname, loader, is_package=hasattr(module, "__path__"))


def wengert_module(dotted: str) -> Any:
    """Import ``wengert.<dotted>``; None where there is none. Raises ModuleNotFoundError where wengert says why."""
    if dotted.partition(".")[0] in SUBMODULES:
        return None  # files of this package, which are no modules of PyTorch
    name = f"wengert.{dotted}"
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:
            raise
        if str(error) == f"No module named '{name}'":
            return None
        raise ModuleNotFoundError(str(error).replace(name, f"torch.{dotted}"), name=f"torch.{dotted}") from None


class TorchLoader:
    """The loader of a module that is there already; it stays as it is."""

    def __init__(self, module: Any) -> None:
        self.module = module

    def create_module(self, spec: ModuleSpec) -> Any:
        """Return the module, and note the attributes that Python sets after this."""
        self.before: dict[str, Any] = {name: getattr(self.module, name, None) for name in OWN_NAMES}
        return self.module

    def exec_module(self, module: Any) -> None:
        """Put these attributes back; there is nothing to run."""
        for name, value in self.before.items():
            setattr(module, name, value)


def torch_distribution() -> Any:
    """Return what ``importlib.metadata`` knows of an installed distribution."""
    from importlib.metadata import Distribution
    from pathlib import Path

    class TorchDistribution(Distribution):
        def read_text(self, filename: str) -> str | None:
            text = f"Metadata-Version: 2.1\nName: torch\nVersion: {TORCH_VERSION}\nSummary: wengert as torch\n"
            return text if filename == "METADATA" else None

        def locate_file(self, path: Any) -> Any:
            return Path(wengert.__file__ or "").parent.parent / path

    return TorchDistribution()
