from wengert_compat.overrides import BaseTorchFunctionMode as BaseTorchFunctionMode
from wengert_compat.overrides import TorchFunctionMode as TorchFunctionMode
from wengert_compat.overrides import handle_torch_function as handle_torch_function
from wengert_compat.overrides import has_torch_function as has_torch_function
from wengert_compat.overrides import has_torch_function_unary as has_torch_function_unary
from wengert_compat.overrides import has_torch_function_variadic as has_torch_function_variadic
from wengert_compat.overrides import is_tensor_like as is_tensor_like
from wengert_compat.overrides import wrap_torch_function as wrap_torch_function

__all__ = [
    "BaseTorchFunctionMode",
    "TorchFunctionMode",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "wrap_torch_function",
]
