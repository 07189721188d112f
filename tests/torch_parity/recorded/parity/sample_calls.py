"""Every row of the sample table, called with inputs of every kind: the calls, and what came of one, shortly.

KINDS says which inputs there are. A result is kept as a few numbers (``summary``), so that each fits into a line. Used
with PyTorch by tools/record/sample_table.py and with wengert by test_inputs.py; imports neither.
"""

import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

Sample = tuple[tuple[Any, ...], dict[str, Any]]
SHAPES = {"0-d": (), "empty": (0,), "empty matrix": (2, 0), "rank 4": (2, 3, 2, 2)}
LAYOUTS = ("transposed", "gaps", "expanded")
WHOLE = ("bool", "uint8", "int8", "int16", "int32", "int64")
DTYPES = (*WHOLE, "float16", "bfloat16", "float32", "complex64", "complex128")
KINDS = ("given", *SHAPES, *LAYOUTS, *DTYPES, "edges", "ties", "no tensor", "gradient", "gradient at ties")
"""Inputs: those of the row; with another shape, layout or dtype for all floating tensors; with nan, infinities and
zeros of both signs; with equal and whole numbers; None in place of the first tensor; the gradients by all of them."""
EDGES = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0])
TIES = np.array([0.0, 1.0, -1.0, 1.0, 0.0, 2.0, -0.5, 0.5])


@dataclass
class Call:
    """One question: the sample of an op with this number, with inputs of that kind."""

    op: str
    number: int
    kind: str
    sample: Sample

    def __str__(self) -> str:
        return f"{self.op}: {self.kind} {self.number}"

    @property
    def digest(self) -> int:
        """Of the arguments, so that an answer to another question is noticed."""
        return zlib.crc32(repr([self.kind, *map(freeze, self.sample)]).encode())


def freeze(value: Any) -> Any:
    """An argument as something whose text is the same in each run."""
    if isinstance(value, np.ndarray):
        return value.shape, value.dtype.name, value.tolist()
    if isinstance(value, dict):
        return [(name, freeze(part)) for name, part in value.items()]
    return [freeze(part) for part in value] if isinstance(value, (list, tuple)) else value


def calls(op: str, samples: Iterable[Sample]) -> Iterator[Call]:
    """The questions about an op: all of its samples as they are, and one of them with inputs of each other kind."""
    samples = list(samples)
    for i, sample in enumerate(samples):
        yield Call(op, i, "given", sample)
    chosen = next((i for i, sample in enumerate(samples) if any(a.size > 1 for a in arrays(sample))), 0)
    for kind in KINDS[1:] if samples else ():
        yield Call(op, chosen, kind, samples[chosen])


def arrays(value: Any) -> list[np.ndarray[Any, Any]]:
    """All arrays in an argument."""
    if isinstance(value, np.ndarray):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return [array for part in parts for array in arrays(part)]


# ---- arguments
def map_arrays(value: Any, change: Callable[[Any], Any]) -> Any:
    """An argument with ``change`` applied to each array in it."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, dict):
        return {name: map_arrays(part, change) for name, part in value.items()}
    return type(value)(map_arrays(part, change) for part in value) if type(value) in (list, tuple) else value


def maker(kind: str, torch: ModuleType) -> Callable[[Any], Any]:
    """Return the function that makes a tensor of an array."""
    made = 0

    def make(array: Any) -> Any:
        nonlocal made
        if array.dtype.kind not in "fc" or kind in ("given", "gradient", "no tensor"):
            return plain(array, torch)
        made += 2
        if kind in LAYOUTS:
            return lay_out(array, kind, torch) if array.ndim and array.size else plain(array, torch)
        if kind in DTYPES:
            whole = np.asarray(np.resize(np.arange(array.size) % 5, array.shape), float)
            return plain(whole if kind in WHOLE else array, torch).to(getattr(torch, kind))
        if kind in SHAPES:
            return plain(np.resize(array if array.size else np.ones(1), SHAPES[kind]), torch)
        numbers = np.roll(EDGES if kind == "edges" else TIES, -made)
        return plain(np.resize(numbers, array.size).reshape(array.shape).astype(array.dtype), torch)

    return make


def plain(array: Any, torch: ModuleType) -> Any:
    """A tensor with memory of its own."""
    if not array.size:
        return torch.zeros(array.shape, dtype=torch.from_numpy(np.zeros(1, array.dtype)).dtype)
    return torch.from_numpy((np.ascontiguousarray(array) if array.ndim else array).copy())


def lay_out(array: Any, layout: str, torch: ModuleType) -> Any:
    """A tensor whose dims are in reverse order in memory, that has gaps, or that repeats its first part."""
    if layout == "transposed":
        return plain(array.T, torch).permute(*range(array.ndim - 1, -1, -1))
    if layout == "expanded":
        return plain(array[:1], torch).expand(*array.shape)
    spread = torch.zeros([2 * n for n in array.shape], dtype=plain(array, torch).dtype)
    view = spread[(slice(None, None, 2),) * array.ndim]
    view.copy_(plain(array, torch))
    return view


def find_op(op: str, torch: ModuleType) -> tuple[str, Any] | None:
    """Return the path of an op in a module, and the function."""
    for path in ("Tensor.unfold",) if op == "unfold" else (op, f"nn.functional.{op}", f"Tensor.{op}"):
        function: Any = torch
        for name in path.split("."):
            function = getattr(function, name, None)
        if callable(function) and not isinstance(function, type):
            return path, function
    return None


# ---- answers
def answer(call: Call, path: str, torch: ModuleType) -> Any:
    """Return what a call gives, shortly: summaries of tensors, or {"error": [type, message]}."""
    function: Any = torch
    for name in path.split("."):
        function = getattr(function, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            args, kwargs = map_arrays(call.sample, maker(call.kind, torch))
            if call.kind.startswith("gradient"):
                return [summary(part, torch) for part in gradients(function, args, kwargs, torch)]
            return summary(function(*(without_first(args) if call.kind == "no tensor" else args), **kwargs), torch)
        except Exception as error:
            names = [cls.__name__ for cls in type(error).__mro__[:-3]]
            return {"error": names, "message": str(error).split("\n")[0][:120]}


def without_first(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with None as the first of them."""
    return (None, *args[1:])


def with_leaves(args: Any, kwargs: Any, torch: ModuleType) -> tuple[Any, Any, list[Any]]:
    """The arguments, whose floating tensors require gradients, and these tensors."""
    leaves: list[Any] = []

    def leaf(value: Any) -> Any:
        if isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex()):
            leaves.append(value.requires_grad_())
        return type(value)(map(leaf, value)) if type(value) in (list, tuple) else value

    return tuple(map(leaf, args)), {name: leaf(value) for name, value in kwargs.items()}, leaves


def gradients(function: Any, args: Any, kwargs: Any, torch: ModuleType) -> list[Any]:
    """The gradients by all floating tensors, of the sum of all results with weights."""
    args, kwargs, leaves = with_leaves(args, kwargs, torch)
    results = [y for y in tensors(function(*args, **kwargs), torch) if y.requires_grad]
    if not results:
        return []
    weights = [torch.from_numpy(np.asarray(waves(y.numel())).reshape(tuple(y.shape))).to(y.dtype) for y in results]
    return list(torch.autograd.grad(results, leaves, weights, allow_unused=True))


def tensors(value: Any, torch: ModuleType) -> list[Any]:
    """All tensors in a result."""
    if isinstance(value, torch.Tensor):
        return [value]
    return [y for part in value for y in tensors(part, torch)] if isinstance(value, (list, tuple)) else []


def waves(n: int) -> np.ndarray[Any, Any]:
    """Weights that differ from element to element."""
    weights: np.ndarray[Any, Any] = np.cos(np.arange(n) * 1.7 + 0.3)
    return weights


def summary(value: Any, torch: ModuleType) -> Any:
    """A result in a few numbers: dtype, shape, how many are nan, inf, -inf, the sum of sizes, the weighted sum."""
    if isinstance(value, torch.Tensor):
        x = value.detach()
        x = x.resolve_conj() + 0 if x.is_complex() else x.to(torch.float64) + 0  # torch has zeros without memory
        array = np.asarray(x.contiguous().numpy()).reshape(-1)
        array = np.concatenate([array.real, array.imag]) if array.dtype.kind == "c" else array
        finite = np.where(np.isfinite(array), array, 0).astype(np.float64)
        counts = [int(np.isnan(array).sum()), int((array == np.inf).sum()), int((array == -np.inf).sum())]
        with np.errstate(all="ignore"):
            sums = [float(f"{part:.9g}") for part in (np.abs(finite).sum(), (finite * waves(array.size)).sum())]
        return [str(value.dtype).rpartition(".")[2], list(value.shape), counts, sums]
    if isinstance(value, (tuple, list)):
        return [summary(part, torch) for part in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else type(value).__name__
