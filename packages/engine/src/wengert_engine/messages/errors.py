"""The engine's error messages: torch's exception type and key phrase first, then our facts and the remedy."""

from __future__ import annotations

import re
from typing import Any

from wengert_core.dtypes.dtypes import C_NAMES, SCALAR_NAMES, dtype
from wengert_core.messages.owners import formulas_of
from wengert_core.tensors.tensor import Tensor


def cpp_name(kind: dtype) -> str:
    """The name of a gradient's dtype in torch's messages."""
    return C_NAMES[kind.code]


def type_name(kind: dtype) -> str:
    """The name of a dtype in torch's messages."""
    return SCALAR_NAMES[kind.code]


def tensor_type(dtype: Any) -> str:
    """What torch's messages call a tensor of a dtype: some have no legacy type."""
    name = type_name(dtype)
    return f"CPU{name}Type" if name in ("Bool", "BFloat16", "ComplexFloat", "ComplexDouble") else f"torch.{name}Tensor"


def forward_name(node: str) -> str:
    """The name of what a node is the derivative of, as torch's messages give it: Unbind for UnbindBackward0."""
    return re.sub(r"Backward\d*$", "", node)


def name_node(error: BaseException, node: str) -> None:
    """Add a note with the node that was run to an exception of a hook, a formula, a Function, the memory or Ctrl-C.

    The engine's own errors have a message that says where they come from.
    """
    if isinstance(error, MemoryError | KeyboardInterrupt) or _passed_other_code(error):
        error.add_note(f"raised while {node} was run backward")


def _passed_other_code(error: BaseException) -> bool:
    """Whether any frame that the exception has passed so far is of code outside of the engine."""
    trace = error.__traceback__
    while trace is not None:
        if not str(trace.tb_frame.f_globals.get("__name__", "")).startswith("wengert_engine."):
            return True
        trace = trace.tb_next
    return False


def write_to_leaf(op: str) -> RuntimeError:
    return RuntimeError("a leaf Variable that requires grad is being used in an in-place operation. "
                        f"{op} on it would lose the leaf: write under no_grad(), or work on a clone(), in functions of "
                        "the array API by copy=True (see docs/errors/in-place-on-leaf)")


def write_to_leaf_view(op: str) -> RuntimeError:
    return RuntimeError("a view of a leaf Variable that requires grad is being used in an in-place operation. "
                        f"{op} would change the leaf: write under no_grad(), or work on a clone() of the leaf, in "
                        "functions of the array API by copy=True (see docs/errors/in-place-on-leaf)")


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
    return RuntimeError(f"{made} {subject} {what}. {_VIEW_ADVICE[origin]}{written} (see docs/errors/in-place-on-view)")


def dirty_view_of_several(function: str) -> RuntimeError:
    return RuntimeError("If your Function modifies inplace an input that is a view of another Tensor, your Function "
                        "cannot return more than one Tensor. This is not supported by the current autograd engine. You "
                        "should either make sure the input is not a view (using .clone() for example) or make your "
                        "Function only return one Tensor (potentially splitting it into two Functions: one doing the "
                        "inplace that returns a single Tensor and a second one that does the other operations). The "
                        f"Function is {function} (see docs/errors/in-place-on-view)")


def inference_written(op: str) -> RuntimeError:
    return RuntimeError("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
                        "to get a normal tensor before doing inplace update.See "
                        f"https://github.com/pytorch/rfcs/pull/17 for more details. The operation was {op} "
                        "(see docs/errors/inference-tensors)")


def inference_saved() -> RuntimeError:
    return RuntimeError("Inference tensors cannot be saved for backward. Please do not use Tensors created in "
                        "inference mode in computation tracked by autograd. To work around this, you can make a clone "
                        "to get a normal tensor and use it in autograd, or use `torch.no_grad()` instead of "
                        "`torch.inference_mode()`. (see docs/errors/inference-tensors)")


def saved_detached(node: str, name: str) -> RuntimeError:
    return RuntimeError("Trying to use a saved tensor that has been detached in-place, i.e. with .detach_().This is "
                        f"not supported, please use out-of-place `.detach()` instead: {node} saved {name} "
                        "(see docs/errors/modified-in-place)")


def freed_graph(node: str) -> RuntimeError:
    return RuntimeError("Trying to backward through the graph a second time (or directly access saved tensors after "
                        "they have already been freed). Saved intermediate values of the graph are freed when you "
                        "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward "
                        "through the graph a second time or if you need to access saved tensors after calling "
                        f"backward. The freed node is {node} (see docs/errors/backward-twice)")


def post_accumulate_returned(value: object) -> Exception:
    if isinstance(value, Tensor):
        return RuntimeError("Tensor post accumulate grad hooks should return None. This one returned a tensor; write "
                            "to .grad of the tensor that it is given.")
    return TypeError(f"expected Variable, but hook returned '{type(value).__name__}'")


def leaf_reshaped(grad: tuple[int, ...], leaf: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"AccumulateGrad: the gradient has the shape {list(grad)} that the leaf had when it was used, "
                        f"but the leaf now has shape {list(leaf)}: it was changed in place, or by .data, between "
                        "forward and backward. Run backward before you change it")


def accessed_twice() -> RuntimeError:
    return RuntimeError("saved_tensors can only be accessed once when clear_saved_tensors_on_access=True is set on the "
                        "autograd.Function. Either access saved_tensors only once, or set "
                        "clear_saved_tensors_on_access=False.")


def saved_modified(tensor: str, which: str, saved: int, now: int, traced: bool, saver: str, name: str,
                   writer: str | None) -> RuntimeError:
    hint = ("the backtrace further above shows the operation that failed to compute its gradient. The variable in "
            "question was changed in there or anywhere later. Good luck!" if traced else
            "enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
    written = f" and {writer} wrote to it" if writer is not None else ""
    return RuntimeError("one of the variables needed for gradient computation has been modified by an inplace "
                        f"operation: [{tensor}]{which} is at version {now}; expected version {saved} instead. Hint: "
                        f"{hint} {saver} saved it as {name!r}{written}: clone it before the in-place operation, "
                        "call backward() first, or, where the code is not yours, run it inside of "
                        "torch.autograd.graph.allow_mutation_on_saved_tensors(). (see docs/errors/modified-in-place)")


def packing_writes() -> RuntimeError:
    return RuntimeError("A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack "
                        "hook cannot be modified by in-place operations as this can lead to unexpected side-effects. "
                        "Please open an issue if you need to perform in-place operations on the input to a pack hook.")


def hooks_not_callable() -> TypeError:
    return TypeError("hooks for saved tensors: incompatible function arguments. The following argument types are "
                     "supported: (pack_hook: Callable, unpack_hook: Callable)")


def hooks_of_freed() -> RuntimeError:
    return RuntimeError("Calling register_hooks on a saved tensor after it has been freed. Saved intermediate values "
                        "of the graph are freed when you call .backward() or autograd.grad(). Specify "
                        "retain_graph=True if you need to backward through the graph a second time or if you need to "
                        "access saved variables after calling backward. (see docs/errors/backward-twice)")


def hooks_of_none() -> RuntimeError:
    return RuntimeError("Calling register_hooks on a saved tensor with value None is forbidden")


def hooks_already() -> RuntimeError:
    return RuntimeError("Calling register_hooks on a saved tensor whose hooks have already been set. Hint: only one "
                        "pair of hooks is allowed at a time.")


def unpacked_no_tensor(got: object) -> TypeError:
    return TypeError("Output of saved tensor unpack_hook expected to be a Tensor but got result of type "
                     f"{type(got).__name__}")


def no_grad_fn(index: int) -> RuntimeError:
    return RuntimeError(f"element {index} of tensors does not require grad and does not have a grad_fn: nothing that "
                        "was recorded leads to it. Was it made under no_grad(), detached, or of an integer dtype? "
                        "(see docs/errors/no-grad-fn)")


def implicit_gradient(shape: tuple[int, ...]) -> RuntimeError:
    return RuntimeError("grad can be implicitly created only for scalar outputs: the output has shape "
                        f"{list(shape)}; give its gradient, or reduce it with sum() "
                        "(see docs/errors/non-scalar-output)")


def implicit_real(dtype: object) -> RuntimeError:
    return RuntimeError(f"grad can be implicitly created only for real scalar outputs but got {dtype}: give its "
                        "gradient, or differentiate .abs(), .real or .imag (see docs/errors/non-scalar-output)")


def gradient_shape(index: int, got: tuple[int, ...], expected: tuple[int, ...]) -> RuntimeError:
    return RuntimeError(f"Mismatch in shape: grad_output[{index}] has a shape of torch.Size({list(got)}) and "
                        f"output[{index}] has a shape of torch.Size({list(expected)}). "
                        "(see docs/errors/non-scalar-output)")


def batched_gradient_shape(index: int, got: tuple[int, ...], expected: tuple[int, ...]) -> RuntimeError:
    return RuntimeError("If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
                        "dimension. The sizes of the remaining dimensions are expected to match the shape of "
                        f"corresponding output, but a mismatch was detected: grad_output[{index}] has a shape of "
                        f"torch.Size({list(got)}) and output[{index}] has a shape of torch.Size({list(expected)}). If "
                        "you only want some tensors in `grad_output` to be considered batched, consider using vmap.")


def no_batched_gradients(implicit: list[Any]) -> ValueError:
    return ValueError("vmap: Got in_dim=0 for some input, but that input is a Tensor of dimensionality 0: with "
                      "is_grads_batched=True grad_outputs must be given, with a first dimension that numbers their "
                      f"rows, for each of {len(implicit)} outputs")


def batched_gradient_without_rows(index: int) -> IndexError:
    return IndexError("invalid index of a 0-dim tensor: with is_grads_batched=True the first dimension of each of "
                      f"grad_outputs numbers its rows, and grad_output[{index}] has none")


def complex_for_real(node: str, index: int) -> RuntimeError:
    return RuntimeError("Expected isFloatingType(grad.scalar_type()) || (input_is_complex == grad_is_complex) to be "
                        f"true, but got false: {node} returned a complex gradient at index {index} for a real input. "
                        "Return its real part")


def grad_dtype_mismatch(got: str, wanted: str) -> RuntimeError:
    return RuntimeError(f"attempting to assign a gradient with dtype '{got}' to a tensor with grad_dtype '{wanted}'. "
                        "The gradient must match the tensor's grad_dtype (defaults to the tensor's dtype). You can set "
                        "the tensor's grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
                        "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may break "
                        "downstream systems that assume they match.")


def grad_dtype_in_use(wanted: str, got: str) -> RuntimeError:
    return RuntimeError(f"Cannot set grad_dtype to '{wanted}' because there is already a gradient with dtype '{got}'. "
                        "Please clear the gradient (.grad = None) before changing grad_dtype, or ensure the new "
                        "grad_dtype matches the existing gradient's dtype.")


def gradient_device(node: str | None, index: int, expected: object, got: object) -> RuntimeError:
    said = "invalid gradient" if node is None else f"Function {node} returned an invalid gradient"
    return RuntimeError(f"{said} at index {index} - expected device {expected} but got {got} "
                        "(see docs/errors/device-mismatch)")


def grad_of_other_device(got: Any, expected: Any) -> RuntimeError:
    kinds = (got.type, expected.type) if got.type != expected.type else (str(got), str(expected))
    return RuntimeError(f"attempting to assign a gradient with device type '{kinds[0]}' to a tensor with device type "
                        f"'{kinds[1]}'. Please ensure that the gradient and the tensor are on the same device "
                        "(see docs/errors/device-mismatch)")


def grad_of_other_layout(got: object, expected: object) -> RuntimeError:
    return RuntimeError("attempting to assign a gradient to a tensor that has data of a different type: the gradient "
                        f"has the layout {got!r}, the tensor {expected!r}")


def formula_shape(node: str, index: int, got: list[int], expected: list[int]) -> RuntimeError:
    return RuntimeError(f"Function {node} returned an invalid gradient at index {index} - got {got} but expected shape "
                        f"compatible with {expected}")


def gradient_count(node: str, what: str, got: object, expected: int) -> RuntimeError:
    """A formula's function for several inputs has returned another number of gradients."""
    shown = f"got {len(got)}" if isinstance(got, (tuple, list)) else f"got an object of type {type(got).__name__}"
    return RuntimeError(f"Function {node} returned an incorrect number of gradients (expected {expected}, {shown}): "
                        f"{what} of its formula returns a tuple of {expected}")


def tangent_count(op: Any, got: int, expected: int) -> RuntimeError:
    """A formula's jvp has returned another number of tangents than the op has outputs."""
    return RuntimeError(f"{op.name}: jvp of its formula in {formulas_of(op.owner)} returned {got} tangents, expected "
                        f"{expected}: one for each output of {op.schema}")


def no_tangent(op: Any, index: int, got: object) -> RuntimeError:
    """A formula's jvp has returned something else than a tensor."""
    return RuntimeError(f"{op.name}: jvp of its formula in {formulas_of(op.owner)} returned an object of type "
                        f"{type(got).__name__} as the tangent of output {index}, expected a Tensor or None, for zero")


def unused_input(index: int) -> RuntimeError:
    return RuntimeError(f"The differentiated Tensor at index {index} appears to not have been used in the graph. Set "
                        "allow_unused=True if this is the desired behavior. (see docs/errors/unused-input)")


def input_without_grad(index: int) -> RuntimeError:
    return RuntimeError(f"One of the differentiated Tensors does not require grad: input {index} "
                        "(see docs/errors/no-grad-fn)")


def not_a_tensor(node: str, index: int, got: object) -> RuntimeError:
    return RuntimeError(f"expected Variable or None (got {type(got).__name__}): {node} gave it as the gradient of "
                        f"input {index}")


def none_replaced() -> RuntimeError:
    """For a hook that makes a gradient where the backward came without one."""
    return RuntimeError("can't replace a None gradient with a non-None value: the hook was called because the backward "
                        "came here, but no gradient did; return None")


# ---- custom Functions under transforms of functions
MORE = "For more details, please see https://pytorch.org/docs/main/notes/extending.func.html"


def no_setup_context(function: type) -> RuntimeError:
    return RuntimeError("In order to use an autograd.Function with functorch transforms (vmap, grad, jvp, jacrev, "
                        f"...), it must override the setup_context staticmethod. {MORE}. The Function is "
                        f"{function.__name__} (see docs/errors/custom-function)")
