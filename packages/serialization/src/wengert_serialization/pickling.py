"""Write pickles with PyTorch's names.

Note [Names in a compiled pickler's output]
    Python's compiled pickler writes no name but the one under which an object can be imported. It is several times as
    fast as the one in Python, so it runs first; each class and function that it passes is noted, and its name is then
    replaced in the output. A name stands there once, because a pickle remembers it. Where it is found another number of
    times (a text contains it), where an object has no name to be imported by (a dtype), and in protocols that write
    names in two parts, the pickler in Python does the work.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from io import BytesIO
from types import FunctionType
from typing import Any, ClassVar

from wengert import TypedStorage, UntypedStorage

from wengert_serialization.names import torch_name
from wengert_serialization.reductions import REDUCERS, own_reducer
from wengert_serialization.storages import SavedStorages

__all__ = ["pickle_object"]

STORAGES = {UntypedStorage, TypedStorage}
PYTHON: Any = pickle._Pickler


def pickle_object(obj: Any, make_storages: Callable[[], SavedStorages], pickle_module: Any, protocol: int) -> Any:
    """Return the pickle of an object, as bytes, and the storages that it names."""
    if pickle_module is pickle and protocol < 4:
        try:
            storages = make_storages()
            return pickle_compiled(obj, storages, protocol), storages
        except (NameNeededError, pickle.PicklingError):
            pass
    storages, buffer = make_storages(), BytesIO()
    cls = TorchPickler if pickle_module is pickle else pickler_class(pickle_module)
    cls(buffer, storages.describe, protocol).dump(obj)
    return buffer.getbuffer(), storages


# ---- the compiled pickler
class NameNeededError(Exception):
    """The compiled pickler cannot write the name of an object."""


class CompiledPickler(pickle.Pickler):
    """The compiled pickler; ``renamed`` has the names that are to be replaced, with PyTorch's."""

    def __init__(self, file: Any, describe: Callable[[Any], Any], protocol: int) -> None:
        super().__init__(file, protocol=protocol)
        self.describe = describe
        self.renamed: dict[tuple[str, str], tuple[str, str]] = {}

    def persistent_id(self, obj: Any) -> Any:
        """Return what the pickle says of a storage; None for another object."""
        return self.describe(obj) if type(obj) in STORAGES else None

    def reducer_override(self, obj: Any) -> Any:
        """Return the parts of an object of wengert; note the name of a class or function."""
        kind = type(obj)
        if kind is FunctionType or issubclass(kind, type):
            name = torch_name(obj)
            if name is not None:
                self.renamed[obj.__module__, obj.__qualname__] = name
            return NotImplemented
        reducer = own_reducer(kind)
        if reducer is None:
            return NotImplemented
        parts = reducer(obj)
        if type(parts) is str:
            raise NameNeededError(parts)
        return parts


def pickle_compiled(obj: Any, storages: SavedStorages, protocol: int) -> bytes:
    """Return the pickle of an object by the compiled pickler. NameNeededError where it cannot have all names."""
    buffer = BytesIO()
    pickler = CompiledPickler(buffer, storages.describe, protocol)
    pickler.dump(obj)
    data = buffer.getvalue()
    for ours, name in pickler.renamed.items():
        written = global_instruction(ours)
        if data.count(written) != 1:
            raise NameNeededError(ours)
        data = data.replace(written, global_instruction(name))
    return data


def global_instruction(name: tuple[str, str]) -> bytes:
    """Return the instruction that puts what has a name on the stack, in protocols below 4."""
    return pickle.GLOBAL + "{}\n{}\n".format(*name).encode()


# ---- the pickler in Python
class TorchPickler(PYTHON):  # type: ignore[misc]  # known at run time only
    """Python's pickler in Python, which writes PyTorch's names for objects of wengert.

    describe(storage): what the pickle says of a storage.
    """

    dispatch_table = REDUCERS
    dispatch: ClassVar[dict[Any, Any]] = dict(PYTHON.dispatch)

    def __init__(self, file: Any, describe: Callable[[Any], Any], protocol: int) -> None:
        super().__init__(file, protocol=protocol)
        self.describe = describe

    persistent_id = CompiledPickler.persistent_id

    def save_global(self, obj: Any, name: str | None = None) -> None:
        """Write the name of a class, a function or a constant."""
        found = torch_name(obj)
        if found is None:
            super().save_global(obj, name)
            return
        if self.proto >= 4:
            self.save(found[0])
            self.save(found[1])
            self.write(pickle.STACK_GLOBAL)
        else:
            self.write(global_instruction(found))
        self.memoize(obj)

    dispatch[FunctionType] = save_global


def class_of_module(pickle_module: Any, name: str) -> Any:
    """Return a module's class ``Pickler`` or ``Unpickler``; AttributeError where it has none."""
    found = getattr(pickle_module, name, None)
    if not isinstance(found, type):
        raise AttributeError(
            f"pickle_module {pickle_module!r:.80} has no attribute '{name}' that is a class: give a module such as "
            "pickle, dill or cloudpickle"
        )
    return found


def pickler_class(pickle_module: Any) -> Any:
    """Return a class of picklers made of another module's, such as dill's or cloudpickle's.

    PyTorch's names are in the output of one in Python (dill's); a compiled one (cloudpickle's) writes wengert's.
    AttributeError for a module without a class Pickler.
    """
    base = class_of_module(pickle_module, "Pickler")
    if issubclass(base, PYTHON):
        return type("Pickler", (TorchPickler, base), {"dispatch": {**base.dispatch, FunctionType: save_function}})

    class Pickler(base):  # type: ignore[misc,valid-type]  # known at run time only
        dispatch_table = REDUCERS

        def __init__(self, file: Any, describe: Callable[[Any], Any], protocol: int) -> None:
            super().__init__(file, protocol=protocol)
            self.describe = describe

        persistent_id = CompiledPickler.persistent_id

    return Pickler


def save_function(pickler: Any, function: Any) -> None:
    """Write a function of PyTorch's by its name; another one as the module of the pickler does."""
    if torch_name(function) is not None:
        TorchPickler.save_global(pickler, function)
    else:
        super(TorchPickler, pickler).dispatch[FunctionType](pickler, function)
