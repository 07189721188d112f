"""The engine's error messages: torch's exception type and key phrase first, then our facts and the remedy."""

from __future__ import annotations

import re


def forward_name(node: str) -> str:
    """The name of what a node is the derivative of, as torch's messages give it: Unbind for UnbindBackward0."""
    return re.sub(r"Backward\d*$", "", node)


def write_to_leaf(op: str) -> RuntimeError:
    return RuntimeError("a leaf Variable that requires grad is being used in an in-place operation: "
                        f"{op} on it would lose the leaf. Write under no_grad(), or work on a clone()")


def write_to_leaf_view(op: str) -> RuntimeError:
    return RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation: "
                        f"{op} would change the leaf. Write under no_grad(), or work on a clone() of the leaf")


# What is said of a view that must not be changed by a write, by how it came to be (core's ViewOrigin).
_SEVERAL = ("This view is the output of a function that returns multiple views. Such functions do not allow the output "
            "views to be modified inplace. You should replace the inplace operation by an out-of-place one.")
_CUSTOM = ("This view was created inside a custom Function (or because an input was returned as-is) and the autograd "
           "logic to handle view+inplace would override the custom backward associated with the custom Function, "
           "leading to incorrect gradients. This behavior is forbidden. You can fix this by cloning the output of the "
           "custom Function.")
_MODE = ("Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving "
         "both the view and the inplace either both inside the {} block (if you don't want the inplace to be tracked) "
         "or both outside (if you want the inplace to be tracked).")
_VIEW_ADVICE = {1: _MODE.format("no_grad"), 2: _SEVERAL, 3: _CUSTOM, 4: _MODE.format("inference_mode"),
                5: _MODE.format("no_grad")}


def write_to_view(origin: int, view: str | None, output: int, op: str | None) -> RuntimeError:
    """A write that a view with this origin forbids. view: its node; op: of a write to the view, None: to its base."""
    subject = "is" if op is not None else "its base or another view of its base has been"
    if origin == 4:
        made, mode = "A view was created in inference mode and", " in normal mode"
    elif view is None:
        made, mode = "A view was created in no_grad mode and", " with grad mode enabled"
    else:
        made, mode = f"Output {output} of {forward_name(view)} is a view and", ""
    what = f"being modified inplace{mode}" if op is not None else f"modified inplace{mode}"
    written = f" The write was {op}." if op is not None else ""
    return RuntimeError(f"{made} {subject} {what}. {_VIEW_ADVICE[origin]}{written}")


def dirty_view(outputs: int) -> RuntimeError:
    return RuntimeError("If your Function modifies inplace an input that is a view of another Tensor, your Function "
                        "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
                        "should either make sure the input is not a view (using .clone() for example) or make your "
                        f"Function only return one Tensor: it returned {outputs}")


def inference_written(op: str) -> RuntimeError:
    return RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
                        "to get a normal tensor before doing inplace update.See "
                        f"https://github.com/pytorch/rfcs/pull/17 for more details. The operation was {op}")


def inference_saved() -> RuntimeError:
    return RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in "
                        "inference mode in computation tracked by autograd. To work around this, you can make a clone "
                        "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                        "`torch.inference_mode()`.")


def freed_graph(node: str) -> RuntimeError:
    return RuntimeError("Trying to backward through the graph a second time (or directly access saved tensors after "
                        "they have already been freed). Saved intermediate values of the graph are freed when you "
                        "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
                        "through the graph a second time or if you need to access saved tensors after calling "
                        f"backward. The freed node is {node}")


_CPP_TYPES = {"float32": "torch.FloatTensor", "float64": "torch.DoubleTensor", "float16": "torch.HalfTensor",
              "bfloat16": "CPUBFloat16Type", "complex64": "CPUComplexFloatType", "complex128": "CPUComplexDoubleType",
              "bool": "CPUBoolType", "uint8": "torch.ByteTensor", "int8": "torch.CharTensor",
              "int16": "torch.ShortTensor", "int32": "torch.IntTensor", "int64": "torch.LongTensor"}


def saved_modified(tensor: tuple[str, list[int]], made_by: str | None, output: int, versions: tuple[int, int],
                   saved_by: tuple[str, str]) -> RuntimeError:
    """A saved tensor was written to. tensor: dtype, shape; made_by, output: its node now; versions: saved, now;
    saved_by: node, name there.
    """
    dtype, shape = tensor
    origin = f", which is output {output} of {forward_name(made_by)}," if made_by is not None else ""
    return RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                        f"operation: [{_CPP_TYPES.get(dtype, dtype)} {shape}]{origin} is at version {versions[1]}; "
                        f"expected version {versions[0]} instead. Hint: enable anomaly detection to find the operation "
                        "that failed to compute its gradient, with torch.autograd.set_detect_anomaly(True, "
                        f"check_nan=False). {saved_by[0]} saved it as {saved_by[1]!r}: clone it before it is written "
                        "to, or call backward() first.")


def no_grad_fn(index: int) -> RuntimeError:
    return RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn: nothing that "
                        "was recorded leads to it. Was it made under no_grad(), detached, or of an integer dtype?")


def implicit_gradient(shape: tuple[int, ...]) -> RuntimeError:
    return RuntimeError("grad can be implicitly created only for scalar outputs: the output has shape "
                        f"{list(shape)}; give its gradient, or reduce it with sum()")


def implicit_real(dtype: object) -> RuntimeError:
    return RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {dtype}: give its "
                        "gradient, or differentiate .abs(), .real or .imag")


def gradient_shape(index: int, got: tuple[int, ...], expected: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"Mismatch in shape: grad_output[{index}] has a shape of torch.Size({list(got)}) and "
                        f"output[{index}] has a shape of torch.Size({list(expected)}).")


def formula_shape(node: str, index: int, got: list[int], expected: list[int]) -> RuntimeError:
    return RuntimeError(f"Function {node} returned an invalid gradient at index {index} - got {got} but expected shape "
                        f"compatible with {expected}")


def unused_input(index: int) -> RuntimeError:
    return RuntimeError(f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                        "allow_unused=True if this is the desired behavior.")


def input_without_grad(index: int) -> RuntimeError:
    return RuntimeError(f"One of the differentiated Tensors does not require grad: input {index}")


def not_a_tensor(node: str, index: int, got: object) -> RuntimeError:
    return RuntimeError(f"expected Variable or None (got {type(got).__name__}): {node} gave it as the gradient of "
                        f"input {index}")
