from collections.abc import Iterable, Sequence
from typing import Literal, TypeAlias, overload

from wengert.autograd import anomaly_mode as anomaly_mode
from wengert.autograd import forward_ad as forward_ad
from wengert.autograd import function as function
from wengert.autograd import functional as functional
from wengert.autograd import grad_mode as grad_mode
from wengert.autograd import graph as graph
from wengert.autograd import profiler as profiler
from wengert.autograd import profiler_util as profiler_util
from wengert.autograd import variable as variable
from wengert_compat.profiling import kineto_available as kineto_available
from wengert_core.tensors.tensor import Tensor
from wengert_engine import Function as Function
from wengert_engine import backward as backward
from wengert_engine import enable_grad as enable_grad
from wengert_engine import inference_mode as inference_mode
from wengert_engine import no_grad as no_grad
from wengert_engine import set_grad_enabled as set_grad_enabled
from wengert_engine.anomaly.anomaly_mode import AnomalyError as AnomalyError
from wengert_engine.anomaly.anomaly_mode import detect_anomaly as detect_anomaly
from wengert_engine.anomaly.anomaly_mode import set_detect_anomaly as set_detect_anomaly
from wengert_engine.function.nested import NestedIOFunction as NestedIOFunction
from wengert_engine.graph.gradient_edge import GradientEdge
from wengert_engine.hooks.mutation import _unsafe_preserve_version_counter as _unsafe_preserve_version_counter
from wengert_engine.modes.grad_mode import _force_original_view_tracking as _force_original_view_tracking
from wengert_engine.modes.grad_mode import enforce_grad_layout_policy as enforce_grad_layout_policy
from wengert_engine.modes.grad_mode import is_multithreading_enabled as _is_multithreading_enabled
from wengert_engine.modes.grad_mode import is_multithreading_enabled as is_multithreading_enabled
from wengert_engine.modes.grad_mode import set_multithreading_enabled as set_multithreading_enabled
from wengert_engine.namespaces.variable import Variable as Variable
from wengert_engine.record.node_attributes import SavedTensor as SavedTensor
from wengert_formulas.strong_zeros import is_strong_zeros_enabled as is_strong_zeros_enabled
from wengert_formulas.strong_zeros import strong_zeros as strong_zeros
from wengert_gradcheck.gradcheck import gradcheck as gradcheck
from wengert_gradcheck.gradgradcheck import gradgradcheck as gradgradcheck

__all__ = [
    "AnomalyError", "Function", "NestedIOFunction", "SavedTensor", "Variable", "_force_original_view_tracking",
    "_is_multithreading_enabled",
    "backward", "detect_anomaly", "enable_grad",
    "enforce_grad_layout_policy", "grad", "gradcheck", "gradgradcheck", "inference_mode", "is_multithreading_enabled",
    "is_strong_zeros_enabled", "kineto_available", "no_grad", "set_detect_anomaly", "set_grad_enabled",
    "set_multithreading_enabled", "strong_zeros",
]

_Ends: TypeAlias = Tensor | GradientEdge | Iterable[Tensor | GradientEdge]

@overload
def grad(
    outputs: _Ends,
    inputs: _Ends,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: Literal[False] | None = None,
    is_grads_batched: bool = False,
    materialize_grads: Literal[False] = False,
) -> tuple[Tensor, ...]: ...
@overload
def grad(
    outputs: _Ends,
    inputs: _Ends,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    *,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: Literal[True],
) -> tuple[Tensor, ...]: ...
@overload
def grad(
    outputs: _Ends,
    inputs: _Ends,
    grad_outputs: Tensor | Sequence[Tensor | None] | None = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]: ...
