"""Run programs with a torch-like module and say what each left behind: errors, warnings, facts of every variable.

Used with wengert and with PyTorch; imports neither. ``python -m random_programs.record MODULE PROGRAMS RECORDS``.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import json
import math
import os
import pickle
import sys
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "torch_parity" / "recorded"))

from parity.describe import as_torch_text, describe, json_numbers, short  # type: ignore[import-not-found,unused-ignore]
from parity.run_snippet import prepare  # type: ignore[import-not-found,unused-ignore]

Facts = dict[str, Any]
INTERNAL = " (Triggered internally at "
BATCH = 50  # programs of one process


def run(torch: ModuleType, lines: list[str]) -> Any:
    """The record of a program: {"steps": [error and warnings of each], "variables": {name: facts}}."""
    names: dict[str, Any] = {
        "torch": torch, "math": math, "copy": copy, "pickle": pickle,
        "F": importlib.import_module(f"{torch.__name__}.nn.functional"),
        "fwAD": importlib.import_module(f"{torch.__name__}.autograd.forward_ad"),
    }
    names["first"] = lambda value: first_tensor(value, torch)
    hidden = set(names) | {"__builtins__"}
    torch.manual_seed(0)
    steps = [step(line, names) for line in lines]
    torch.set_grad_enabled(True)
    found = {name: value for name, value in names.items() if name not in hidden}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        variables = {name: facts(value, found, torch) for name, value in sorted(found.items())}
    return {"steps": steps, "variables": variables}


def first_tensor(value: Any, torch: ModuleType) -> Any:
    """The first tensor of a result; the result where there is none."""
    if isinstance(value, (tuple, list)):
        return next((part for part in value if isinstance(part, torch.Tensor)), value)
    return value


def step(line: str, names: dict[str, Any]) -> Any:
    """The end of a statement: None, or its error and warnings."""
    found: dict[str, Any] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(line, names)
        except Exception as error:
            classes = [cls.__name__ for cls in type(error).__mro__ if cls not in (object, BaseException, Exception)]
            message = str(error).partition("\nException raised from ")[0]
            found["error"] = [classes or ["Exception"], as_torch_text(message)]
    if caught:
        texts = [(item.category.__name__, str(item.message)) for item in caught]
        found["warnings"] = [[kind, as_torch_text(text.partition(INTERNAL)[0])] for kind, text in texts]
    return found or None


# ---- facts
def facts(value: Any, found: dict[str, Any], torch: ModuleType) -> Any:
    """All that is to be seen of a variable."""
    if not isinstance(value, torch.Tensor):
        return describe(value, torch)
    with contextlib.suppress(Exception):
        value.grad_fn  # noqa: B018  made anew where a view's base was written to
    told: Facts = {
        "dtype": short(value.dtype),
        "shape": list(value.shape),
        "stride": list(value.stride()),
        "offset": value.storage_offset(),
        "requires_grad": value.requires_grad,
        "leaf": value.is_leaf,
        "version": record_call(lambda: value._version),
        "view": record_call(value._is_view),
        "base": record_call(lambda: base(value, found)),
        "memory": record_call(lambda: memory(value, found, torch)),
        "node": record_call(lambda: node(value.grad_fn)),
        "next": record_call(lambda: nodes(value.grad_fn, 2)),
        "output": record_call(lambda: value.output_nr),
        "inference": value.is_inference(),
        "retains": value.retains_grad,
        "values": values(value),
    }
    grad = value.grad
    if grad is not None:
        told["grad"] = {
            "dtype": short(grad.dtype), "shape": list(grad.shape), "stride": list(grad.stride()),
            "requires_grad": grad.requires_grad, "leaf": grad.is_leaf, "version": record_call(lambda: grad._version),
            "view": grad._is_view(), "node": node(grad.grad_fn), "next": nodes(grad.grad_fn, 1), "values": values(grad),
        }
    return told


def record_call(call: Any) -> Any:
    """A call's result; of an error its class."""
    try:
        return call()
    except Exception as error:
        return f"{type(error).__name__}"


def values(tensor: Any) -> Any:
    """The numbers of a tensor."""
    return json_numbers(tensor.detach().resolve_conj().resolve_neg().tolist(), short(tensor.dtype))


def base(value: Any, found: dict[str, Any]) -> str | None:
    """The variable that a view looks into; the shape of the base where it is none."""
    if value._base is None:
        return None
    names = (name for name, other in sorted(found.items()) if other is value._base)
    return next(names, f"shape {list(value._base.shape)}")


def memory(value: Any, found: dict[str, Any], torch: ModuleType) -> str | None:
    """The first variable in the same memory."""
    address = value.untyped_storage().data_ptr()
    if not address or not value.numel():
        return None
    return next(name for name, other in sorted(found.items())
                if isinstance(other, torch.Tensor) and other.numel() and other.untyped_storage().data_ptr() == address)


def node(function: Any) -> str | None:
    """The name of a node."""
    return None if function is None else function.name()


def nodes(function: Any, depth: int) -> Any:
    """The names of the nodes below, to some depth."""
    if function is None or not depth:
        return None
    return [[node(after), number, nodes(after, depth - 1)] for after, number in function.next_functions]


# ---- a file of programs
def main() -> None:
    """Write one line for each program; null where the process died of it."""
    torch = importlib.import_module(sys.argv[1])
    torch.set_num_threads(1)
    prepare(torch)
    lines = Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()
    written: list[str] = []
    with Path(sys.argv[3]).open("w", encoding="utf-8") as target:
        while len(written) < len(lines):
            answers = record_forked(torch, lines[len(written):len(written) + BATCH])
            written += answers
            target.writelines(f"{answer}\n" for answer in answers)


def record_forked(torch: ModuleType, lines: list[str]) -> list[str]:
    """The records of some programs, by a process of their own; the last is null where it died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            with os.fdopen(writer, "w", encoding="utf-8") as pipe:
                for line in lines:
                    pipe.write(json.dumps(run(torch, json.loads(line)), separators=(",", ":")) + "\n")
                    pipe.flush()
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        answers = pipe.read().split("\n")[:-1]
    os.waitpid(child, 0)
    return answers if len(answers) == len(lines) else [*answers, "null"]


if __name__ == "__main__":
    main()
