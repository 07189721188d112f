"""Dtypes of out=: which operators want the very dtype of their result, as torch's do, and what they say of another.

All others take any dtype that the result can be cast to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wengert_core.dtypes.cpp_names import CPP_NAMES, not_implemented_for
from wengert_core.dtypes.dtypes import C_NAMES, dtype
from wengert_core.tensors.tensor import Tensor

FOUND = "Found dtype {out} but expected {result}"
EXPECTED = "Expected out tensor to have dtype {c_result}, but got {c_out} instead"
SCALAR_TYPE = "expected scalar type {result} but found {out}"
NOT_BOOL = "{name} does not support non-boolean outputs."
QUANTILE = "quantile() out tensor must be same dtype as the input tensor"
MATCH = "Expected the dtype for input and out to match, but got {result} for input's dtype and {out} for out's dtype."
HISTOGRAM = (
    "torch.histogram: input tensor and hist tensor should have the same dtype, but got input {c_result} and "
    "hist {c_out}"
)
OBJECT = "Expected object of scalar type {result} but got scalar type {out} for argument 'out'"
TENSORDOT = "tensordot: Expected the output tensor to have dtype {result}, but got an output tensor with dtype {out}"

MESSAGES = {
    **dict.fromkeys(
        "abs bitwise_not ceil clamp conj_physical fft_ifft fft_ihfft floor frac gelu hardshrink lerp neg round sgn "
        "sign softplus softshrink trunc".split(),
        FOUND,
    ),
    **dict.fromkeys(
        "addmv alias_copy argmax argmin as_strided_copy baddbmm cumprod cumsum detach_copy diagonal_copy expand_copy "
        "gather index_add index_copy index_reduce isin linalg_vector_norm log_softmax mean norm "
        "permute_copy prod renorm scatter scatter_add scatter_reduce select_copy slice_copy slice_scatter softmax "
        "split_with_sizes_copy squeeze_copy sum t_copy take_along_dim transpose_copy tril triu unbind_copy unfold_copy "
        "unsqueeze_copy view_as_complex_copy view_as_real_copy view_copy".split(),
        EXPECTED,
    ),
    "addbmm": "self and mat2 must have the same dtype, but got {out} and {result}",
    "all": "all only supports bool tensor for result, got: {out}",
    "amax": MATCH,
    "amin": MATCH,
    "any": "any only supports bool tensor for result, got: {out}",
    "complex": OBJECT,
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes.",
    "histc": HISTOGRAM,
    "index_select": "index_select(): self and result must have the same scalar type",
    "inner": TENSORDOT,
    "isneginf": NOT_BOOL,
    "isposinf": NOT_BOOL,
    "linalg_matrix_norm": "linalg.matrix_norm expected out tensor dtype {result} but got: {out}",
    "linalg_norm": "linalg.norm expected out tensor dtype {result} but got: {out}",
    "linalg_vecdot": "linalg.vecdot: Expected out of dtype{result} but found {out}",
    "logcumsumexp": SCALAR_TYPE,
    "logsigmoid": SCALAR_TYPE,
    "masked_select": "masked_select(): self and result must have the same scalar type",
    "multinomial": "multinomial expects {result} tensor out, got: {out}",
    "nan_to_num": "nan_to_num: dtype of out: {out} should be same as input: {result}",
    "nanquantile": QUANTILE,
    "nansum": "nansum: provided dtype must match dtype of result. Got {out} and {result}.",
    "narrow_copy": "Expected self.dtype() == output.dtype() to be true, but got false.",
    "nonzero": "nonzero: Expected out tensor to have scalar type {result} but got scalar type{out}",
    "polar": OBJECT,
    "quantile": QUANTILE,
    "signbit": NOT_BOOL,
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {result} and out.dtype = {out}",
    "tensordot": TENSORDOT,
    "where": "Expected out type to be {result} but got {out}",
}
BY_DTYPE = frozenset(("cumprod", "cumsum", "mean", "nansum", "prod", "sum"))
"""Those that want the very dtype only where ``dtype=`` names one."""


TAKES_ANY = frozenset(("bernoulli",))
"""Those whose result is written into any dtype but a complex one."""


def out_dtype_error(name: str, result: dtype, out: dtype, arguments: Mapping[str, Any]) -> str | None:
    """The text of the error for an out= of another dtype than the result's: None where casting decides, "" for none.

    name: the operator's.   arguments: by name, as far as they are known.
    """
    if name == "nansum" and result.is_floating_point and not out.is_floating_point:
        raise not_implemented_for("nansum_cpu", out)
    if name in TAKES_ANY:
        if out.is_complex:
            raise not_implemented_for(f"{name}_tensor_cpu_self_", out)
        return ""
    message = MESSAGES.get(name) or MESSAGES.get(name.removeprefix("_"))
    if message is None or (name in ("all", "any") and {result.name, out.name} <= {"bool", "uint8"}):
        return None
    if name in BY_DTYPE and arguments.get("dtype") is None:
        return None
    if not is_exact(name, arguments):
        return None
    names = {"result": CPP_NAMES[result.name], "out": CPP_NAMES[out.name], "name": name}
    text = message.format(c_result=C_NAMES[result.code], c_out=C_NAMES[out.code], **names)
    return f"{text}: {name}() computes {result!r}, out= is {out!r}"


def is_exact(name: str, arguments: Mapping[str, Any]) -> bool:
    """Whether this call wants the very dtype: abs of a complex tensor, clamp by tensors and lerp by a number do not."""
    if name == "abs":
        return not (isinstance(arguments.get("self"), Tensor) and arguments["self"].dtype.is_complex)
    if name == "clamp":
        return not any(isinstance(arguments.get(bound), Tensor) for bound in ("min", "max"))
    if name == "lerp":
        weight = arguments.get("weight")
        return isinstance(weight, Tensor) and weight.dim() > 0
    return True
