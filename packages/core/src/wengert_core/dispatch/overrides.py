"""``__torch_function__``: operands that say themselves what a function gives.

Those that are no tensors are asked after a call was refused, so that a call of tensors costs nothing. Modes and tensors
of subclasses are asked first: Note [Tensors of subclasses are asked first] in binding/torch_function.pyx.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from wengert_core.binding.function_modes import active_mode, answer_of_mode
from wengert_core.binding.torch_function import _disabled_torch_function_impl, is_enabled
from wengert_core.tensors.tensor import Tensor

HANDLER = "__torch_function__"
FROM_ASKED = "_wengert_from_asked"
"""An attribute of exceptions: the next function outwards does not ask again."""
SWAPPED = ("add", "mul", "and", "or", "xor", "lt", "le", "eq", "ne", "gt", "ge")
"""Operators that call the same function whichever side the tensor is on."""
UNDERSCORED = ("floordiv", "and", "or", "xor", "lshift", "rshift", "iand", "ior", "ixor", "ilshift", "irshift")
"""Operators whose function is the special method itself, where the tensor is on the left."""


IN_SLICES = "_is_asked_in_slices"
"""An attribute of classes of tensors that are asked where they are bounds of slices."""
NEVER_ASKED = ("as_subclass", "asarray", "as_tensor", "set_", "tensor")
"""Functions that take tensors of subclasses as they are."""
NOT_CONVERTED = ("_base", "_grad", "grad")
"""Attributes whose values keep their own type."""


def has_override(value: Any) -> bool:
    """Whether a value answers for functions: of Tensor itself none does, nor a subclass that has switched it off."""
    kind = type(value)
    handler = getattr(kind, HANDLER, None)
    return handler is not None and handler is not _disabled_torch_function_impl and kind is not Tensor


def candidates(values: Iterable[Any]) -> Iterator[Any]:
    """The values, the items of lists and tuples among them, and bounds of slices that are asked."""
    for value in values:
        yield value
        if type(value) in (list, tuple):
            yield from value
        for item in value if type(value) is tuple else (value,):
            if type(item) is slice:  # Note [Tensors in slices] in binding/torch_function.pyx
                yield from (one for one in (item.start, item.stop, item.step) if hasattr(type(one), IN_SLICES))


def is_of_types(refusal: Exception) -> bool:
    """Whether a call was refused for its arguments' types, and not by one who was asked."""
    return isinstance(refusal, (TypeError, AttributeError)) and not hasattr(refusal, FROM_ASKED)


def overloaded_args(args: Iterable[Any], kwargs: Mapping[str, Any], refusal: Exception | None = None) -> list[Any]:
    """The arguments that are asked, one of each type: in their order, but a subclass before its base.

    refusal: why the call failed; nobody is asked when it came from one who was asked, or is of another kind.

    >>> class Quantity:
    ...     def __torch_function__(self, func, types, args=(), kwargs=None): ...
    >>> class Length(Quantity): ...
    >>> [type(one).__name__ for one in overloaded_args([Quantity(), 2.0, [Length()], Length()], {})]
    ['Length', 'Quantity']
    """
    found: list[Any] = []
    if not is_enabled() or not (refusal is None or is_of_types(refusal)):
        return found
    for value in candidates([*args, *kwargs.values()]):
        kind = type(value)
        if has_override(value) and all(type(one) is not kind for one in found):
            position = next((i for i, one in enumerate(found) if issubclass(kind, type(one))), len(found))
            found.insert(position, value)
    return found


def answer(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], askers: list[Any]) -> Any:
    """The result of the first that has one; NotImplemented when none has."""
    types = tuple(map(type, askers))
    for one in askers:
        handler = getattr(one, HANDLER)
        if getattr(handler, "__self__", None) is one:
            warnings.warn(
                "Defining your `__torch_function__` as a plain method is deprecated and will be an error in future, "
                "please define it as a classmethod.",
                UserWarning,
                stacklevel=2,
            )
        try:
            result = handler(func, types, args, kwargs or None)
        except Exception as error:
            setattr(error, FROM_ASKED, True)
            raise
        if result is not NotImplemented:
            return result
    return NotImplemented


def call_overrides(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], askers: list[Any]) -> Any:
    """The answer to a call; TypeError when none has one."""
    result = answer(func, args, kwargs, askers)
    return check_result(func, result, None, askers)


def check_result(func: Any, result: Any, mode: Any, askers: list[Any]) -> Any:
    """A result; TypeError for NotImplemented, which names those who were asked."""
    if result is NotImplemented:
        listed = "" if mode is None else f"\n  - mode object {mode!r}"
        listed += "".join(f"\n  - tensor subclass {type(one)}" for one in askers)
        refusal = TypeError(
            f"Multiple dispatch failed for 'torch.{func.__name__}'; all __torch_function__ handlers returned "
            f"NotImplemented:\n{listed}\n\nGive one of the types a __torch_function__ that takes this function"
        )
        setattr(refusal, FROM_ASKED, True)
        raise refusal
    return result


def operator_function(name: str, tensor_first: bool) -> Any:
    """The function that an operator calls, "sub" or "isub", of a tensor and something else."""
    from wengert_core.ops.operators import OPERATORS
    from wengert_core.optable.lazy_names import OPS

    if tensor_first and name in UNDERSCORED:
        return getattr(Tensor, f"__{name}__")
    if tensor_first or name in SWAPPED:
        return OPS[OPERATORS[name] if name in OPERATORS else f"{OPERATORS[name[1:]]}_"]
    return getattr(Tensor, "__rdiv__" if name == "truediv" else f"__r{name}__")


def call_operator(name: str, a: Any, b: Any) -> Any:
    """The answer to an operator, "sub" or "isub", of which one side is a tensor; NotImplemented when none has one."""
    is_first = isinstance(a, Tensor)
    args = (a, b) if is_first else (b, a)
    return answer(operator_function(name, is_first), args, {}, overloaded_args((a, b), {}))


def call_operator_overrides(name: str, a: Any, b: Any) -> tuple[Any] | None:
    """The answer of modes and of tensors of subclasses to an operator; None when all have switched it off."""
    askers, mode = overloaded_args((a, b), {}), active_mode()
    if not askers and mode is None:
        return None
    is_first = isinstance(a, Tensor)
    args = (a, b) if is_first else (b, a)
    func = Tensor.__eq__ if name == "eq" else operator_function(name, is_first)
    return (call_first_override(func, args, {}, mode, askers),)


def call_first_override(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], mode: Any, askers: list[Any]) -> Any:
    """The answer of a mode, else of the arguments that are asked; NotImplemented when none has one."""
    if mode is not None:
        result = answer_of_mode(func, tuple(map(type, askers)), args, kwargs)
        if result is not NotImplemented:
            return result
    return answer(func, args, kwargs, askers)


def first_answer(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any] | None:
    """The answer to a call of a mode, or of tensors of subclasses, which are asked before it runs; None when all have
    switched it off.
    """
    askers = [] if func.__name__ in NEVER_ASKED else overloaded_args(args, kwargs)
    mode = active_mode()
    if not askers and mode is None:
        return None
    return (check_result(func, call_first_override(func, args, kwargs, mode, askers), mode, askers),)


def call_override_or_function(func: Any, args: tuple[Any, ...]) -> Any:
    """The answer to a call with tensors of subclasses; when all have switched it off, what the function gives."""
    answer = first_answer(func, args, {})
    return _disabled_torch_function_impl(func, (), args) if answer is None else answer[0]


def call_index_override(func: Any, args: tuple[Any, ...], refusal: Exception) -> tuple[Any] | None:
    """The answer to ``x[i]``, or ``x[i] = value``, that was refused; None when nobody is asked."""
    askers = [] if hasattr(refusal, FROM_ASKED) else overloaded_args(args, {})
    return (call_overrides(func, args, {}, askers),) if askers else None


def convert_result(result: Any, cls: type) -> Any:
    """A result with its tensors, also those in tuples and lists, as tensors of a subclass."""
    if isinstance(result, Tensor):
        return result if isinstance(result, cls) else result.as_subclass(cls)
    if isinstance(result, (tuple, list)):
        parts = [convert_result(one, cls) for one in result]
        return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)
    return result


def tensor_torch_function(
    cls: type, func: Any, types: Iterable[type], args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
) -> Any:
    """The answer of a tensor of a subclass: the function's results, as tensors of the subclass.

    func: what was called.   types: those of the arguments that are asked.   args, kwargs: its arguments.
    NotImplemented when an argument is of a type that this class does not derive from. A subclass that answers by itself
    calls this by ``super()`` for the rest.

    >>> from wengert_core import Tensor, ones
    >>> class Length(Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return super().__torch_function__(func, types, args, kwargs)
    >>> type(ones(1).as_subclass(Length) + 1).__name__
    add
    'Length'
    """
    if not all(issubclass(cls, kind) for kind in types):
        return NotImplemented
    result = _disabled_torch_function_impl(func, types, args, kwargs)
    return result if cls is Tensor or keeps_types(func) else convert_result(result, cls)


def keeps_types(func: Any) -> bool:
    """Whether a function reads one of the attributes of Tensor that are NOT_CONVERTED."""
    described: Any = getattr(func, "__self__", None)
    return getattr(described, "__objclass__", None) is Tensor and described.__name__ in NOT_CONVERTED
