"""Older forms of calls, with the factors between the tensors: ``addcmul(x, 3, a, b)``, ``addmm(2, x, 3, a, b)``."""

from __future__ import annotations

from typing import Any

from wengert_core.runtime.user_warnings import warn_user
from wengert_core.tensors.tensor import Tensor

NAMES = {"add", "sub", "addcmul", "addcdiv", "addmm", "addmv", "addr", "addbmm", "baddbmm"}
warned: list[str] = []  # torch says it once in a process, whatever is called


def slots(name: str, params: tuple[str, ...], n: int, values: list[Any]) -> list[int] | None:
    """The slots of the positional arguments of a call in an older form, and a UserWarning the first time; else None.

    params: of the op; n: how many of them may be given by place.   Factors may be tensors without dims, too.

    >>> import warnings
    >>> x = Tensor([1.0])
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     slots("addmm", ("self", "mat1", "mat2", "beta", "alpha", "out"), 3, [2, x, 3, x, x])
    [3, 0, 4, 1, 2]
    """
    plain = name.removesuffix("_")
    if plain not in NAMES:
        return None
    factors = [params.index(word) for word in ("beta", "alpha", "value") if word in params][: len(values) - n]
    tensors = list(range(n))
    if len(factors) + n != len(values):
        return None
    first = 1 if isinstance(values[0], Tensor) or "beta" not in params else 0
    found = tensors[:first] + factors[:1] + tensors[first:]
    found[2:2] = factors[1:]
    if not all(fits(value, params[slot], plain) for value, slot in zip(values, found, strict=True)):
        return None
    warn(name, [params[slot] for slot in found], params)
    return found


def fits(value: Any, parameter: str, name: str) -> bool:
    """Whether it can be this argument: a tensor, or a factor, which may be a tensor without dims."""
    is_factor = parameter in ("beta", "alpha", "value") or (parameter == "other" and name in ("add", "sub"))
    if isinstance(value, Tensor):
        return not is_factor or parameter == "other" or (value.dim() == 0 and not value.requires_grad)
    return is_factor and isinstance(value, (bool, int, float, complex))


def warn(name: str, older: list[str], params: tuple[str, ...]) -> None:
    """Warn once in a process."""
    if warned:
        return
    warned.append(name)
    factors = [word for word in params if word in ("beta", "alpha", "value")]
    words = [word for word in params if word not in (*factors, "out")]
    outs = "*, Tensor out = None" if "out" in params else ""
    before = ", ".join(filter(None, [*map(parameter_text, older), outs]))
    after = ", ".join([*map(parameter_text, words), "*", *[f"{parameter_text(word)} = 1" for word in factors]])
    warn_user(
        f"This overload of {name} is deprecated:\n\t{name}({before})\nConsider using one of the following signatures "
        f"instead:\n\t{name}({after}{', Tensor out = None' if outs else ''})"
    )


def parameter_text(word: str) -> str:
    """A parameter as torch writes it."""
    return f"Number {word}" if word in ("beta", "alpha", "value") else f"Tensor {'input' if word == 'self' else word}"
