"""What ``wengert.autograd.functional`` asks of inputs, outputs and vectors, and how it prepares and returns them.

The texts of the errors are PyTorch's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wengert_core import TABLE
from wengert_core.extend import Tensor
from wengert_engine import grad
from wengert_engine.extend import refused_in_transform

from wengert_functional.levels import STATE, without_graph

zeros_like = TABLE.ops["zeros_like"]
OUTPUTS = "outputs of the user-provided function"
STRICT = "This is not allowed in strict mode"
MISSING = {
    "vjp": f"The output of the user-provided function is independent of input {{}}. {STRICT}.",
    "jvp": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the "
           f"double backward trick to compute forward mode gradients. {STRICT}.",
    "vhp": f"The jacobian of the user-provided function is independent of input {{}}. {STRICT}.",
    "hvp": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. "
           f"{STRICT} as it prevents from using the double backward trick to replace forward mode AD.",
}
"""What a derivative that is None means, by function."""
CONSTANT = "The {} of the user-provided function is independent of input {}. " + STRICT + " when create_graph=True."
NO_SECOND = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is "
    f"independent of the input. {STRICT}. You should ensure that your function is twice differentiable and that the "
    "jacobian depends on the inputs (this would be violated by a linear function for example)."
)


def as_tuple(given: Any, name: str, where: str) -> tuple[bool, tuple[Any, ...]]:
    """Whether a tuple was given, and the tensors as a tuple. TypeError for anything else."""
    several = isinstance(given, tuple)
    for index, value in enumerate(given if several else (given,)):
        if not isinstance(value, Tensor):
            found = f"value at index {index}" if several else f"given {name}"
            raise TypeError(f"The {name} given to {where} must be either a Tensor or a tuple of Tensors but the "
                            f"{found} has type {type(value)}.")
    return (True, given) if several else (False, (given,))


def track_inputs(inputs: Sequence[Any], create_graph: bool) -> tuple[Any, ...]:
    """The inputs as the function gets them: what it records ends here, or with create_graph goes on behind them.

    RuntimeError inside of a transform of functions without create_graph: its derivative would be 0 in silence.
    """
    if STATE.depth and not create_graph:
        raise refused_in_transform("requires_grad_")
    return tuple(alias(value) if create_graph else value.detach().requires_grad_() for value in inputs)


def alias(value: Any) -> Any:
    """A view that requires grad: connected where the value requires grad; a forward-mode tangent stays with it."""
    return value.view_as(value) if value.requires_grad else without_graph(value).requires_grad_()


def detach_vector(v: Any, where: str, create_graph: bool) -> tuple[Any, ...]:
    """The vector's tensors; detached unless a graph is wanted."""
    _, tensors = as_tuple(v, "v", where)
    return tensors if create_graph else tuple(tensor.detach() for tensor in tensors)


def check_vector(v: Sequence[Any], like: Sequence[Any], several: bool) -> None:
    """RuntimeError unless a vector has the sizes of the tensors it is multiplied with."""
    if several and len(v) != len(like):
        raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(v)}.")
    if not several and len(v) != 1:
        raise RuntimeError("The given v should contain a single Tensor.")
    for index, (value, other) in enumerate(zip(v, like, strict=True)):
        if value.shape != other.shape:
            entry = f"Entry {index} in v" if several else "v"
            raise RuntimeError(f"{entry} has invalid size: should be {other.shape} but got {value.shape}.")


def input_vector(v: Any, inputs: Sequence[Any], several: bool, where: str, create_graph: bool) -> Any:
    """The vector that fits the inputs; None for one input of one element."""
    if v is not None:
        tensors = detach_vector(v, where, create_graph)
        check_vector(tensors, inputs, several)
        return tensors
    if len(inputs) != 1 or inputs[0].numel() != 1:
        raise RuntimeError("The vector v can only be None if the input to the user-provided function is a single "
                           "Tensor with a single element.")
    return None


def check_outputs(outputs: Sequence[Any], strict: bool) -> None:
    """In strict mode every output requires grad."""
    for index, output in enumerate(outputs if strict else ()):
        if not output.requires_grad:
            raise RuntimeError(f"Output {index} of the user-provided function does not require gradients. The outputs "
                               "must be computed in a differentiable manner from the input when running in strict "
                               "mode.")


def check_single(several: bool, outputs: Sequence[Any], where: str) -> None:
    """RuntimeError unless the outputs are one tensor of one element."""
    if several:
        raise RuntimeError(f"The function given to {where} should return a single Tensor")
    if outputs[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {where} should contain a single element")


def check_first(derivatives: Sequence[Any], strict: bool) -> None:
    """In strict mode every first derivative is there and can be differentiated again."""
    for index, derivative in enumerate(derivatives if strict else ()):
        if derivative is None:
            raise RuntimeError(MISSING["vjp"].format(index))
        if not derivative.requires_grad:
            raise RuntimeError(NO_SECOND.format(index))


def products(outputs: Sequence[Any], inputs: Sequence[Any], v: Sequence[Any] | None, create_graph: bool = False) -> Any:
    """The vector-Jacobian product for each input, or None; of those outputs that require grad."""
    pairs = [(output, None if v is None else v[index]) for index, output in enumerate(outputs)
             if output is not None and output.requires_grad]
    if not pairs:
        return (None,) * len(inputs)
    return grad([output for output, _ in pairs], inputs, [weight for _, weight in pairs], create_graph=create_graph,
                allow_unused=True)


def fill_missing(derivatives: Sequence[Any], like: Sequence[Any], strict: bool, create_graph: bool, where: str) -> Any:
    """Zeros where a derivative is None; in strict mode an error."""
    results = []
    for index, (derivative, other) in enumerate(zip(derivatives, like, strict=True)):
        if strict and derivative is None:
            raise RuntimeError(MISSING[where].format(index))
        if strict and create_graph and not derivative.requires_grad:
            raise RuntimeError(CONSTANT.format("jacobian" if where in ("vjp", "jvp") else "hessian", index))
        results.append(zeros_like(other.detach()) if derivative is None else derivative)
    return tuple(results)


def return_tensors(tensors: Sequence[Any], several: bool, create_graph: bool) -> Any:
    """The tensors as they are returned: alone where one was given, and without a graph unless it is wanted."""
    found = tuple(tensors) if create_graph else tuple(tensor.detach() for tensor in tensors)
    return found if several else found[0]
