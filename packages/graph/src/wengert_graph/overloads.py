"""wengert.ops: PyTorch's names of operations, ``ops.aten.mm.default``, by which policies of selective checkpoints know
them.

A name ``aten.NAME`` is a packet; its overloads are the forms of the operation, as PyTorch's dispatcher has them:
``aten.sum.default`` sums all elements, ``aten.sum.dim_IntList`` those along dims. They are the same objects each time,
and can be called where wengert has a function of that name.

>>> import wengert as wg
>>> wg.ops.aten.mm.default
<OpOverload(op='aten.mm', overload='default')>
>>> wg.ops.aten.mm(wg.ones(1, 2), wg.ones(2, 1))
tensor([[2.]])
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, NoReturn

from wengert_graph.overload_names import FORMS, TORCH_ONLY, forms_of, function_names

__all__ = ["aten"]


class OpOverload:
    """One form of an operation, with PyTorch's name for it: ``ops.aten.sum.dim_IntList``."""

    def __init__(self, packet: OpOverloadPacket, name: str) -> None:
        self._packet, self._overloadname = packet, name

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """The packet of all forms."""
        return self._packet

    @property
    def namespace(self) -> str:
        """The library: "aten", or the name of a plugin's table."""
        return self._packet._namespace

    @property
    def __name__(self) -> str:
        return f"{self._packet.__name__}.{self._overloadname}"

    def name(self) -> str:
        """Return the name in PyTorch's dispatcher.

        >>> import wengert as wg
        >>> wg.ops.aten.sum.dim_IntList.name(), wg.ops.aten.mm.default.name()
        ('aten::sum.dim_IntList', 'aten::mm')
        """
        name = self._packet._qualified_op_name
        return name if self._overloadname == "default" else f"{name}.{self._overloadname}"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call wengert's function of this name. NotImplementedError where there is none."""
        return self._packet(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self._packet}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._packet}', overload='{self._overloadname}')>"

    def __reduce__(self) -> tuple[Any, ...]:
        return overload, (self.namespace, self._packet.__name__, self._overloadname)


class OpOverloadPacket:
    """All forms of an operation: ``ops.aten.sum``. They are its attributes."""

    __name__: str

    def __init__(self, namespace: str, name: str) -> None:
        self._namespace, self.__name__ = namespace, name
        self._qualified_op_name = f"{namespace}::{name}"

    def overloads(self) -> list[str]:
        """Return the names of the forms.

        >>> import wengert as wg
        >>> wg.ops.aten.sum.overloads()
        ['default', 'dim_IntList']
        """
        return list(forms_of(self.__name__))

    def __getattr__(self, name: str) -> OpOverload:
        if name.startswith("__") or name not in self.overloads():
            raise AttributeError(f"The underlying op of '{self}' has no overload name '{name}'; it has "
                                 f"{', '.join(self.overloads())}")
        form = vars(self)[name] = OpOverload(self, name)
        return form

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.overloads()]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call wengert's function of this name. NotImplementedError where there is none."""
        for name in function_names(self._namespace, self.__name__):
            function: Any = import_module("wengert")
            for part in name.split("."):
                function = getattr(function, part, None)
            if function is not None:
                return function(*args, **kwargs)
        raise NotImplementedError(f"{self._qualified_op_name} is a name for policies of checkpoints: wengert has no "
                                  "function called so. Call the function that runs it")

    def __str__(self) -> str:
        return f"{self._namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __reduce__(self) -> tuple[Any, ...]:
        return packet, (self._namespace, self.__name__)


class OpNamespace:
    """The packets of a library, as attributes: ``ops.aten``."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> OpOverloadPacket:
        if name.startswith("__") or not is_known(self._name, name):
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}': wengert has no such "
                                 "operation")
        return packet(self._name, name)

    def __repr__(self) -> str:
        return f"<OpNamespace '{self._name}'>"

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"cannot pickle the namespace ops.{self._name}; pickle its operations")


PACKETS: dict[tuple[str, str], OpOverloadPacket] = {}


def is_known(namespace: str, name: str) -> bool:
    """Return whether an operation has this name, or a form of it that writes in place."""
    if (namespace, name) in PACKETS:
        return True
    if namespace == "aten" and (name.removesuffix("_") in FORMS or name in TORCH_ONLY):
        return True
    for dotted in function_names(namespace, name):
        function: Any = import_module("wengert")
        for part in dotted.split("."):
            function = getattr(function, part, None)
        if callable(function):
            return True
    return False


def packet(namespace: str, name: str) -> OpOverloadPacket:
    """Return the packet of a name, the same each time."""
    return PACKETS.setdefault((namespace, name), OpOverloadPacket(namespace, name))


def overload(namespace: str, name: str, form: str) -> OpOverload:
    """Return a form of an operation, the same each time."""
    found: OpOverload = getattr(packet(namespace, name), form)
    return found


aten: OpNamespace = OpNamespace("aten")
