from wengert_core.api.printing import format_tensor as format_tensor
from wengert_core.backends.accelerator import functions as _functions
from wengert_core.binding.checked_methods import checked as checked
from wengert_core.binding.function_modes import FunctionMode as FunctionMode
from wengert_core.binding.function_modes import active_mode as active_mode
from wengert_core.binding.function_modes import pop_mode as pop_mode
from wengert_core.binding.function_modes import push_mode as push_mode
from wengert_core.binding.sequences import list_items as _list_items
from wengert_core.binding.torch_function import DisableTorchFunction as DisableTorchFunction
from wengert_core.binding.torch_function import DisableTorchFunctionSubclass as DisableTorchFunctionSubclass
from wengert_core.binding.torch_function import EnableTorchFunction as EnableTorchFunction
from wengert_core.binding.torch_function import _disabled_torch_function_impl as _disabled_torch_function_impl
from wengert_core.binding.torch_function import is_enabled as _is_enabled
from wengert_core.devices.device import DEVICES as DEVICES
from wengert_core.devices.device import device as device
from wengert_core.devices.device import plugin_of as _plugin_of
from wengert_core.devices.device import plugin_with as plugin_with
from wengert_core.devices.fused_expression import FusedExpression as FusedExpression
from wengert_core.devices.fused_expression import FusedOperand as FusedOperand
from wengert_core.devices.fused_expression import FusedStep as FusedStep
from wengert_core.devices.fused_expression import step_name as step_name
from wengert_core.devices.fused_expression import step_reference as step_reference
from wengert_core.devices.layout import layout_called as _layout_called
from wengert_core.devices.plugin import CaptureError as CaptureError
from wengert_core.devices.plugin import DevicePlugin as DevicePlugin
from wengert_core.devices.plugin import OutOfMemoryError as OutOfMemoryError
from wengert_core.dispatch.argument_casts import ArgumentCasts as ArgumentCasts
from wengert_core.dispatch.argument_casts import casts_again as casts_again
from wengert_core.dispatch.argument_casts import casts_are_cached as casts_are_cached
from wengert_core.dispatch.argument_casts import set_argument_casts as set_argument_casts
from wengert_core.dispatch.op import Op as Op
from wengert_core.dispatch.op import find as _find
from wengert_core.dispatch.op import library as library
from wengert_core.dispatch.op import names as _names
from wengert_core.dispatch.op import type_words as type_words
from wengert_core.dispatch.overrides import call_first_override as call_first_override
from wengert_core.dispatch.overrides import overloaded_args as overloaded_args
from wengert_core.drivers.create.factory import default_device_number as default_device_number
from wengert_core.drivers.linalg.linalg_error import LinAlgError as LinAlgError
from wengert_core.dtypes.cpp_names import CPP_NAMES as CPP_NAMES
from wengert_core.dtypes.cpp_names import not_implemented_for as not_implemented_for
from wengert_core.dtypes.dtypes import dtype as dtype
from wengert_core.exchange.device_memory import memory_of as _memory_of
from wengert_core.exchange.device_memory import set_reader as _set_reader
from wengert_core.geometry.size import Size as Size
from wengert_core.layouts.components import components_of as components_of
from wengert_core.layouts.lookup import plugin_called as _plugin_called
from wengert_core.layouts.plugin import LayoutPlugin as LayoutPlugin
from wengert_core.messages.short_repr import short_repr as _short_repr
from wengert_core.messages.signatures import invalid_combination as invalid_combination
from wengert_core.messages.tensor_attribute_error import TensorAttributeError as TensorAttributeError
from wengert_core.optable.kinds.base import BOOL as BOOL
from wengert_core.optable.kinds.base import COMPLEX as COMPLEX
from wengert_core.optable.kinds.base import EVERY as EVERY
from wengert_core.optable.kinds.base import FLOATING as FLOATING
from wengert_core.optable.kinds.base import FLOATING_COMPLEX as FLOATING_COMPLEX
from wengert_core.optable.kinds.base import INTEGRAL as INTEGRAL
from wengert_core.optable.kinds.base import NUMERIC as NUMERIC
from wengert_core.optable.kinds.base import REAL as REAL
from wengert_core.optable.kinds.signatures import SIGNATURES as SIGNATURES
from wengert_core.optable.op_table import OpTable as OpTable
from wengert_core.rng.generator import get_states as _get_states
from wengert_core.rng.generator import set_states as _set_states
from wengert_core.runtime.blas_lookup import num_threads as _num_threads
from wengert_core.runtime.user_warnings import warn_user as warn_user
from wengert_core.tensors.facts import FACT_LISTENERS as FACT_LISTENERS
from wengert_core.tensors.named_tuple import Result as Result
from wengert_core.tensors.tensor import Tensor as Tensor
from wengert_core.tensors.tensor import is_strided_tensor as _is_strided_tensor
from wengert_core.tensors.tensor import mark_pool as mark_pool
from wengert_core.tensors.tensor import mount as mount
from wengert_core.tensors.tensor import move_to_subclass as _move_to_subclass
from wengert_core.tensors.tensor import set_tensor_module as set_tensor_module

NAMES: dict[str, tuple[str, str]]
accelerator_functions = _functions
as_list = _list_items
blas_num_threads = _num_threads
device_memory_of = _memory_of
device_plugin = _plugin_of
disabled_torch_function = _disabled_torch_function_impl
find_op = _find
is_strided = _is_strided_tensor
is_torch_function_enabled = _is_enabled
move_to_subclass = _move_to_subclass
set_device_reader = _set_reader
layout = _layout_called
layout_plugin = _plugin_called
op_names = _names
rng_states = _get_states
set_rng_states = _set_states
short_repr = _short_repr
