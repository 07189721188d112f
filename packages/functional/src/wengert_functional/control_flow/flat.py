"""Nested containers as flat lists of tensors, for the constructs of control flow, and checks of a carry.

None is a leaf that holds no tensor, as in JAX; numbers and arrays become tensors.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

from wengert_core import TABLE
from wengert_core.extend import Tensor, short_repr

from wengert_functional import trees

as_tensor = TABLE.ops["as_tensor"]


class Layout:
    """The structure of a nest, and which of its leaves are None."""

    __slots__ = ("is_none", "spec")

    def __init__(self, spec: trees.Spec, is_none: list[bool]) -> None:
        self.spec, self.is_none = spec, is_none

    def rebuild(self, tensors: Sequence[Any]) -> Any:
        """Return the nest with these tensors."""
        remaining = iter(tensors)
        return trees.unflatten(self.spec, [None if none else next(remaining) for none in self.is_none])

    def leaves_of(self, tree: Any) -> list[Any] | None:
        """Return the leaves of a nest that hold something, or None where it has another structure.

        The keys of dicts may have another order.
        """
        leaves = trees.leaves_like(self.spec, tree)
        if leaves is None:
            leaves = trees.leaves_like(self.spec, reorder(self.spec, tree))
        if leaves is None or [leaf is None for leaf in leaves] != self.is_none:
            return None
        return [leaf for leaf in leaves if leaf is not None]

    def path_of(self, place: int) -> str:
        """Return where the tensor of that number is, as Python writes it: "[1]['a']"; "" where the nest is a tensor."""
        leaf = [number for number, none in enumerate(self.is_none) if not none][place]
        return path_in(self.spec, leaf)

    def matches(self, other: Layout) -> bool:
        """Return whether two nests have the same structure."""
        return str(self.spec) == str(other.spec) and self.is_none == other.is_none

    def __str__(self) -> str:
        names = iter("None" if none else "*" for none in self.is_none)
        return "".join(next(names, letter) if letter == "*" else letter for letter in str(self.spec))


def path_in(spec: trees.Spec, leaf: int) -> str:
    """Return the path to a leaf of that number in a nest."""
    for place, part in enumerate(spec.parts):
        n = trees.count_leaves(part)
        if leaf < n:
            return f"[{place if spec.keys is None else spec.keys[place]!r}]{path_in(part, leaf)}"
        leaf -= n
    return ""


def layout_of(tree: Any) -> Layout:
    """Return the layout of a nest."""
    leaves, spec = trees.flatten(tree)
    return Layout(spec, [leaf is None for leaf in leaves])


def flatten_tensors(op: str, name: str, tree: Any) -> tuple[list[Any], Layout]:
    """Return the tensors of a nest, and its layout. TypeError for a leaf that is no tensor, number, array or None."""
    leaves, spec = trees.flatten(tree)
    tensors = [to_tensor(op, name, leaf) for leaf in leaves if leaf is not None]
    return tensors, Layout(spec, [leaf is None for leaf in leaves])


def to_tensor(op: str, name: str, leaf: Any, dtype: Any = None) -> Any:
    """Return a leaf as a tensor; a dtype is for numbers alone."""
    if isinstance(leaf, Tensor):
        return leaf
    try:
        return as_tensor(leaf, dtype=dtype) if isinstance(leaf, (bool, int, float, complex)) else as_tensor(leaf)
    except (TypeError, RuntimeError, ValueError) as error:
        raise TypeError(f"{op}: expected the leaves of {name} to be tensors, numbers, arrays or None, got "
                        f"{short_repr(leaf)} of type {type(leaf).__name__}") from error


def is_number(value: Any) -> bool:
    """Return whether a value is a Python number, or a bool of NumPy."""
    return isinstance(value, (bool, int, float)) or type(value).__name__ in ("bool", "bool_")


def next_carry(op: str, function: str, carry: Sequence[Any], layout: Layout, result: Any) -> list[Any]:
    """Return the tensors of the carry that a function returned. RuntimeError unless they are as those of the carry."""
    leaves = layout.leaves_of(result)
    if leaves is None:
        advice = "does it lack a return?" if result is None else "return a carry built like the first one"
        raise RuntimeError(
            f"{op}: Expected {both_of(op)} to have same number of outputs, and the same structure, but {function} got "
            f"a carry of structure {layout} and returned one of structure {layout_of(result)}: {advice}"
        )
    made = [leaf if isinstance(leaf, Tensor) else to_tensor(op, "the carry", leaf, old.dtype)
            for leaf, old in zip(leaves, carry, strict=True)]
    for place, (old, new) in enumerate(zip(carry, made, strict=True)):
        if not is_like(old, new):
            path = layout.path_of(place).replace("{", "{{").replace("}", "}}")
            raise_unlike(f"{op}: Expected {both_of(op)} to have same metadata but found: carry{path} is {{}}, and "
                         f"{function} returned {{}}", old, new, "begin with a carry of")
    return made


def both_of(op: str) -> str:
    """Return PyTorch's words for the two carries that are compared."""
    return "init and carry" if op == "scan" else "body_fn_output and carried_inputs"


def is_like(old: Any, new: Any) -> bool:
    """Return whether two tensors have the same shape, dtype and device."""
    return bool(new.shape == old.shape and new.dtype == old.dtype and new.device == old.device)


def check_like(message: str, old: Any, new: Any) -> None:
    """Raise RuntimeError unless two tensors have the same shape, dtype and device; the message has two gaps."""
    if not is_like(old, new):
        raise_unlike(message, old, new)


def raise_unlike(message: str, old: Any, new: Any, other_way: str = "") -> NoReturn:
    """Raise RuntimeError about two tensors that should have the same shape, dtype and device. other_way: advice that
    the other dtype follows.
    """
    advice = f": cast it with .to({old.dtype})" if new.shape == old.shape and new.dtype != old.dtype else ""
    if advice and other_way:
        advice += f", or {other_way} {new.dtype}"
    raise RuntimeError(message.format(metadata_text(old), metadata_text(new)) + advice)


def metadata_text(tensor: Any) -> str:
    """Return shape, dtype and device of a tensor in words."""
    return f"shape: {list(tensor.shape)}, dtype: {tensor.dtype}, device: {tensor.device}"


def reorder(spec: trees.Spec, tree: Any) -> Any:
    """Return a nest whose dicts have the order of a spec's, where their keys are the same; else the nest as it is."""
    kind: Any = type(tree)
    if spec.kind is None or kind is not spec.kind:
        return tree
    if spec.keys is not None:
        if set(tree) != set(spec.keys):
            return tree
        return spec.make([reorder(part, tree[key]) for key, part in zip(spec.keys, spec.parts, strict=True)])
    parts = trees.parts_of(tree)
    if len(parts) != len(spec.parts) or spec.kind in trees.REGISTERED:
        return tree
    return spec.make([reorder(part, inner) for part, inner in zip(spec.parts, parts, strict=True)])
