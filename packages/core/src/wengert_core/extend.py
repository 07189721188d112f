"""The face for extenders: what a package that extends wengert imports of wengert-core. Its names are promised to stay.

Names for users (``Tensor``, ``zeros``, ...) stand in ``wengert_core`` itself; all other modules may move. A name is
loaded when it is imported, so that a package pays for what it uses. docs/plugin-reference.md describes each.

>>> from wengert_core.extend import FLOATING, OpTable
>>> table = OpTable("acme")
>>> [dtype.name for dtype in FLOATING]
['float16', 'bfloat16', 'float32', 'float64']
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

NAMES = {
    # Operations
    "OpTable": ("optable.op_table", "OpTable"),
    "Op": ("dispatch.op", "Op"),
    "find_op": ("dispatch.op", "find"),
    "op_names": ("dispatch.op", "names"),
    "library": ("dispatch.op", "library"),
    "SIGNATURES": ("optable.kinds.signatures", "SIGNATURES"),
    "BOOL": ("optable.kinds.base", "BOOL"),
    "INTEGRAL": ("optable.kinds.base", "INTEGRAL"),
    "FLOATING": ("optable.kinds.base", "FLOATING"),
    "COMPLEX": ("optable.kinds.base", "COMPLEX"),
    "REAL": ("optable.kinds.base", "REAL"),
    "NUMERIC": ("optable.kinds.base", "NUMERIC"),
    "FLOATING_COMPLEX": ("optable.kinds.base", "FLOATING_COMPLEX"),
    "EVERY": ("optable.kinds.base", "EVERY"),
    # Devices
    "DevicePlugin": ("devices.plugin", "DevicePlugin"),
    "OutOfMemoryError": ("devices.plugin", "OutOfMemoryError"),
    "CaptureError": ("devices.plugin", "CaptureError"),
    "FusedExpression": ("devices.fused_expression", "FusedExpression"),
    "FusedOperand": ("devices.fused_expression", "FusedOperand"),
    "FusedStep": ("devices.fused_expression", "FusedStep"),
    "step_name": ("devices.fused_expression", "step_name"),
    "step_reference": ("devices.fused_expression", "step_reference"),
    "DEVICES": ("devices.device", "DEVICES"),
    "device": ("devices.device", "device"),
    "device_plugin": ("devices.device", "plugin_of"),
    "plugin_with": ("devices.device", "plugin_with"),
    "device_memory_of": ("exchange.device_memory", "memory_of"),
    "set_device_reader": ("exchange.device_memory", "set_reader"),
    "accelerator_functions": ("backends.accelerator", "functions"),
    "blas_num_threads": ("runtime.blas_lookup", "num_threads"),
    # Layouts
    "LayoutPlugin": ("layouts.plugin", "LayoutPlugin"),
    "layout": ("devices.layout", "layout_called"),
    "layout_plugin": ("layouts.lookup", "plugin_called"),
    "components_of": ("layouts.components", "components_of"),
    "is_strided": ("tensors.tensor", "is_strided_tensor"),
    # Tensors
    "Tensor": ("tensors.tensor", "Tensor"),
    "Size": ("geometry.size", "Size"),
    "move_to_subclass": ("tensors.tensor", "move_to_subclass"),
    "mark_pool": ("tensors.tensor", "mark_pool"),
    "dtype": ("dtypes.dtypes", "dtype"),
    "Result": ("tensors.named_tuple", "Result"),
    "mount": ("tensors.tensor", "mount"),
    "FACT_LISTENERS": ("tensors.facts", "FACT_LISTENERS"),
    "set_tensor_module": ("tensors.tensor", "set_tensor_module"),
    "checked": ("binding.checked_methods", "checked"),
    "default_device_number": ("drivers.create.factory", "default_device_number"),
    "rng_states": ("rng.generator", "get_states"),
    "set_rng_states": ("rng.generator", "set_states"),
    # Calls
    "ArgumentCasts": ("dispatch.argument_casts", "ArgumentCasts"),
    "set_argument_casts": ("dispatch.argument_casts", "set_argument_casts"),
    "casts_again": ("dispatch.argument_casts", "casts_again"),
    "casts_are_cached": ("dispatch.argument_casts", "casts_are_cached"),
    "overloaded_args": ("dispatch.overrides", "overloaded_args"),
    "call_first_override": ("dispatch.overrides", "call_first_override"),
    "FunctionMode": ("binding.function_modes", "FunctionMode"),
    "push_mode": ("binding.function_modes", "push_mode"),
    "pop_mode": ("binding.function_modes", "pop_mode"),
    "active_mode": ("binding.function_modes", "active_mode"),
    "DisableTorchFunction": ("binding.torch_function", "DisableTorchFunction"),
    "DisableTorchFunctionSubclass": ("binding.torch_function", "DisableTorchFunctionSubclass"),
    "EnableTorchFunction": ("binding.torch_function", "EnableTorchFunction"),
    "is_torch_function_enabled": ("binding.torch_function", "is_enabled"),
    "disabled_torch_function": ("binding.torch_function", "_disabled_torch_function_impl"),
    # Text
    "format_tensor": ("api.printing", "format_tensor"),
    # Arguments and errors
    "as_list": ("binding.sequences", "list_items"),
    "short_repr": ("messages.short_repr", "short_repr"),
    "type_words": ("dispatch.op", "type_words"),
    "CPP_NAMES": ("dtypes.cpp_names", "CPP_NAMES"),
    "not_implemented_for": ("dtypes.cpp_names", "not_implemented_for"),
    "invalid_combination": ("messages.signatures", "invalid_combination"),
    "TensorAttributeError": ("messages.tensor_attribute_error", "TensorAttributeError"),
    "warn_user": ("runtime.user_warnings", "warn_user"),
    "LinAlgError": ("drivers.linalg.linalg_error", "LinAlgError"),
}
"""The names of this face: the module below wengert_core that has each, and its name there."""


def __getattr__(name: str) -> Any:
    """A name of the face, loaded now."""
    if name not in NAMES:
        known = ", ".join(sorted(NAMES))
        raise AttributeError(f"module 'wengert_core.extend' has no attribute '{name}'; it has {known}")
    module, there = NAMES[name]
    found = globals()[name] = getattr(import_module(f"wengert_core.{module}"), there)
    return found


def __dir__() -> list[str]:
    return sorted(NAMES)
