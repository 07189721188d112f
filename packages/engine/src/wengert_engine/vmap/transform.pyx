"""Transforms of functions that run in a thread, and writes to what their functions capture: refused, as in torch.

A transform calls its function once or in another order than the program says, so a write to what is neither an input
nor made inside would be seen outside. Memory remembers the transform in which it was made (``Storage.birth``), and the
recorder asks here before a write to memory that is older than the innermost transform.

Compiled: Note [Blocks that Ctrl-C cannot leave open] in core's torch_function.pyx.
"""

from _thread import _local
from itertools import count

from wengert_core.tensors.tensor import Tensor
from wengert_engine.modes import transforms
from wengert_engine.modes.grad_mode import inference_mode, is_inference_mode_enabled
from wengert_engine.record.write_rules import set_captured
from wengert_engine.vmap import level_stack
from wengert_engine.vmap.levels import unwrap_batched

_NUMBERS = count(1)
TENSOR_OR_NUMBER = frozenset({"add_", "sub_", "mul_", "div_", "floor_divide_"})
"""In-place operations whose operand is a tensor in PyTorch's schemas, also where a number is given."""
BY_OPERAND = frozenset({"bitwise_and_", "bitwise_or_", "bitwise_xor_", "eq_", "fill_", "fmod_", "ge_", "gt_", "le_",
                        "lerp_", "lt_", "masked_fill_", "ne_", "pow_", "remainder_"})
"""Those that have a variant for each."""


class State(_local):
    """The transforms that run in this thread.

    depth: how many there are.   leaves: the nodes of leaves that they have made.   of_tangents: the levels of vmap in
    which tangents alone are batched.   refusing: those that refuse writes, the innermost last.
    """

    def __init__(self):
        self.depth, self.leaves, self.of_tangents, self.refusing = 0, set(), set(), []


STATE = State()


class Transform:
    """A context in which the function of a transform runs, as those of ``wengert.func.grad`` and ``jvp``.

    writable: values that the function may write to, beside the tensors that it makes; a write to another tensor raises
    RuntimeError. None: it may write to any tensor.   computes_gradients: inside of vmap, batched tensors say whether
    they require grad.   leaves: those of an earlier transform whose graph is used again. Inference mode is off inside.

    >>> import wengert as wg
    >>> x, y = wg.ones(2), wg.ones(2)
    >>> with Transform(writable=[x]):
    ...     x.add_(1)
    ...     y.add_(1)
    Traceback (most recent call last):
    RuntimeError: During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place ...
    """

    def __init__(self, computes_gradients=True, writable=None, leaves=()):
        self.computes_gradients, self.leaves = computes_gradients, leaves
        self.number, self.before = 0, 0
        self.recording = inference_mode(False) if is_inference_mode_enabled() else None
        if writable is not None:
            self.number = next(_NUMBERS)
            storages = (storage_of(value) for value in writable if isinstance(value, Tensor))
            self.storages = {id(storage): storage for storage in storages}

    def __enter__(self):
        if self.recording is not None:
            self.recording.__enter__()
        if self.number:
            self.before = transforms.guard(self.number)
            STATE.refusing.append(self)
        transforms.count_transforms(1)
        if self.computes_gradients:
            level_stack.count_transforms(1)
        STATE.depth += 1
        STATE.leaves.update(self.leaves)

    def __exit__(self, *error):
        STATE.depth -= 1
        if self.number:
            STATE.refusing.remove(self)
            transforms.guard(self.before)
        transforms.count_transforms(-1)
        if self.computes_gradients:
            level_stack.count_transforms(-1)
        if not STATE.depth:
            STATE.leaves = set()
        if self.recording is not None:
            self.recording.__exit__(*error)

    def allows(self, tensor):
        """Return whether a tensor's memory was made inside, or is that of a writable one."""
        return transforms.birth(tensor) >= self.number or id(storage_of(tensor)) in self.storages


def storage_of(tensor):
    """The storage of a tensor, or of what lies below a batched one."""
    return unwrap_batched(tensor).untyped_storage()


def refuse(tensor, name, other):
    """RuntimeError unless each transform that runs allows a write to a tensor. other: the second operand."""
    if all(one.allows(tensor) for one in STATE.refusing):
        return
    raise RuntimeError(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call in-place operation "
        f"(aten::{overload(name, other)}) that would mutate a captured Tensor. This is not supported; please rewrite "
        "the function being transformed to explicitly accept the mutated Tensor(s) as inputs.")


def overload(name, other):
    """PyTorch's name of an in-place operation with this operand."""
    if name == "set_":
        return "set_.source_Tensor" if isinstance(other, Tensor) else "set_"
    if name in TENSOR_OR_NUMBER:
        return f"{name}.Tensor"
    if name in BY_OPERAND:
        return f"{name}.{'Tensor' if isinstance(other, Tensor) else 'Scalar'}"
    return name


set_captured(refuse)
