"""PyTorch's name of an operation that runs: library, name and overload, by its arguments.

Where PyTorch runs an operation as several, the name is that of the one which computes: a product of matrices by
``matmul`` is ``aten.mm.default`` or ``aten.bmm.default``, without the views around it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wengert_core.extend import Op, Tensor, library

DIMS = ("default", "dim")
OPERAND = ("Tensor", "Scalar")
FORMS: dict[str, tuple[str, ...]] = {
    "all": ("default", "dim", "dims"),
    "any": ("default", "dim", "dims"),
    "arange": ("default", "start", "start_step"),
    "argsort": ("default", "stable"),
    "bernoulli": ("default", "p", "Tensor"),
    "bernoulli_": ("float", "Tensor"),
    "bitwise_left_shift": ("Tensor", "Tensor_Scalar", "Scalar_Tensor"),
    "bitwise_right_shift": ("Tensor", "Tensor_Scalar", "Scalar_Tensor"),
    "clamp": ("default", "Tensor"),
    "clamp_max": ("default", "Tensor"),
    "clamp_min": ("default", "Tensor"),
    "div": ("Tensor", "Scalar", "Tensor_mode", "Scalar_mode"),
    "empty": ("memory_format",),
    "flatten": ("using_ints",),
    "frexp": ("Tensor",),
    "index": ("Tensor",),
    "index_fill": ("int_Scalar", "int_Tensor"),
    "max": ("default", "dim", "other"),
    "min": ("default", "dim", "other"),
    "median": DIMS,
    "nanmedian": DIMS,
    "mean": DIMS,
    "movedim": ("intlist", "int"),
    "pow": ("Tensor_Tensor", "Tensor_Scalar", "Scalar"),
    "prod": ("default", "dim_int"),
    "round": ("default", "decimals"),
    "rsub": ("Tensor", "Scalar"),
    "scatter": ("src", "value", "reduce", "value_reduce"),
    "scatter_reduce": ("two",),
    "select": ("int",),
    "slice": ("Tensor",),
    "sort": ("default", "stable"),
    "split": ("Tensor", "sizes"),
    "squeeze": ("default", "dim", "dims"),
    "sum": ("default", "dim_IntList"),
    "transpose": ("int",),
    "unbind": ("int",),
    "unflatten": ("int",),
    "view": ("default", "dtype"),
    "where": ("self", "ScalarOther", "ScalarSelf", "Scalar"),
    "xlogy": ("Tensor", "Scalar_Other", "Scalar_Self"),
    **dict.fromkeys(("std", "var"), ("default", "dim", "correction")),
    **dict.fromkeys(("std_mean", "var_mean"), ("default", "dim", "correction")),
    **dict.fromkeys(("add", "sub", "mul", "bitwise_and", "bitwise_or", "bitwise_xor", "copysign", "eq", "fill", "fmod",
                     "ge", "gt", "le", "lerp", "lt", "masked_fill", "ne", "remainder"), OPERAND),
}
"""The overloads of operations that have others than ``default``."""
TORCH_ONLY = frozenset("""
    _softmax _log_softmax _to_copy _unsafe_view addmm mm mv bmm convolution native_batch_norm native_layer_norm
    native_group_norm nll_loss_forward nll_loss2d_forward linalg_vector_norm max_pool2d_with_indices
    max_pool3d_with_indices _scaled_dot_product_flash_attention _scaled_dot_product_flash_attention_for_cpu
    _scaled_dot_product_efficient_attention _scaled_dot_product_cudnn_attention _scaled_dot_product_attention_math
    _flash_attention_forward _efficient_attention_forward
""".split())
"""Names of operations of PyTorch that wengert's functions run by another name, or not."""
OTHERS = {
    "_adaptive_avg_pool1d": "adaptive_avg_pool1d", "_batch_norm": "native_batch_norm",
    "_binary_cross_entropy": "binary_cross_entropy", "_celu": "celu", "_diag_embed": "diag_embed",
    "_group_norm": "native_group_norm", "_huber": "huber_loss", "_layer_norm": "native_layer_norm", "_ldexp": "ldexp",
    "_max": "max", "_median": "median", "_min": "min", "_nan_to_num": "nan_to_num", "_nanmedian": "nanmedian",
    "_norm": "linalg_vector_norm", "_pixel_shuffle": "pixel_shuffle", "_pixel_unshuffle": "pixel_unshuffle",
    "_renorm": "renorm", "_rsub": "rsub", "_smooth_l1": "smooth_l1_loss", "_take": "take", "_trace": "trace",
    "log_softmax": "_log_softmax", "nll_loss": "nll_loss_forward", "softmax": "_softmax", "to": "_to_copy",
}
"""wengert's name of an operation -> PyTorch's, where they differ and the arguments do not matter."""


def function_names(namespace: str, name: str) -> tuple[str, ...]:
    """Names below wengert under which a function with a name of PyTorch's dispatcher may stand."""
    if name.endswith("_"):
        return (f"Tensor.{name}",)
    first, _, last = name.partition("_")
    spaces = (f"{first}.{last}",) if namespace == "aten" and first in ("linalg", "special", "fft") else ()
    return (*spaces, name, f"nn.functional.{name}")


def forms_of(name: str) -> tuple[str, ...]:
    """Return the overloads of an operation, or of the one that it is the in-place form of."""
    return FORMS.get(name) or FORMS.get(name.removesuffix("_"), ("default",))


def torch_name(op: Op, values: Sequence[Any]) -> tuple[str, str, str]:
    """Return library, name and overload of an operation that is called with these arguments.

    >>> from wengert_core import ones
    >>> from wengert_core.extend import find_op
    >>> sum_ = find_op("sum")
    >>> torch_name(sum_, [ones(2), 0] + [None] * (len(sum_.params) - 2))
    ('aten', 'sum', 'dim_IntList')
    """
    space = library(op.owner)
    name = op.name.replace(".", "_")
    if space != "aten":
        return space, name, "default"
    arguments = dict(zip(op.params, values, strict=True))
    if name in RENAMED:
        name = RENAMED[name](list(values))
    base, suffix = (name[:-1], "_") if op.is_inplace else (name, "")
    base = OTHERS.get(base, base)
    forms = forms_of(base + suffix)
    known = base + suffix if base + suffix in FORMS else base
    form = forms[0] if len(forms) == 1 else choose(known, arguments, list(values))
    if arguments.get("out") is not None:
        return space, base, forms[0]
    return space, base + suffix, form


def choose(name: str, arguments: dict[str, Any], values: list[Any]) -> str:
    """Return the overload of an operation that has several."""
    second = values[1] if len(values) > 1 else None
    if name in CHOICES:
        return CHOICES[name](arguments, values)
    if FORMS[name] == OPERAND:
        if name in ("add", "sub", "mul"):
            return "Tensor"  # PyTorch makes tensors of numbers
        operand = values[2] if name in ("lerp", "masked_fill") else second
        return OPERAND[not isinstance(operand, Tensor)]
    if "dim" in FORMS[name]:
        if arguments.get("dim") is None:
            return "default"
        return "dims" if "dims" in FORMS[name] and isinstance(arguments["dim"], (tuple, list)) else "dim"
    if name.startswith("clamp"):
        return FORMS[name][any(isinstance(value, Tensor) for value in values[1:])]
    return FORMS[name][0]


def _of_numbers(first: str, second: str, third: str) -> Callable[[dict[str, Any], list[Any]], str]:
    """The overload by which of two operands is a number: none, the second, the first."""
    def form(arguments: dict[str, Any], values: list[Any]) -> str:
        if not isinstance(values[0], Tensor):
            return third
        return first if isinstance(values[1], Tensor) else second

    return form


def _scatter(arguments: dict[str, Any], values: list[Any]) -> str:
    form = "src" if isinstance(values[3], Tensor) else "value"
    if arguments.get("reduce") is None:
        return form
    return "reduce" if form == "src" else "value_reduce"


def _arange(arguments: dict[str, Any], values: list[Any]) -> str:
    return "default" if arguments.get("end") is None else "start"


CHOICES: dict[str, Callable[[dict[str, Any], list[Any]], str]] = {
    "arange": _arange,
    "argsort": lambda arguments, values: "default" if arguments.get("stable") is None else "stable",
    "bernoulli": lambda arguments, values: "default" if arguments.get("p") is None else "p",
    "bernoulli_": lambda arguments, values: "Tensor" if isinstance(arguments.get("p"), Tensor) else "float",
    "bitwise_left_shift": _of_numbers("Tensor", "Tensor_Scalar", "Scalar_Tensor"),
    "bitwise_right_shift": _of_numbers("Tensor", "Tensor_Scalar", "Scalar_Tensor"),
    "div": lambda arguments, values: "Tensor" if arguments.get("rounding_mode") is None else "Tensor_mode",
    "index_fill": lambda arguments, values: "int_Tensor" if isinstance(values[3], Tensor) else "int_Scalar",
    "pow": _of_numbers("Tensor_Tensor", "Tensor_Scalar", "Scalar"),
    "prod": lambda arguments, values: "default" if arguments.get("dim") is None else "dim_int",
    "round": lambda arguments, values: "decimals" if arguments.get("decimals") else "default",
    "rsub": lambda arguments, values: "Tensor" if isinstance(values[1], Tensor) else "Scalar",
    "scatter": _scatter,
    "sort": lambda arguments, values: "default" if arguments.get("stable") is None else "stable",
    "split": lambda arguments, values: "sizes" if isinstance(values[1], (tuple, list)) else "Tensor",
    "std": lambda arguments, values: "correction",
    "std_mean": lambda arguments, values: "correction",
    "sum": lambda arguments, values: "default" if arguments.get("dim") is None else "dim_IntList",
    "var": lambda arguments, values: "correction",
    "var_mean": lambda arguments, values: "correction",
    "view": lambda arguments, values: "default",
    "where": lambda arguments, values: "self",
    "xlogy": _of_numbers("Tensor", "Scalar_Other", "Scalar_Self"),
}


# ---- one operation here, which is another or several there

def _matmul(values: list[Any]) -> str:
    """PyTorch computes products of matrices by mm, where one side has more dims than two by folding these."""
    left, right = values[0].dim(), values[1].dim()
    if left == 1 and right == 1:
        return "dot"
    if right == 1:
        return "mv"
    if right == 2 or (left <= 2 and right <= 2):
        return "mm"
    return "bmm"


def _linear(values: list[Any]) -> str:
    if values[0].dim() == 1 and values[2] is None:
        return "mv"
    return "mm" if values[2] is None else "addmm"


def _attention(values: list[Any]) -> str:
    cpu = "_for_cpu" if values[0].device.type == "cpu" else ""
    return f"_scaled_dot_product_flash_attention{cpu}"


RENAMED: dict[str, Callable[[list[Any]], str]] = {
    "matmul": _matmul, "linear": _linear, "_scaled_dot_product_attention": _attention,
}
