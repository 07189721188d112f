"""The forms of a call: as a function, by name, as a method, in place, with out=; which results are views; their names.

Used with PyTorch by tools/record/sample_table.py and with wengert by test_forms.py; imports neither.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from parity.sample_calls import Sample, arrays, map_arrays, plain, summary, tensors, with_leaves


def forms(path: str, samples: Sequence[Sample], names: Sequence[str], torch: ModuleType) -> dict[str, Any]:
    """Return the outcome of each form, for the first sample with some elements. names: of the parameters, in order."""
    sample = next((s for s in samples if any(a.size > 1 for a in arrays(s))), samples[0])
    function: Any = torch
    for part in path.split("."):
        function = getattr(function, part)
    name, is_top = path.rpartition(".")[2], path.count(".") == 0
    found: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found["function"] = try_call(lambda: describe_call(function, sample, torch))
        if len(sample[0]) <= len(names):
            given = {**dict(zip(names, sample[0], strict=False)), **sample[1]}
            found["by name"] = try_call(lambda: describe_call(function, ((), given), torch))
        if is_top or path.startswith("Tensor."):
            found["method"] = try_call(lambda: by_method(torch.Tensor, name, sample, torch))
            if not name.endswith("_"):
                found["in place"] = try_call(lambda: by_method(torch.Tensor, f"{name}_", sample, torch))
                found["function in place"] = try_call(lambda: describe_call(getattr(torch, f"{name}_"), sample, torch))
        found["out"] = try_call(lambda: with_out(function, sample, torch))
        found["grad_fn"] = try_call(lambda: nodes(function, sample, torch))
    return found


def try_call(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or that it was refused."""
    try:
        return call()
    except Exception:
        return "refused"


def fresh_arguments(sample: Sample, torch: ModuleType) -> tuple[list[Any], dict[str, Any]]:
    """Fresh arguments."""
    args, kwargs = map_arrays(sample, lambda array: plain(array.copy(), torch))
    return list(args), kwargs


def describe_call(function: Any, sample: Sample, torch: ModuleType) -> Any:
    """The results, how they lie to the first tensor, and the names of their fields."""
    args, kwargs = fresh_arguments(sample, torch)
    inputs = tensors([*args, *kwargs.values()], torch)
    before = [(x.shape, x._version) for x in inputs]
    result = function(*args, **kwargs)
    return [
        summary(result, torch),
        [memory(y, inputs) for y in tensors(result, torch)],
        [x._version - version for x, (_, version) in zip(inputs, before, strict=True)],
        re.findall(r"^(\w+)=", repr(result), re.MULTILINE) if isinstance(result, tuple) else [],
    ]


def nodes(function: Any, sample: Sample, torch: ModuleType) -> Any:
    """The names of the nodes of the results, where all floating inputs require gradients."""
    args, kwargs, _ = with_leaves(*fresh_arguments(sample, torch), torch)
    results = tensors(function(*args, **kwargs), torch)
    return [None, [y.grad_fn.name() if y.grad_fn is not None else None for y in results]]


def memory(y: Any, inputs: list[Any]) -> str:
    """Return whether a result is an input, shares its memory, or has memory of its own."""
    if any(y is x for x in inputs):
        return "itself"
    if y.numel() and any(y.untyped_storage().data_ptr() == x.untyped_storage().data_ptr() for x in inputs):
        return "view" if y._is_view() else "shared"
    return "own"


def by_method(tensor: Any, name: str, sample: Sample, torch: ModuleType) -> Any:
    """The same as a method of the first argument."""
    if not isinstance(fresh_arguments(sample, torch)[0][0], tensor):
        return "no tensor"
    getattr(tensor, name)
    return describe_call(lambda first, *rest, **words: getattr(first, name)(*rest, **words), sample, torch)


def with_out(function: Any, sample: Sample, torch: ModuleType) -> Any:
    """The result in tensors given as out=, which are empty and of the dtypes of the results."""
    args, kwargs = fresh_arguments(sample, torch)
    results = function(*args, **kwargs)
    args, kwargs = fresh_arguments(sample, torch)
    many = isinstance(results, (tuple, list))
    outs = [torch.empty(0, dtype=y.dtype) for y in tensors(results, torch)]
    got = function(*args, **kwargs, out=tuple(outs) if many else outs[0])
    return [summary(got, torch), [y is out for y, out in zip(tensors(got, torch), outs, strict=True)]]
