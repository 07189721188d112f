"""Load and call programs whose operation is exchanged for any other, with arguments that it was not made for.

A program that the tests run: ``python exchanged_operations.py SEED COUNT``. Its address space is limited, so that an
operation that asks for much memory gets an error. A crash ends it, and prints what was called.
"""

from __future__ import annotations

import faulthandler
import importlib.util
import random
import resource
import sys
import warnings
from pathlib import Path
from typing import Any

import wengert as wg
from wengert_core.binding.schema import parse_schema
from wengert_core.extend import Op
from wengert_core.optable.core_table import TABLE
from wengert_replay.exporting import ProgramFileError

SPEC: Any = importlib.util.spec_from_file_location("portable_files", Path(__file__).parent / "portable_files.py")
FILES: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(FILES)
OPS = sorted({op.name: op for op in dict(TABLE.ops).values() if isinstance(op, Op)}.items())
NUMBERS = [0, 1, 2, 3, -1, -2, 7, 1 << 31, (1 << 63) - 1, -(1 << 63), 0.5, -0.0, 1e300, {"float": "nan"}, True, False]
WORDS = [
    None, {"str": "mean"}, {"str": ""}, {"dtype": "float64"}, {"dtype": "int64"}, {"dtype": "bool"}, {"device": "cpu"},
    {"layout": "strided"}, {"memory_format": "channels_last"}, {"ellipsis": []}, {"slice": [None, 2, None]},
]  # fmt: skip


def argument(rng: random.Random, n_values: int, depth: int = 0) -> Any:
    """Return a value as the text of a program has it."""
    kind = rng.random()
    if kind < 0.5:
        return f"%{rng.randrange(n_values)}" if rng.random() < 0.9 else rng.choice("aw") + "0"
    if kind < 0.75:
        return rng.choice(NUMBERS)
    if kind < 0.85 or depth > 1:
        return rng.choice(WORDS)
    items = [argument(rng, n_values, depth + 1) for _ in range(rng.randrange(4))]
    if rng.random() < 0.7:
        items = [rng.choice(NUMBERS[:9]) for _ in items]
    return items if rng.random() < 0.5 else {"tuple": items}


def fitting(rng: random.Random, kind: str, n_values: int) -> Any:
    """Return a value of a parameter's type, most times; else any."""
    tensor = f"%{rng.randrange(n_values)}"
    if kind in ("Tensor", "Any") and rng.random() < 0.9:
        return tensor
    if kind == "int":
        return rng.choice(NUMBERS[:10])
    if kind == "int[]":
        return {"tuple": [rng.choice(NUMBERS[:7]) for _ in range(rng.randrange(4))]}
    if kind in ("float", "Scalar"):
        return rng.choice(NUMBERS)
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "str":
        return {"str": rng.choice(["mean", "sum", "none", "reflect", "bilinear", "floor"])}
    if kind == "dtype":
        return rng.choice([None, {"dtype": rng.choice(["float64", "int64", "bool", "float32"])}])
    if kind == "Tensor[]":
        return [f"%{rng.randrange(n_values)}" for _ in range(rng.randrange(4))]
    return argument(rng, n_values)


CONSTANTS = [
    wg.arange(12, dtype=wg.float32), wg.arange(12, dtype=wg.float64), wg.tensor([3, -1, 1 << 40, 0, 2, 1, 1, 0]),
    wg.tensor([True, False, True, True]), wg.arange(4).to(wg.uint8), wg.ones(8, dtype=wg.complex128), wg.zeros(0),
]  # fmt: skip
SHAPES = [
    ((4,), (1,)),
    ((2, 2), (2, 1)),
    ((1, 2, 2), (4, 2, 1)),
    ((), ()),
    ((0, 3), (3, 1)),
    ((2, 2), (0, 1)),
    ((2, 1, 1, 2), (2, 2, 2, 1)),
]


def program(rng: random.Random) -> tuple[str, bytes]:
    """Return the name of an operation, and a file of a program that calls it."""
    file = FILES.File()
    file.state.constants = CONSTANTS
    text = file.text
    text["constants"] = [{} for _ in CONSTANTS]
    text["types"], steps = [], []
    for number, constant in enumerate(CONSTANTS):
        for shape, strides in SHAPES:
            if constant.numel() or 0 in shape:
                text["types"].append([constant.dtype.name, list(shape), list(strides)])
                steps.append([0, [number, 0], [len(text["types"]) - 1], 0])
    n_values = len(steps)
    name, op = rng.choice(OPS)
    text["ops"][1] = {"table": "core", "name": name, "parameters": list(op.params)}
    text["ops"][2:] = []
    arguments = []
    for _, kind, optional, *_ in parse_schema(op.schema)[1]:
        drawn = fitting(rng, kind, n_values) if rng.random() < 0.95 else argument(rng, n_values)
        arguments.append(None if optional and rng.random() < 0.7 else drawn)
    outputs = [rng.randrange(len(text["types"])) for _ in op.outputs]
    steps.append([1, arguments, outputs, 0])
    text["nodes"][0].update(steps=steps, results=[], result={"tuple": []}, gradients=[])
    return f"{name} {arguments}", file.data()


def main(seed: int, count: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + (2 << 30)  # more than now: a sanitizer holds terabytes of addresses
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    faulthandler.enable()
    warnings.simplefilter("ignore")
    called = 0
    for number in range(seed, seed + count):
        words, data = program(random.Random(number))
        print(number, words, flush=True)
        try:
            made = FILES.load_bytes(data)
        except ProgramFileError:
            continue
        try:
            made(wg.ones(2, 2))
        except (RuntimeError, ValueError, IndexError, NotImplementedError, MemoryError, ArithmeticError) as error:
            called += type(error).__name__ != "ProgramFileError"
    print("called", called)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
