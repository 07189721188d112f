"""Type promotion as tables: for each question and first dtype, the result dtype for every second operand.

A cell is a dtype's name, or the name of the exception that PyTorch raises. Rows are the dtypes of `DTYPES`, columns are
those again (two tensors), the Python scalars of `SCALARS`, or a single one (one operand).
"""

import operator
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

from parity.describe import short

SUBJECT = "promotion"
DTYPES = [
    "bool", "uint8", "int8", "int16", "int32", "int64",
    "float16", "bfloat16", "float32", "float64", "complex64", "complex128",
]  # fmt: skip
SCALARS = [True, 2, 2.5, 1j]
Table = dict[str, str]  # first dtype: the results, separated by spaces
Question = Callable[[ModuleType, Any, Any], Any]

TWO: dict[str, Question] = {  # of two tensors; also asked of a tensor with a scalar
    "result_type": lambda torch, one, other: torch.result_type(one, other),
    "add": lambda torch, one, other: torch.add(one, other),
    "sub": lambda torch, one, other: torch.sub(one, other),
    "mul": lambda torch, one, other: torch.mul(one, other),
    "div": lambda torch, one, other: torch.div(one, other),
    "div_floor": lambda torch, one, other: torch.div(one, other, rounding_mode="floor"),
    "div_trunc": lambda torch, one, other: torch.div(one, other, rounding_mode="trunc"),
    "floor_divide": lambda torch, one, other: torch.floor_divide(one, other),
    "remainder": lambda torch, one, other: torch.remainder(one, other),
    "fmod": lambda torch, one, other: torch.fmod(one, other),
    "pow": lambda torch, one, other: torch.pow(one, other),
    "eq": lambda torch, one, other: torch.eq(one, other),
    "lt": lambda torch, one, other: torch.lt(one, other),
    "bitwise_and": lambda torch, one, other: torch.bitwise_and(one, other),
    "bitwise_left_shift": lambda torch, one, other: torch.bitwise_left_shift(one, other),
    "where": lambda torch, one, other: torch.where(torch.ones(2, dtype=torch.bool), one, other),
    "add_": lambda torch, one, other: one.add_(other),
    "mul_": lambda torch, one, other: one.mul_(other),
    "div_": lambda torch, one, other: one.div_(other),
    "pow_": lambda torch, one, other: one.pow_(other),
    "bitwise_or_": lambda torch, one, other: one.bitwise_or_(other),
    "copy_or_fill_": lambda torch, one, other: one.copy_(other) if hasattr(other, "dtype") else one.fill_(other),
}
TENSORS: dict[str, Question] = {  # of two tensors only
    "maximum": lambda torch, one, other: torch.maximum(one, other),
    "atan2": lambda torch, one, other: torch.atan2(one, other),
    "logical_and": lambda torch, one, other: torch.logical_and(one, other),
    "cat": lambda torch, one, other: torch.cat([one, other]),
    "stack": lambda torch, one, other: torch.stack([one, other]),
    "dot": lambda torch, one, other: torch.dot(one, other),
    "matmul": lambda torch, one, other: torch.matmul(one, other),
}
SCALAR_FIRST: dict[str, Question] = {  # the scalar stands on the left
    "rsub": lambda torch, one, other: operator.sub(other, one),
    "rtruediv": lambda torch, one, other: operator.truediv(other, one),
    "rfloordiv": lambda torch, one, other: operator.floordiv(other, one),
    "rmod": lambda torch, one, other: operator.mod(other, one),
    "rpow": lambda torch, one, other: operator.pow(other, one),
}
UNARY = (
    "neg abs sign reciprocal square sqrt rsqrt exp expm1 exp2 log log1p log2 log10 sin cos tan asin acos atan sinh "
    "cosh tanh asinh acosh atanh sigmoid relu erf floor ceil round trunc frac isnan isfinite logical_not bitwise_not "
    "sum mean prod var std min max amin amax argmin argmax any all norm sort tril triu clone zeros_like flip"
).split()
ALONG_A_DIM = "sum mean prod max amax argmax any all logsumexp cumsum cumprod softmax log_softmax sort topk".split()


def tables(torch: ModuleType) -> dict[str, Table]:
    """All tables, as `torch` answers."""
    found: dict[str, Table] = {}
    for name, ask in (TWO | TENSORS).items():
        found[f"{name}: tensor, tensor"] = table(torch, ask, vectors)
    for name in ("result_type", "add", "mul", "div", "pow", "eq", "where"):
        found[f"{name}: tensor, 0-d"] = table(torch, TWO[name], points)
    for name, ask in (TWO | SCALAR_FIRST).items():
        found[f"{name}: tensor, scalar"] = table(torch, ask, scalars)
    for name in ("result_type", "add", "mul", "div", "pow"):
        found[f"{name}: 0-d, scalar"] = table(torch, TWO[name], scalars, one_shape=())
    for name in UNARY:
        found[f"{name}: tensor"] = table(torch, whole(name), nothing)
    for name in ALONG_A_DIM:
        found[f"{name}: tensor along a dim"] = table(torch, along(name), nothing, one_shape=(2, 2))
    return found


def whole(name: str) -> Question:
    """The operation of one operand."""
    return lambda torch, one, _: getattr(torch, name)(one)


def along(name: str) -> Question:
    """The operation along the last dimension; topk takes how many first."""
    return lambda torch, one, _: getattr(torch, name)(one, *([1] if name == "topk" else []), -1)


def vectors(torch: ModuleType) -> list[Any]:
    return [torch.ones(2, dtype=getattr(torch, name)) for name in DTYPES]


def points(torch: ModuleType) -> list[Any]:
    return [torch.ones((), dtype=getattr(torch, name)) for name in DTYPES]


def scalars(torch: ModuleType) -> list[Any]:
    return list(SCALARS)


def nothing(torch: ModuleType) -> list[Any]:
    return [None]


def table(torch: ModuleType, ask: Question, others: Callable[[ModuleType], list[Any]], one_shape: Any = (2,)) -> Table:
    """One table; each cell starts from fresh operands, because some questions work in place."""
    count = len(others(torch))
    return {
        name: " ".join(
            cell(torch, ask, torch.ones(one_shape, dtype=getattr(torch, name)), others(torch)[column])
            for column in range(count)
        )
        for name in DTYPES
    }


def cell(torch: ModuleType, ask: Question, one: Any, other: Any) -> str:
    """The dtype of the answer (of its first item where it has several), or the exception's name."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            answer = ask(torch, one, other)
        except Exception as error:
            return type(error).__name__
    if isinstance(answer, tuple):
        answer = answer[0]
    return short(answer if isinstance(answer, torch.dtype) else answer.dtype)
