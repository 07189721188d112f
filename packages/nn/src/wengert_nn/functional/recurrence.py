"""One layer of a recurrent network: its steps over a sequence, with a backward pass of its own.

Note [Rows of a sequence]
    A layer reads a tensor [rows, features]: all rows of the first step, then those of the second, and so on. ``sizes``
    has the number of rows of each step. A padded sequence has the same number everywhere; a packed one has fewer and
    fewer, as its shorter sequences end. Row k of a step belongs to row k of the step before.

Note [The backward pass of a layer]
    Autograd would keep each product of a step with the weights, and add up as many gradients of the weights as there
    are steps. ``Recurrence`` computes these gradients by one product for all steps, and what does not depend on the
    step after it for all steps at once. Its backward is the sweep in the other direction. Derivatives of derivatives,
    vmap and forward mode take the composed form, ``compose``, from which autograd derives them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

import wengert
from wengert import Tensor
from wengert.autograd import Function, forward_ad

Step = Callable[..., Any]
"""``step(row, *state)`` returns the output of a step, then its state."""
Sizes = tuple[int, ...]


class Weights:
    """The weights of one direction of one layer; None for those that it does not have."""

    __slots__ = ("b_hh", "b_ih", "w_hh", "w_hr", "w_ih")

    def __init__(self, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None, w_hr: Any = None) -> None:
        self.w_ih, self.w_hh, self.b_ih, self.b_hh, self.w_hr = w_ih, w_hh, b_ih, b_hh, w_hr

    def all(self) -> tuple[Any, ...]:
        """Return them in the order of the constructor."""
        return self.w_ih, self.w_hh, self.b_ih, self.b_hh, self.w_hr


class Kind(Protocol):
    """One kind of recurrent layers: how it computes a step, and the gradients of all steps."""

    def project(self, input: Any, weights: Weights) -> Any:
        """Return the part of the gates that the input decides, for all rows."""

    def step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output is the hidden state."""

    def taped_step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output is a tuple: the hidden state, and what ``gradients`` reads."""

    def gradients(
        self, weights: Weights, tape: Sequence[Any], grads: Sequence[Any], sizes: Sizes, is_reverse: bool
    ) -> tuple[Any, Any, Any, Sequence[Any]]:
        """Return the gradients of the gates from the input, of those from the hidden state, of w_hr, of the state."""


def split_steps(rows: Any, sizes: Sizes) -> Sequence[Any]:
    """Return the rows of each step. See Note [Rows of a sequence]."""
    size = sizes[0]
    steps: Sequence[Any] = rows.split(size if size and size == sizes[-1] else sizes)
    return steps


def split_together(sizes: Sizes, *tensors: Any) -> list[tuple[Any, ...]]:
    """Return for each step its rows of several tensors."""
    return [*zip(*[split_steps(one, sizes) for one in tensors], strict=True)]


def transpose(weight: Any, sizes: Sizes) -> Any:
    """Return a matrix transposed; copied for several steps with several rows, whose products are faster then."""
    return weight.t().contiguous() if sizes[0] > 3 and len(sizes) > 2 else weight.t()


def sweep(
    step: Step, rows: Sequence[Any], state: Sequence[Any], sizes: Sizes, is_reverse: bool
) -> tuple[list[Any], Sequence[Any]]:
    """Run all steps; return their outputs in the order of the rows, and the last state.

    A row that ends before others leaves its state behind; in reverse it starts from its own first state.
    """
    outputs: list[Any] = []
    if sizes[0] != sizes[-1]:
        state = (sweep_growing if is_reverse else sweep_shrinking)(step, rows, state, sizes, outputs)
    else:
        for row in reversed(rows) if is_reverse else rows:
            output, *state = step(row, *state)
            outputs.append(output)
    if is_reverse:
        outputs.reverse()
    return outputs, state


def sweep_shrinking(
    step: Step, rows: Sequence[Any], state: Sequence[Any], sizes: Sizes, outputs: list[Any]
) -> Sequence[Any]:
    """Run the steps of a packed sequence from the first one; return the last state of each row."""
    size = sizes[0]
    ended: list[Sequence[Any]] = []
    for row, now in zip(rows, sizes, strict=True):
        if now != size:
            ended.append([one.narrow(0, now, size - now) for one in state])
            state = [one.narrow(0, 0, now) for one in state]
            size = now
        output, *state = step(row, *state)
        outputs.append(output)
    ended.append(state)
    return [wengert.cat(parts) for parts in zip(*reversed(ended), strict=True)]


def sweep_growing(
    step: Step, rows: Sequence[Any], first: Sequence[Any], sizes: Sizes, outputs: list[Any]
) -> Sequence[Any]:
    """Run the steps of a packed sequence from the last one; return the last state of each row."""
    size = sizes[-1]
    state: Sequence[Any] = [one.narrow(0, 0, size) for one in first]
    for row, now in zip(reversed(rows), reversed(sizes), strict=True):
        if now != size:
            state = [
                wengert.cat((one, start.narrow(0, size, now - size))) for one, start in zip(state, first, strict=True)
            ]
            size = now
        output, *state = step(row, *state)
        outputs.append(output)
    return state


def compose(
    kind: Kind, sizes: Sizes, is_reverse: bool, input: Any, weights: Weights, state: Sequence[Any]
) -> tuple[Any, ...]:
    """Return the outputs of a layer, [rows, features], and its last state."""
    rows = split_steps(kind.project(input, weights), sizes)
    outputs, last = sweep(kind.step(weights, sizes), rows, state, sizes, is_reverse)
    return wengert.cat(outputs), *last


def run_layer(
    kind: Kind, sizes: Sizes, is_reverse: bool, input: Any, weights: Weights, state: Sequence[Any], autocast: bool
) -> tuple[Any, ...]:
    """Return the outputs of a layer, [rows, features], and its last state, recorded in the fastest way.

    autocast: whether it is on; then each operation chooses its dtype.
    """
    if autocast or needs_composed_form(input, weights, state):
        return compose(kind, sizes, is_reverse, input, weights, state)
    results = Recurrence.apply(kind, sizes, is_reverse, input, *weights.all(), *state)
    return tuple(results[: 1 + len(state)])


def needs_composed_form(input: Any, weights: Weights, state: Sequence[Any]) -> bool:
    """Return whether nothing is recorded, or not for the backward pass of a layer, as in forward mode."""
    if not wengert.is_grad_enabled() or input.is_complex():
        return True
    if not any(one is not None and one.requires_grad for one in (*weights.all(), input, *state)):
        return True
    level: int = forward_ad._current_level  # type: ignore[attr-defined]  # computed when it is read
    return level >= 0


class Recurrence(Function):
    """One direction of one layer. See Note [The backward pass of a layer]."""

    @staticmethod
    def forward(kind: Kind, sizes: Sizes, is_reverse: bool, input: Any, *tensors: Any) -> Any:
        """Return the outputs, the last state, and the tape that backward reads."""
        weights, state = Weights(*tensors[:5]), tensors[5:]
        rows = split_steps(kind.project(input, weights), sizes)
        outputs, last = sweep(kind.taped_step(weights, sizes), rows, state, sizes, is_reverse)
        output, *tape = map(wengert.cat, zip(*outputs, strict=True))
        return output, *last, *tape

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        """Save the inputs and the tape."""
        ctx.call = inputs[:3]
        tape = output[len(inputs) - 8 :]  # behind the outputs and the state
        ctx.mark_non_differentiable(*tape)
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs[3:], output[0], *tape)
        ctx.count = len(inputs) - 3

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        """Return the gradients, which can be derived again where the caller wants them to."""
        saved = ctx.saved_tensors
        inputs, tape = saved[: ctx.count], saved[ctx.count :]
        needs = ctx.needs_input_grad[3:]
        if wengert.is_grad_enabled():
            return None, None, None, *composed_gradients(ctx.call, inputs, needs, grads)
        kind, sizes, is_reverse = ctx.call
        weights, state = Weights(*inputs[1:6]), inputs[6:]
        known = [
            wengert.zeros_like(one) if grad is None else grad
            for one, grad in zip((tape[0], *state), grads, strict=False)
        ]
        from_input, from_hidden, for_w_hr, for_state = kind.gradients(weights, tape, known, sizes, is_reverse)
        return (
            None, None, None,
            from_input @ weights.w_ih if needs[0] else None,
            from_input.t() @ inputs[0] if needs[1] else None,
            from_hidden.t() @ tape[-1] if needs[2] else None,
            from_input.sum(0) if needs[3] else None,
            from_hidden.sum(0) if needs[4] else None,
            for_w_hr, *for_state,
        )  # fmt: skip

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], kind: Kind, sizes: Sizes, is_reverse: bool, *inputs: Any) -> Any:
        """Return the outputs and the last state of a batch of layers, with the batch in front."""

        def layer(*tensors: Any) -> Any:
            return compose(kind, sizes, is_reverse, tensors[0], Weights(*tensors[1:6]), tensors[6:])

        return wengert.vmap(layer, in_dims[3:], randomness=info.randomness)(*inputs), 0


def composed_gradients(
    call: tuple[Kind, Sizes, bool], inputs: Sequence[Any], needs: Sequence[bool], grads: Sequence[Any]
) -> list[Any]:
    """Return the gradients of a layer's inputs by autograd through its composed form, with their own history.

    The layer reads aliases of the inputs: one input may have been computed from another one.
    """
    aliases = [one.view_as(one) if need else one for one, need in zip(inputs, needs, strict=True)]
    outputs = compose(*call, aliases[0], Weights(*aliases[1:6]), aliases[6:])
    wanted = [one for one, need in zip(aliases, needs, strict=True) if need]
    pairs = [(one, grad) for one, grad in zip(outputs, grads, strict=False) if grad is not None]
    found = iter(
        wengert.autograd.grad(
            [one for one, _ in pairs], wanted, [grad for _, grad in pairs], create_graph=True, allow_unused=True
        )
        if pairs else [None] * len(wanted)
    )  # fmt: skip
    return [next(found) if need else None for need in needs]


def add_biases(weights: Weights) -> Tensor | None:
    """Return the sum of both biases, or None."""
    return None if weights.b_ih is None else weights.b_ih + weights.b_hh
