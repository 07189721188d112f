"""Derivatives of a function at a point: what the differential operators are made of.

Note [Arrays in, arrays out]
    An operator that gets arrays and numbers gives arrays and numbers; one that gets tensors gives tensors. One that is
    called while another one is at work gives arrays inside differentiated code (``ndarray``), which have a history: so
    operators nest.

Note [Complex derivatives are conjugates]
    For a function of complex numbers, HIPS autograd's gradient of u is du/dx - i du/dy, that is u' where u is
    holomorphic; wengert's and PyTorch's is its conjugate. So cotangents and gradients are conjugated on their way in
    and out, and g -> g u' is the product with a Jacobian from the left.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy
import wengert as wg
from wengert import Tensor

from wengert_numpy.autograd_numpy.arrays.faces import DisableTorchFunctionSubclass, as_array
from wengert_numpy.autograd_numpy.containers import call_plain, constant, to_numpy, to_plain, variable
from wengert_numpy.autograd_numpy.depth import STATE, Overrides
from wengert_numpy.autograd_numpy.nested import holds_tensor, leaves_of, map_leaves, with_leaves

differentiate = wg.autograd.grad
REQUIRES_GRAD, NUMEL = Tensor.__dict__["requires_grad"].__get__, Tensor.numel
IS_FLOATING = Tensor.is_floating_point


def evaluate(fun: Callable[..., Any], *args: Any) -> Any:
    """Return what a function gives for variables, recorded."""
    with Overrides():
        return fun(*args)


def finish(value: Any) -> Any:
    """Return a result: arrays of NumPy, or while operators are at work arrays with their history."""
    if STATE.depth:
        return map_leaves(as_array, value) if isinstance(value, (list, tuple, dict)) else as_array(value)
    return to_numpy(value) if isinstance(value, Tensor) else map_leaves(to_numpy, value)


def conjugate(t: Any) -> Any:
    """Return a tensor's conjugate; a real one as it is."""
    return wg.conj_physical(t) if t.is_complex() else t


def gradients(outputs: list[Any], inputs: list[Any], cotangents: Any, retain: bool, create: bool) -> list[Any]:
    """Return the gradients by variables, None for those that the outputs do not depend on.

    cotangents: None for one output with one element.
    """
    with DisableTorchFunctionSubclass():
        if cotangents is not None:
            cotangents = [conjugate(one) for one in cotangents]
        found = differentiate(
            outputs, inputs, cotangents, retain_graph=retain or create, create_graph=create, allow_unused=True
        )
        return [None if one is None else conjugate(one) for one in found]


def warn_independent() -> None:
    """Warn that an output does not depend on the input."""
    warnings.warn("Output seems independent of input.", UserWarning, stacklevel=4)


def zeros_like(variable: Any) -> Any:
    """Return zeros like a variable, as a tensor."""
    return call_plain(wg.zeros_like, variable)


class Point:
    """A function's value at a point, and products of its Jacobian from the left with vectors.

    x: nested containers of arrays and numbers.   y: the value, as the function gives it.
    """

    __slots__ = ("form", "nested", "variables", "y")

    def __init__(self, fun: Callable[[Any], Any], x: Any) -> None:
        self.nested = STATE.depth > 0 or holds_tensor(x)
        if wg.is_grad_enabled():
            self.evaluate(fun, x)
        else:  # in no_grad(), or in a rule of a primitive: this derivative is asked for
            with wg.enable_grad():
                self.evaluate(fun, x)

    def evaluate(self, fun: Callable[[Any], Any], x: Any) -> None:
        """Compute the value, for new variables."""
        if isinstance(x, (list, tuple, dict)):
            self.form: Any = x
            self.variables = [variable(leaf) for leaf in leaves_of(x)]
            self.y = evaluate(fun, with_leaves(x, iter(self.variables)))
        else:
            self.form = None
            self.variables = [variable(x)]
            self.y = evaluate(fun, self.variables[0])

    def vjp(self, cotangent: Any, retain: bool = True) -> Any:
        """Return the product of a vector, of the form of the value, with the Jacobian, of the form of the argument."""
        outputs, vectors = [], []
        for output, vector in zip(leaves_of(self.y), leaves_of(cotangent), strict=True):
            if isinstance(output, Tensor) and call_plain(getattr, output, "requires_grad"):
                outputs.append(output)
                vectors.append(cotangent_of(vector, output))
        if not outputs:
            warn_independent()
            return self.rebuild([zeros_like(one) for one in self.variables])
        create = self.nested or STATE.depth > 0 or holds_tensor(cotangent)
        return self.fill(gradients(outputs, self.variables, vectors, retain, create))

    def gradient(self, retain: bool = False) -> Any:
        """Return the gradient of a value with one element, of the form of the argument."""
        if isinstance(self.y, Tensor) and call_plain(REQUIRES_GRAD, self.y):
            create = self.nested or STATE.depth > 0
            return self.fill(gradients([self.y], self.variables, None, retain, create))
        return self.fill([None] * len(self.variables))

    def fill(self, found: list[Any]) -> Any:
        """Return gradients in the form of the argument, zeros for None; warn where all are None."""
        if all(one is None for one in found):
            warn_independent()
        return self.rebuild([zeros_like(v) if g is None else g for g, v in zip(found, self.variables, strict=True)])

    def rebuild(self, leaves: list[Any]) -> Any:
        """Return leaves in the form of the argument."""
        return leaves[0] if self.form is None else with_leaves(self.form, iter(leaves))

    def finish(self, value: Any) -> Any:
        """Return a result: arrays of NumPy where neither the argument is a tensor nor an operator is at work."""
        if self.nested or STATE.depth:
            return map_leaves(as_array, value)
        return to_numpy(value) if isinstance(value, Tensor) else map_leaves(to_numpy, value)


def expand(vector: Any, target: Any, operator: str, what: str) -> Any:
    """Return a vector with another tensor's shape. ValueError where it cannot be broadcast to it."""
    try:
        return call_plain(wg.broadcast_to, vector, target.shape)
    except RuntimeError as error:
        raise ValueError(
            f"{operator}: expected a vector of shape {tuple(target.shape)}, that of {what}, got {tuple(vector.shape)}"
        ) from error


def cotangent_of(vector: Any, output: Any) -> Any:
    """Return a vector for an output as a tensor of its dtype. ValueError for another shape."""
    t = to_plain(vector)
    with DisableTorchFunctionSubclass():
        if t.shape != output.shape:
            t = expand(t, output, "vjp", "the value")
        if t.is_complex() and not output.is_complex():
            t = wg.real(t)
        return t.to(output.dtype)


def ones_like(y: Any) -> Any:
    """Return ones like a tensor, an array or a number."""
    return call_plain(wg.ones_like, to_plain(y))


def is_real_scalar(y: Any) -> bool:
    """Return whether a value has one element, which is real."""
    if isinstance(y, Tensor):
        return bool(call_plain(NUMEL, y) == 1 and call_plain(IS_FLOATING, y))
    if not isinstance(y, (float, numpy.floating, numpy.ndarray)):
        return False
    return numpy.size(y) == 1 and numpy.asarray(y).dtype.kind == "f"


def push(fun: Callable[[Any], Any], x: Any, tangent: Any) -> tuple[Any, Any]:
    """Return a function's value at a point and the product of its Jacobian with a tangent of the form of the point."""
    nested = STATE.depth > 0 or holds_tensor(x) or holds_tensor(tangent)
    primals = [to_plain(leaf) if isinstance(leaf, Tensor) else constant(leaf) for leaf in leaves_of(x)]
    tangents = [tangent_of(vector, primal) for vector, primal in zip(leaves_of(tangent), primals, strict=True)]
    forms: list[Any] = []

    def of_tensors(*values: Any) -> tuple[Any, ...]:
        y = evaluate(fun, with_leaves(x, map(as_array, [*values])))
        forms.append(y)
        return tuple(to_plain(leaf) for leaf in leaves_of(y))

    ys, y_tangents = call_plain(wg.func.jvp, of_tensors, tuple(primals), tuple(tangents))
    results = with_leaves(forms[0], iter(ys)), with_leaves(forms[0], iter(y_tangents))
    return tuple(map_leaves(as_array if nested else to_numpy, one) for one in results)


def tangent_of(vector: Any, primal: Any) -> Any:
    """Return a vector for an input as a tensor of its dtype."""
    t = to_plain(vector)
    if t.shape != primal.shape:
        t = expand(t, primal, "jvp", "the argument")
    return t.to(primal.dtype)
