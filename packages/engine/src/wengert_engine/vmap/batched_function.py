"""Functions of users under vmap: by their own ``vmap``, or by forward, backward and jvp on batched tensors."""

from __future__ import annotations

from typing import Any, NamedTuple

from wengert_core.tensors.tensor import Tensor

from wengert_engine.function.function_class import Function, FunctionMeta, _member
from wengert_engine.graph.fit import fit
from wengert_engine.messages import errors
from wengert_engine.messages.errors import MORE
from wengert_engine.vmap.batched_tensor import in_dim_of, is_batched, level_of, physical_of, wrap_batched
from wengert_engine.vmap.level_stack import enter, leave, outside, randomness_of, size_of


class VmapInfo(NamedTuple):
    """What a Function's ``vmap`` gets first: the size of the batch, and vmap's randomness."""

    batch_size: int
    randomness: str


def apply_batched(cls: Any, args: tuple[Any, ...]) -> Any:
    """Run a Function on arguments some of which are batched."""
    check_support(cls)
    level = max(level_of(arg) for arg in args if isinstance(arg, Tensor))
    size, randomness = size_of(level), randomness_of(level)
    flags = tuple(isinstance(arg, Tensor) and level_of(arg) == level for arg in args)
    with outside(level - 1):
        if cls.generate_vmap_rule:
            values = [physical_of(arg) if flag else arg for arg, flag in zip(args, flags, strict=True)]
            outputs = physical_function(cls).apply(cls, size, randomness, flags, *values)
            dims: Any = 0
        else:
            shown = tuple(with_dim(arg, level) for arg in args)
            outputs, dims = own_rule(cls.vmap(VmapInfo(size, randomness), tuple(dim for _, dim in shown),
                                              *[value for value, _ in shown]))
        if not isinstance(outputs, (tuple, list)):
            fronted: Any = in_front(outputs, dims)
        else:
            several = dims if isinstance(dims, (tuple, list)) else (dims,) * len(outputs)
            fronted = [in_front(output, dim) for output, dim in zip(outputs, several, strict=True)]
    if isinstance(fronted, list):
        return tuple(wrap_batched(value, level) if flag else value for value, flag in fronted)
    return wrap_batched(fronted[0], level) if fronted[1] else fronted[0]


def with_dim(arg: Any, level: int) -> tuple[Any, Any]:
    """An argument as a Function's own vmap gets it, and its in_dim: the physical tensor, with the batch where vmap was
    given it. Of tuples, lists and dicts the same for each item.
    """
    if isinstance(arg, Tensor):
        if level_of(arg) != level:
            return arg, None
        dim = in_dim_of(arg)
        return physical_of(arg).movedim(0, dim) if dim else physical_of(arg), dim
    if type(arg) is dict:
        pairs = {key: with_dim(value, level) for key, value in arg.items()}
        return {key: value for key, (value, _) in pairs.items()}, {key: dim for key, (_, dim) in pairs.items()}
    if type(arg) in (tuple, list):
        items = [with_dim(value, level) for value in arg]
        return type(arg)(value for value, _ in items), type(arg)(dim for _, dim in items)
    return arg, None


def own_rule(found: Any) -> tuple[Any, Any]:
    """What a Function's own vmap returned, when it is (output, out_dims) and these fit together."""
    if not (isinstance(found, tuple) and len(found) == 2):
        got = f"{len(found)} returns" if isinstance(found, tuple) else f"a {type(found)}"
        raise RuntimeError("Expected the vmap staticmethod to have two returns, an output and out_dims with pytree "
                           f"structure compatible with the output. Got {got} instead")
    outputs, dims = found
    if isinstance(dims, (tuple, list)) and not (type(outputs) is type(dims) and len(outputs) == len(dims)):
        shape = f"{len(outputs)} outputs" if isinstance(outputs, (tuple, list)) else "one output"
        raise RuntimeError("The autograd.Function's vmap staticmethod returned an incompatible (output, out_dims) "
                           f"tuple. Expected out_dims={dims} to be compatible with the structure of `output`: there "
                           f"are {len(dims)} dims for {shape}. {MORE}")
    return outputs, dims


def check_support(cls: Any) -> None:
    """RuntimeError for a Function that cannot be batched."""
    name = cls.__name__
    if not cls._splits_context:
        raise errors.no_setup_context(cls)
    has_own = _member(cls, "vmap") is not _member(Function, "vmap")
    if cls.generate_vmap_rule and has_own:
        raise RuntimeError(f"You tried to vmap over {name}, but it has both generate_vmap_rule=True and an overridden "
                           "vmap staticmethod. Please set generate_vmap_rule=False or delete the overridden vmap "
                           f"staticmethod to avoid ambiguity. {MORE}")
    if not (cls.generate_vmap_rule or has_own):
        raise RuntimeError(f"You tried to vmap over {name}, but it does not have vmap support. Please override and "
                           f"implement the vmap staticmethod or set generate_vmap_rule=True. {MORE} "
                           "(see docs/errors/custom-function)")


def in_front(value: Any, dim: int | None) -> tuple[Any, bool]:
    """An output with the batch in dim 0, and whether it has one."""
    if dim is None or not isinstance(value, Tensor):
        return value, False
    return value.movedim(dim, 0) if dim else value, True


class Context:
    """The ctx of a Function's methods while they see batched tensors: what they save is physical."""

    def __init__(self, ctx: Any) -> None:
        self._outer = ctx
        self._flags: tuple[bool, ...] = ()
        self._forward_flags: tuple[bool, ...] = ()
        self._level = 0
        self._is_forward = False

    def save_for_backward(self, *tensors: Any) -> None:
        """Save tensors for backward."""
        self._flags = tuple(map(is_at(self._level), tensors))
        self._outer.save_for_backward(*map(plain(self._level), tensors))

    def save_for_forward(self, *tensors: Any) -> None:
        """Save tensors for jvp."""
        self._forward_flags = tuple(map(is_at(self._level), tensors))
        self._outer.save_for_forward(*map(plain(self._level), tensors))

    def mark_dirty(self, *tensors: Any) -> None:
        """Tell which inputs forward has modified in-place."""
        self._outer.mark_dirty(*map(plain(self._level), tensors))

    def mark_non_differentiable(self, *tensors: Any) -> None:
        """Tell which outputs are not differentiable."""
        self._outer.mark_non_differentiable(*map(plain(self._level), tensors))

    def set_materialize_grads(self, value: bool) -> None:
        """Whether backward gets zeros or None for outputs without a gradient."""
        self._outer.set_materialize_grads(value)

    @property
    def needs_input_grad(self) -> tuple[bool, ...]:
        """For each argument whether it needs a gradient."""
        needs: tuple[bool, ...] = self._outer.needs_input_grad
        return needs[LEADING:]

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """What was saved."""
        flags = self._forward_flags if self._is_forward else self._flags
        return tuple(wrap_batched(value, self._level) if flag else value
                     for value, flag in zip(self._outer.saved_tensors, flags, strict=True))


LEADING = 4
"""Arguments of Generated before those of the Function."""


def is_at(level: int) -> Any:
    return lambda value: isinstance(value, Tensor) and level_of(value) == level


def plain(level: int) -> Any:
    """A function that gives the physical tensor of one that is batched at a level, and anything else as it is."""
    return lambda value: physical_of(value) if isinstance(value, Tensor) and level_of(value) == level else value


class PhysicalFunction(Function):
    """A Function on physical tensors, whose methods call another one's on batched tensors."""

    generate_vmap_rule = True
    _inside_transforms = True

    @staticmethod
    def forward(cls: Any, size: int, randomness: str, flags: tuple[bool, ...], *values: Any) -> Any:
        level = enter(size, randomness)
        try:
            outputs = cls.forward(*wrap_output(values, flags, level))
            several = outputs if isinstance(outputs, tuple) else (outputs,)
            results = tuple(with_batch(output, level, size) for output in several)
        finally:
            leave()
        return results if isinstance(outputs, tuple) else results[0]

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        cls, size, randomness, flags = inputs[:LEADING]
        values = inputs[LEADING:]
        level = enter(size, randomness)
        try:
            inner = Context(ctx)
            inner._level = level
            several = output if isinstance(output, tuple) else (output,)
            shown = wrap_output(several, tuple(isinstance(value, Tensor) for value in several), level)
            results = tuple(shown) if isinstance(output, tuple) else shown[0]
            cls.setup_context(inner, tuple(wrap_output(values, flags, level)), results)
        finally:
            leave()
        inner._outer = None                # ctx would lead to itself
        ctx.inner, ctx.call = inner, (cls, size, randomness, flags)
        ctx.shapes = tuple((tuple(value.shape)[flag:], value.dtype) if isinstance(value, Tensor) else None
                           for value, flag in zip(values, flags, strict=True))

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        cls, size, randomness, flags = ctx.call
        level = enter(size, randomness)
        inner = ctx.inner
        inner._outer, inner._level = ctx, level
        try:
            given = wrap_output(grads, tuple(grad is not None for grad in grads), level)
            found = cls._run_backward(inner, list(given)) if cls.boxed_grads_call else cls._run_backward(inner, *given)
            found = found if isinstance(found, tuple) else (found,)
            if len(found) < len(flags):
                raise RuntimeError(f"function {cls.__name__}Backward returned an incorrect number of gradients "
                                   f"(expected {len(flags)}, got {len(found)})")
            results = [fit_grad(grad, shape, flag, level, size, cls.__name__, index) for index, (grad, shape, flag)
                       in enumerate(zip(found, ctx.shapes, flags, strict=False))]
        finally:
            inner._outer = None
            leave()
        return (None,) * LEADING + tuple(results)

    @staticmethod
    def jvp(ctx: Any, *tangents: Any) -> Any:
        cls, size, randomness, flags = ctx.call
        level = enter(size, randomness)
        inner = ctx.inner
        inner._outer, inner._level, inner._is_forward = ctx, level, True
        try:
            given = tangents[LEADING:]
            found = cls.jvp(inner, *wrap_output(given, tuple(flag and tangent is not None
                                                         for tangent, flag in zip(given, flags, strict=True)), level))
            several = found if isinstance(found, tuple) else (found,)
            results = tuple(None if tangent is None else with_batch(tangent, level, size) for tangent in several)
        finally:
            inner._outer, inner._is_forward = None, False
            leave()
        return results if isinstance(found, tuple) else results[0]


def physical_function(cls: Any) -> Any:
    """The Generated for a Function: a class of its own, so that nodes are named after it."""
    found = cls.__dict__.get("_vmapped")
    if found is None:
        found = cls._vmapped = FunctionMeta(f"Vmapped{cls.__name__}", (PhysicalFunction,), {})
    return found


def wrap_output(values: Any, flags: tuple[bool, ...], level: int) -> list[Any]:
    return [wrap_batched(value, level) if flag else value for value, flag in zip(values, flags, strict=True)]


def with_batch(value: Any, level: int, size: int) -> Any:
    """The physical tensor of an output, expanded where it is not batched."""
    if not isinstance(value, Tensor):
        return value
    return physical_of(value) if level_of(value) == level else value.expand(size, *value.shape)


def fit_grad(grad: Any, expected: Any, flag: bool, level: int, size: int, name: str, index: int) -> Any:
    """The gradient of a physical input; of one that is not batched, the sum over the batch."""
    if grad is None or expected is None:
        return grad
    shape, dtype = expected
    if isinstance(grad, Tensor) and (tuple(grad.shape) != shape or grad.dtype is not dtype):
        grad = fit(grad, shape, dtype, f"{name}Backward", index)
    if flag:
        return with_batch(grad, level, size)
    return physical_of(grad).sum(0) if is_batched(grad) and level_of(grad) == level else grad * size
