"""Backward hooks of modules: an identity around the inputs and one around the outputs, whose nodes call the hooks."""

from __future__ import annotations

import functools
import warnings
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import wengert
from wengert import Tensor

NO_INPUT_NEEDS_GRAD = (
    "Full backward hook is firing when gradients are computed with respect to module outputs since no inputs require "
    "gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
    "#torch.nn.Module.register_full_backward_hook for more details."
)


class WrappedHook:
    """A hook that gets the module that it belongs to, of which it holds a weak reference."""

    def __init__(self, hook: Callable[..., Any], module: Any = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if module is not None:
            self.module = weakref.ref(module)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.hook = state["hook"]
        self.with_module = state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


class BackwardHook:
    """The backward hooks of one call of a module.

    The node around the outputs keeps their gradients, which the hooks get with the gradients of the inputs.
    """

    def __init__(self, module: Any, hooks: Sequence[Any], pre_hooks: Sequence[Any]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs: tuple[int, list[int] | None] = (0, None)  # how many arguments, and which of them are tensors
        self.outputs: tuple[int, list[int] | None] = (0, None)

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the arguments of ``forward`` with the tensors among them behind a node with the hooks."""
        args, indices = self.wrap(args, self.on_inputs)
        self.inputs = len(args), indices
        return args

    def setup_output_hook(self, result: Any) -> Any:
        """Return the result of ``forward`` with the tensors in it behind a node that keeps their gradients."""
        outputs = result if isinstance(result, tuple) else (result,)
        wrapped, indices = self.wrap(outputs, self.on_outputs)
        self.outputs = len(outputs), indices
        return wrapped if isinstance(result, tuple) else wrapped[0]

    def wrap(self, values: tuple[Any, ...], hook: Callable[..., Any]) -> tuple[Any, list[int] | None]:
        """Return values with their tensors behind a node with this hook, and the tensors' positions.

        Where none of them requires grad, return the values as they are, and None.
        """
        indices = [index for index, value in enumerate(values) if isinstance(value, Tensor)]
        needs_grad = tuple([values[index].requires_grad for index in indices])
        if True not in needs_grad or not wengert.is_grad_enabled():
            return values, None
        from wengert_nn.base.backward_function import BackwardHookFunction  # late: it loads much of the engine

        tensors = BackwardHookFunction.apply(needs_grad, *[values[index] for index in indices])
        tensors[needs_grad.index(True)].grad_fn.register_hook(hook)
        items = list(values)
        for index, tensor in zip(indices, tensors, strict=True):
            items[index] = tensor
        whole = type(values) is tuple or hasattr(values, "n_fields")  # of torch.return_types: made of one sequence
        return (type(values)(items) if whole else type(values)(*items)), indices

    def on_inputs(self, grads: tuple[Any, ...], _: Any) -> Any:
        """Call the hooks with the gradients of all arguments."""
        if self.grad_outputs is None:  # these gradients have not passed the outputs: a second derivative
            return None
        number, indices = self.inputs
        grad_inputs = with_none(indices or [], grads, number)
        for hook in self.hooks:
            replaced = hook(self.module, grad_inputs, self.grad_outputs)
            if replaced is None:
                continue
            if len(replaced) != len(grad_inputs):
                raise RuntimeError(
                    "Backward hook returned an invalid number of grad_input, "
                    f"got {len(replaced)}, but expected {len(grad_inputs)}"
                )
            grad_inputs = replaced
        self.grad_outputs = None
        return tuple([grad_inputs[index] for index in indices or []])

    def on_outputs(self, _: Any, grads: tuple[Any, ...]) -> Any:
        """Keep the gradients of the outputs, which the pre-hooks may replace."""
        number, indices = self.outputs
        grad_outputs = with_none(indices or [], grads, number)
        for hook in self.pre_hooks:
            replaced = hook(self.module, grad_outputs)
            if replaced is None:
                continue
            if len(replaced) != number:
                raise RuntimeError(
                    "Backward pre hook returned an invalid number of grad_output, "
                    f"got {len(replaced)}, but expected {number}"
                )
            grad_outputs = replaced
        self.grad_outputs = grad_outputs
        if self.inputs[1] is None:
            self.call_without_inputs()
        return tuple([grad_outputs[index] for index in indices or []])

    def call_without_inputs(self) -> None:
        """Call the hooks of a module none of whose arguments requires grad."""
        warnings.warn(NO_INPUT_NEEDS_GRAD, stacklevel=6)
        for hook in self.hooks:
            replaced = hook(self.module, with_none([], (), self.inputs[0]), self.grad_outputs)
            if replaced is not None and not (isinstance(replaced, tuple) and all(one is None for one in replaced)):
                raise RuntimeError(
                    "Backward hook for Modules where no input requires gradient should always return None or None for "
                    "all gradients."
                )
        self.grad_outputs = None


def with_none(indices: Sequence[int], values: Sequence[Any], size: int) -> tuple[Any, ...]:
    """Return a tuple of this size with the values at their positions and None elsewhere."""
    result = [None] * size
    for index, value in zip(indices, values, strict=True):
        result[index] = value
    return tuple(result)


def warn_of_missing_grads(inputs: Any, result: Any, node: Any) -> None:
    """Warn where a backward hook of the deprecated kind does not see all gradients."""
    problem = missing_grads(inputs, result, node)
    if problem:
        warnings.warn(f"Using {problem}", FutureWarning, stacklevel=5)


def missing_grads(inputs: Any, result: Any, node: Any) -> str:
    """Return why a deprecated backward hook on this node does not see all gradients; '' where it does."""
    use_full = "Please use register_full_backward_hook to get the documented behavior."
    for name, values, grads in (("return", result, "grad_output"), ("take as input", inputs, "grad_input")):
        if not all(isinstance(one, Tensor) for one in (values if isinstance(values, tuple) else (values,))):
            return (
                f"non-full backward hooks on a Module that does not {name} a single Tensor or a tuple of Tensors is "
                "deprecated and will be removed in future versions. This hook will be missing some of the "
                f"{grads}. {use_full}"
            )
    results = result if isinstance(result, tuple) else (result,)
    nodes = {one.grad_fn for one in results if one.grad_fn is not None}
    if not nodes or (len(nodes) == 1 and node not in nodes):
        return (
            "a non-full backward hook when outputs are nested in python data structure is deprecated and will be "
            "removed in future versions. This hook will be missing some grad_output."
        )
    if len(nodes) > 1:
        return (
            "a non-full backward hook when outputs are generated by different autograd Nodes is deprecated and will "
            f"be removed in future versions. This hook will be missing some grad_output. {use_full}"
        )
    sources = {one.grad_fn for one in inputs if one.grad_fn is not None}
    if sources != {one[0] for one in node.next_functions}:
        return (
            "a non-full backward hook when the forward contains multiple autograd Nodes is deprecated and will be "
            f"removed in future versions. This hook will be missing some grad_input. {use_full}"
        )
    return ""
