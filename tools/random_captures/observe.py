"""All of a value that a program can see, as what can be compared and keeps no tensor alive."""

from __future__ import annotations

import hashlib
from typing import Any, NamedTuple

import numpy as np
import wengert as wg


class Gradients(NamedTuple):
    """Gradients, whose versions do not count."""

    tensors: tuple[Any, ...]


class Nearly(NamedTuple):
    """A value whose numbers may have other last digits: sums in another order."""

    value: Any


MOST_NUMBERS = 20_000
"""Numbers of one tensor that are kept: of a larger one a digest, and as many of its numbers at most."""


class Numbers(NamedTuple):
    """The numbers of a tensor: bytes that are compared, and what a list for prints is made of where two differ."""

    data: bytes
    dtype: str
    shape: tuple[int, ...]
    digest: bytes = b""

    @property
    def numbers(self) -> Any:
        """The numbers as nested lists; of a large tensor some of them."""
        return np.frombuffer(self.data, self.dtype).reshape(self.shape).tolist()


class Description:
    """Descriptions of values that are seen together.

    Tensors that are one object, or share memory, get the same number: the order in which they are met.
    """

    def __init__(self, has_versions: bool = True) -> None:
        self.has_versions = has_versions
        self.tensors: list[Any] = []
        self.memory: list[int] = []

    def of(self, value: Any) -> Any:
        """Describe a value; containers and objects by what is in them."""
        if isinstance(value, wg.Tensor):
            return self.of_tensor(value)
        if isinstance(value, Gradients):
            return {"grad": self.of(value.tensors)}
        if isinstance(value, Nearly):
            return {"nearly": self.of(value.value)}
        if isinstance(value, (list, tuple)):
            return (type(value).__name__, *map(self.of, value))
        if isinstance(value, dict):
            return {repr(key): self.of(one) for key, one in value.items()}
        if isinstance(value, wg.nn.Module):
            return {name: self.of(one) for name, one in (*value.named_parameters(), *value.named_buffers())}
        if isinstance(value, wg.optim.Optimizer):
            return self.of_optimizer(value)
        if hasattr(value, "__dict__") and not isinstance(value, type) and not callable(value):
            return type(value).__name__, self.of(vars(value))
        return "a function" if callable(value) and not isinstance(value, type) else repr(value)

    def of_optimizer(self, optimizer: Any) -> Any:
        """Describe the state of an optimizer, in the order of its parameters, and its options."""
        groups = [{key: one for key, one in group.items() if key != "params"} for group in optimizer.param_groups]
        params = [param for group in optimizer.param_groups for param in group["params"]]
        return self.of([groups, [dict(optimizer.state[param]) if param in optimizer.state else None
                                 for param in params]])  # fmt: skip

    def of_tensor(self, t: Any) -> Any:
        """Describe a tensor."""
        for number, known in enumerate(self.tensors):
            if known is t:
                return "tensor", number
        self.tensors.append(t)
        if t.layout != wg.strided:
            return self.of_sparse(t)
        memory = t.untyped_storage().data_ptr() if t.numel() else 0
        if memory not in self.memory:
            self.memory.append(memory)
        grad = t.grad if t.is_leaf or t.retains_grad else None
        return {
            "class": type(t).__name__, "dtype": str(t.dtype), "shape": tuple(t.shape), "values": numbers(t),
            "strides": t.stride(), "version": t._version if self.has_versions and not t.is_inference() else None,
            "requires_grad": t.requires_grad, "is_leaf": t.is_leaf, "has_graph": t.grad_fn is not None,
            "memory": self.memory.index(memory), "grad": None if grad is None else self.of(grad),
        }  # fmt: skip

    def of_sparse(self, t: Any) -> Any:
        """Describe a sparse tensor by its numbers."""
        return {
            "class": type(t).__name__, "dtype": str(t.dtype), "shape": tuple(t.shape), "layout": str(t.layout),
            "requires_grad": t.requires_grad, "is_leaf": t.is_leaf, "has_graph": t.grad_fn is not None,
            "values": numbers(t.detach().to_dense()),
        }  # fmt: skip


def numbers(t: Any) -> Numbers:
    """Return the numbers of a tensor."""
    plain = t.detach()
    if plain.dtype is wg.bfloat16:
        plain = plain.float()
    array = plain.resolve_conj().resolve_neg().contiguous().numpy()
    if array.size <= MOST_NUMBERS:
        return Numbers(array.tobytes(), array.dtype.str, array.shape)
    some = array.reshape(-1)[:: -(-array.size // MOST_NUMBERS)]
    return Numbers(some.tobytes(), some.dtype.str, some.shape, hashlib.blake2b(array).digest())


SKIPPED = (".version", ".memory")
"""Facts of gradients that are not compared: how often something was added, and which are views of one another."""


class Difference(NamedTuple):
    """The first difference of two runs. fact: such as "values" or "version"; where: a path in the observation."""

    fact: str
    number: int
    where: str
    eager: Any
    captured: Any


def first_difference(
    eager: list[Any], captured: list[Any], *, is_cut: bool = False, sums_gradients: bool = False
) -> Difference | None:
    """Return where two lists of observations differ first. is_cut: the second one may be shorter.

    The versions of gradients are not compared: how often something is added to one depends on who computes the sum.
    sums_gradients: gradients may differ in their last bits, because a loop adds up its terms first.
    """
    for number, (one, other) in enumerate(zip(eager, captured, strict=False)):
        found = differ(one, other, ".sums" if sums_gradients else "")
        if found is not None:
            where, one, other = found
            return Difference(fact_of(where, one, other), number, where, one, other)
    if len(eager) != len(captured) and not is_cut:
        return Difference("length", min(len(eager), len(captured)), "", len(eager), len(captured))
    return None


def differ(one: Any, other: Any, where: str) -> tuple[str, Any, Any] | None:
    """Return (path, value, other value) of the first difference of two descriptions."""
    if where.endswith(SKIPPED) and ".grad" in where:
        return None
    if ".nearly" in where and isinstance(one, Numbers) and isinstance(other, Numbers):
        return None if is_near(one.numbers, other.numbers) else (where, one.numbers, other.numbers)
    if isinstance(one, Numbers) and isinstance(other, Numbers):
        is_sum = where.startswith(".sums") and ".grad" in where
        same = one == other or (is_sum and is_close(one.numbers, other.numbers))
        return None if same else (where, one.numbers, other.numbers)
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        found = (differ(one[key], other[key], f"{where}.{key}") for key in one)
        return next((each for each in found if each is not None), None)
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        pairs = enumerate(zip(one, other, strict=True))
        found = (differ(*pair, f"{where}[{number}]") for number, pair in pairs)
        return next((each for each in found if each is not None), None)
    return None if type(one) is type(other) and one == other else (where, one, other)


def fact_of(where: str, one: Any, other: Any) -> str:
    """Return the name of a difference: the last word of its path, "last bits" for numbers that are nearly equal."""
    fact = where.rpartition(".")[2].partition("[")[0] or "result"
    if fact == "values" and is_close(one, other):
        return "last bits"
    words = [str(part).strip("'") for side in (one, other) if isinstance(side, tuple) for part in side[:2]]
    return next((word for word in ("error", "warnings") if word in words), fact)


def is_close(one: Any, other: Any) -> bool:
    """Return whether nested lists of numbers agree to some digits."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_close, one, other))
    if isinstance(one, (float, complex)) and isinstance(other, (float, complex)):
        return one == other or (one != one and other != other) or abs(one - other) <= 1e-5 * (abs(one) + abs(other))
    return bool(one == other)


def is_near(one: Any, other: Any) -> bool:
    """Return whether nested lists of numbers differ by less than a hundredth of the largest of them."""
    first, second = pairs = [np.asarray(side, dtype=np.complex128) for side in (one, other)]
    size = max((float(np.nanmax(np.abs(side), initial=0, where=np.isfinite(side))) for side in pairs), default=0.0)
    return bool(np.allclose(first, second, rtol=1e-2, atol=1e-2 * size, equal_nan=True))
