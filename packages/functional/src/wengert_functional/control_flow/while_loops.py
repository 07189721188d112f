"""while_loop and fori_loop: a function called as long as a test holds, or for each number of a range.

Note [Loops under vmap]
    A test that differs between the elements of a batch cannot choose one number of steps. The loop goes on until it is
    False for all of them; a finished element keeps its carry. The body still computes it, and on its final carry may
    have no derivative: 0 * inf would be NaN. So it computes finished elements on their first carry, for which the test
    held, without a graph. An element whose test never holds has no such carry: NaN may reach tensors from outside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert_core import TABLE, int64
from wengert_core.extend import Tensor, short_repr
from wengert_engine.extend import batch_level, unwrap_batched

from wengert_functional.control_flow.constructs import dispatch
from wengert_functional.control_flow.flat import Layout, flatten_tensors, is_number, next_carry
from wengert_functional.control_flow.scans import is_recorded

where, scalar_tensor = TABLE.ops["where"], TABLE.ops["scalar_tensor"]
Flat = list[Any]


def while_loop(cond_fun: Callable[[Any], Any], body_fun: Callable[[Any], Any], init_val: Any) -> Any:
    """Return the first of ``init_val``, ``body_fun(init_val)``, ... for which ``cond_fun`` is False.

    The functions get the carry as one argument, as in ``jax.lax.while_loop``;
    ``torch._higher_order_ops.while_loop(cond_fn, body_fn, carried_inputs)`` has the same order of arguments, and calls
    its functions with the parts of a tuple. All derivatives go through the loop, and vmap: it goes on until all
    elements of the batch are done.

    cond_fun: returns a bool, or a tensor with one element.
    body_fun: returns the next carry, of the same structure, shapes, dtypes and devices.
    init_val: a tensor, number or array, or a nest of them in tuples, lists and dicts. None is no tensor.
    RuntimeError for a carry that changes; TypeError for a test that is no bool and not one element.

    >>> import wengert as wg
    >>> wg.func.while_loop(lambda x: x < 100, lambda x: x * x, wg.tensor([3.0]))
    tensor([6561.])
    >>> wg.func.grad(lambda x: wg.func.while_loop(lambda y: y < 10, lambda y: y * x, x))(wg.tensor(3.0))
    tensor(27.)
    """
    check_callables("while_loop", cond_fun=cond_fun, body_fun=body_fun)
    carry, layout = flatten_tensors("while_loop", "init_val", init_val)
    test = Test(cond_fun, layout)
    body = Body("while_loop", body_fun, layout)
    return layout.rebuild(dispatch("while_loop", run_while, test, body, carry))


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any, Any], Any], init_val: Any, *,
              unroll: int | bool | None = None) -> Any:
    """Return the last carry of ``carry = body_fun(i, carry)`` for the integers i from ``lower`` up to before ``upper``.

    The order of the arguments is that of ``jax.lax.fori_loop``; PyTorch has no such function.

    lower, upper: ints, or integer tensors with one element, which may differ between the elements of a vmap.
    body_fun: a function ``(i, carry) -> carry``; i is an int64 tensor without dims, the carry keeps its structure,
    shapes, dtypes and devices.
    init_val: a tensor, number or array, or a nest of them in tuples, lists and dicts. None is no tensor.
    unroll: accepted for JAX; it changes nothing.
    RuntimeError for a carry that changes; TypeError for a bound that is no integer.

    >>> import wengert as wg
    >>> wg.func.fori_loop(0, 4, lambda i, x: x + i * x, wg.tensor(1.0))
    tensor(24.)
    """
    check_callables("fori_loop", body_fun=body_fun)
    check_bound("lower", lower)
    check_bound("upper", upper)
    carry, layout = flatten_tensors("fori_loop", "init_val", init_val)
    body = IndexedBody(body_fun, layout)
    return layout.rebuild(dispatch("fori_loop", run_fori, lower, upper, body, carry))


def check_callables(op: str, **functions: Any) -> None:
    """Raise TypeError for an argument that cannot be called."""
    for name, function in functions.items():
        if not callable(function):
            raise TypeError(f"{op}: expected {name} to be callable, got {short_repr(function)}")


def check_bound(name: str, bound: Any) -> None:
    """Raise TypeError for a bound of a range that is no integer, nor a tensor of one."""
    if isinstance(bound, Tensor):
        if bound.numel() != 1 or bound.is_floating_point() or bound.is_complex():
            raise TypeError(f"fori_loop: expected {name} to be an integer tensor with one element, got "
                            f"{bound.dtype} of shape {list(bound.shape)}")
    elif not hasattr(bound, "__index__"):
        raise TypeError(f"fori_loop: expected {name} to be an int, got {short_repr(bound)}")


class Test:
    """The test of a loop in flat form: a predicate, a bool or a tensor without dims, of a list of tensors."""

    __test__ = False

    def __init__(self, function: Callable[[Any], Any], layout: Layout) -> None:
        self.function, self.layout = function, layout

    def __call__(self, carry: Flat) -> Any:
        found = self.function(self.layout.rebuild(carry))
        if isinstance(found, Tensor):
            if found.numel() == 1:
                return found.reshape(())
        elif is_number(found):
            return bool(found)
        got = f"a tensor of shape {list(found.shape)}" if isinstance(found, Tensor) else short_repr(found)
        raise TypeError(f"while_loop: Expected cond_fn to return a scalar tensor or a bool but got {got}")


class Body:
    """The body of a loop in flat form: lists of tensors to lists of tensors of the same shapes and dtypes."""

    def __init__(self, op: str, function: Callable[[Any], Any], layout: Layout) -> None:
        self.op, self.function, self.layout = op, function, layout

    def __call__(self, carry: Flat) -> Flat:
        return next_carry(self.op, "the body", carry, self.layout, self.function(self.layout.rebuild(carry)))


class IndexedBody:
    """The body of a loop over a range in flat form: ``(index, carry) -> carry``."""

    def __init__(self, function: Callable[[Any, Any], Any], layout: Layout) -> None:
        self.function, self.layout = function, layout

    def __call__(self, index: Any, carry: Flat) -> Flat:
        result = self.function(index, self.layout.rebuild(carry))
        return next_carry("fori_loop", "the body", carry, self.layout, result)


# ---- the plain loops

def run_while(test: Callable[[Flat], Any], body: Callable[[Flat], Flat], carry: Flat) -> Flat:
    """Return the first carry for which the test is False."""
    predicate = test(carry)
    while not is_batched(predicate):
        if not predicate:
            return carry
        carry = body(carry)
        predicate = test(carry)
    return run_batch(predicate, test, body, carry)


def run_batch(active: Any, test: Callable[[Flat], Any], body: Callable[[Flat], Flat], carry: Flat) -> Flat:
    """Return the last carry of each element of a batch; see Note [Loops under vmap]."""
    first = [tensor.detach() for tensor in carry]
    active = active != 0
    while unwrap_batched(active).any():
        inputs = [where(active, tensor, start) if is_recorded(tensor) else tensor
                  for tensor, start in zip(carry, first, strict=True)]
        carry = [where(active, new, old) for new, old in zip(body(inputs), carry, strict=True)]
        active = active & (test(carry) != 0)
    return carry


def run_fori(lower: Any, upper: Any, body: Callable[[Any, Flat], Flat], carry: Flat) -> Flat:
    """Return the carry after all numbers of a range."""
    if is_batched(lower) or is_batched(upper):
        first = lower.reshape(()) if isinstance(lower, Tensor) else scalar_tensor(int(lower), dtype=int64)
        return run_while(lambda state: (state[0] < upper).reshape(()),
                         lambda state: [state[0] + 1, *body(state[0], state[1:])], [first.to(int64), *carry])[1:]
    for index in range(int(lower), int(upper)):
        carry = body(scalar_tensor(index, dtype=int64, device="cpu"), carry)  # it mixes with tensors of all devices
    return carry


def is_batched(value: Any) -> bool:
    """Return whether a value differs between the elements of a vmap."""
    return isinstance(value, Tensor) and batch_level(value) > 0
