"""Print what an operation does, for whoever documents it: its signature, dtypes, shapes and memory, asked of itself.

    .venv/bin/python -m tools.generate.op_facts bmm linalg.svd       these operations
    .venv/bin/python -m tools.generate.op_facts --module linalg.matmul   those of a module of rows

Dtypes are those with which a sample of the table in shared/testing runs, every floating argument being of the dtype.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import Any

import wengert as wg
from wengert_core import TABLE
from wengert_core.dispatch.op_docs import signature, text_of
from wengert_core.optable.families import OPS
from wengert_testing.calls import as_tensors, contiguous
from wengert_testing.samples import CASES

DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64",
          "complex128", "uint16", "uint32", "uint64")


def result_facts(value: Any) -> str:
    """Return dtypes and shapes of what an operation gives."""
    if isinstance(value, wg.Tensor):
        return f"{str(value.dtype).rpartition('.')[2]}{list(value.shape)}"
    return f"({', '.join(map(result_facts, value))})" if isinstance(value, (tuple, list)) else repr(value)


def facts(name: str) -> None:
    """Print the facts of one operation."""
    op = TABLE.ops[name]
    text = text_of(op) if hasattr(op, "public_name") else op.__doc__
    print(f"== {name}\n   {signature(op)}\n   now: {text}".rstrip())
    cases = [case for case in CASES if case.op == name]
    samples = [sample for case in cases for sample in case.samples("float64")]
    for sample in samples[:6]:
        print(f"   sample {sample} -> {attempt(op, sample, 'float64')}")
    if samples:
        for dtype in DTYPES:
            print(f"   {dtype}: {attempt(op, samples[0], dtype)}")


def attempt(op: Any, sample: Any, dtype: str) -> str:
    """Return what a call gives, whether that is memory of the first argument, or the error."""
    def make_fact(array: Any) -> wg.Tensor:
        return contiguous(array).to(getattr(wg, dtype)) if array.dtype.kind in "fc" else contiguous(array)

    args, words = as_tensors(sample, make_fact)
    try:
        result = op(*args, **words)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    first = result[0] if isinstance(result, (tuple, list)) and result else result
    shares = isinstance(first, wg.Tensor) and args and isinstance(args[0], wg.Tensor) and first.numel() and \
        first.untyped_storage().data_ptr() == args[0].untyped_storage().data_ptr()
    return result_facts(result) + (" (the argument's memory)" if shares else "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--module", help="all public operations of this module of rows")
    options = parser.parse_args()
    names = OPS[options.module].split() if options.module else options.names
    warnings.simplefilter("ignore")
    for name in names:
        if not name.endswith("_") and not name.rpartition(".")[2].startswith("_"):
            facts(name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
