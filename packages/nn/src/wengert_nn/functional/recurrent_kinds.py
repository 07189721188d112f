"""The kinds of recurrent layers: LSTM, GRU, and the plain one with tanh or relu; and the check of their options."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

from wengert import cat
from wengert.nn.functional import linear

from wengert_nn.functional.recurrence import Kind, Sizes, Step, Weights, add_biases, split_together, sweep, transpose


class PlainKind:
    """h' = activation(W_ih x + b_ih + W_hh h + b_hh)."""

    def __init__(self, activation: str) -> None:
        self.activation = activation

    def project(self, input: Any, weights: Weights) -> Any:
        """Return the part of the gates that the input decides, with both biases."""
        return linear(input, weights.w_ih, add_biases(weights))

    def step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output is the hidden state."""
        w_hh = transpose(weights.w_hh, sizes)
        if self.activation == "tanh":

            def step(row: Any, h: Any) -> Any:
                h = (row + h @ w_hh).tanh()
                return h, h

        else:

            def step(row: Any, h: Any) -> Any:
                h = (row + h @ w_hh).relu()
                return h, h

        return step

    def taped_step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output is the hidden state and the one before it."""
        inner = self.step(weights, sizes)

        def step(row: Any, h: Any) -> Any:
            after, _ = inner(row, h)
            return (after, h), after

        return step

    def gradients(
        self, weights: Weights, tape: Sequence[Any], grads: Sequence[Any], sizes: Sizes, is_reverse: bool
    ) -> tuple[Any, Any, Any, Sequence[Any]]:
        """Return the gradients of the gates, twice, and of the first state."""
        w_hh, output = weights.w_hh, tape[0]
        slope = 1 - output * output if self.activation == "tanh" else (output > 0).to(output.dtype)

        def step(row: Any, d_h: Any) -> Any:
            slope, d_output = row
            d_gates = (d_h + d_output) * slope
            return d_gates, d_gates @ w_hh

        rows = split_together(sizes, slope, grads[0])
        d_gates, d_state = sweep(step, rows, grads[1:], sizes, not is_reverse)
        together = cat(d_gates)
        return together, together, None, d_state


class LSTMKind:
    """i, f, o = sigmoid, g = tanh of W_ih x + b_ih + W_hh h + b_hh; c' = f c + i g; h' = W_hr (o tanh(c'))."""

    def project(self, input: Any, weights: Weights) -> Any:
        """Return the part of the gates that the input decides, with both biases."""
        return linear(input, weights.w_ih, add_biases(weights))

    def step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output is the hidden state."""
        w_hh = transpose(weights.w_hh, sizes)
        size = w_hh.shape[1] // 4

        def step(row: Any, h: Any, c: Any) -> Any:
            i, f, g, o = (row + h @ w_hh).split(size, 1)
            c = f.sigmoid() * c + i.sigmoid() * g.tanh()
            h = o.sigmoid() * c.tanh()
            return h, h, c

        if weights.w_hr is None:
            return step
        w_hr = weights.w_hr.t()

        def step_and_project(row: Any, h: Any, c: Any) -> Any:
            h, _, c = step(row, h, c)
            h = h @ w_hr
            return h, h, c

        return step_and_project

    def taped_step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output has the gates, tanh(c') and the state before the step."""
        w_hh = transpose(weights.w_hh, sizes)
        size = w_hh.shape[1] // 4
        w_hr = None if weights.w_hr is None else weights.w_hr.t()

        def step(row: Any, h: Any, c: Any) -> Any:
            sums = row + h @ w_hh
            gates = sums.sigmoid()
            g = sums.narrow(1, 2 * size, size).tanh()
            i, f, _, o = gates.split(size, 1)
            after = f * c + i * g
            squashed = after.tanh()
            output = o * squashed
            if w_hr is not None:
                output = output @ w_hr
            return (output, gates, g, squashed, c, h), output, after

        return step

    def gradients(
        self, weights: Weights, tape: Sequence[Any], grads: Sequence[Any], sizes: Sizes, is_reverse: bool
    ) -> tuple[Any, Any, Any, Sequence[Any]]:
        """Return the gradients of the gates, twice, of w_hr, and of the first state."""
        _, gates, g, squashed, c, _ = tape
        w_hh, w_hr = weights.w_hh, weights.w_hr
        i, f, _, o = gates.split(g.shape[1], 1)
        not_i, not_f, _, not_o = (1 - gates).split(g.shape[1], 1)
        slopes = cat((g * i * not_i, c * f * not_f, i * (1 - g * g), squashed * o * not_o), 1)
        slope_of_c = o * (1 - squashed * squashed)

        def step(row: Any, d_h: Any, d_c: Any) -> Any:
            slopes, slope_of_c, f, d_output = row
            d_total = d_h + d_output
            d_m = d_total if w_hr is None else d_total @ w_hr
            d_c = d_c + d_m * slope_of_c
            d_gates = cat((d_c, d_c, d_c, d_m), 1) * slopes
            return (d_gates, d_total), d_gates @ w_hh, d_c * f

        rows = split_together(sizes, slopes, slope_of_c, f, grads[0])
        outputs, d_state = sweep(step, rows, grads[1:], sizes, not is_reverse)
        d_gates = cat([one for one, _ in outputs])
        d_w_hr = None if w_hr is None else cat([one for _, one in outputs]).t() @ (o * squashed)
        return d_gates, d_gates, d_w_hr, d_state


class GRUKind:
    """r, z = sigmoid(W x + b + W_hh h + b_hh); n = tanh(W x + b + r (W_hh h + b_hh)); h' = n + z (h - n)."""

    def project(self, input: Any, weights: Weights) -> Any:
        """Return the part of the gates that the input decides; the hidden one is multiplied by r with its bias."""
        return linear(input, weights.w_ih, weights.b_ih)

    def step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output is the hidden state."""
        inner = self.taped_step(weights, sizes)

        def step(row: Any, h: Any) -> Any:
            _, after = inner(row, h)
            return after, after

        return step

    def taped_step(self, weights: Weights, sizes: Sizes) -> Step:
        """Return the step function whose output has the gates, the hidden part of n, and the state before the step."""
        w_hh, b_hh = transpose(weights.w_hh, sizes), weights.b_hh
        size = w_hh.shape[1] // 3

        def step(row: Any, h: Any) -> Any:
            input_r, input_z, input_n = row.split(size, 1)
            hidden = h @ w_hh
            hidden_r, hidden_z, hidden_n = (hidden if b_hh is None else hidden + b_hh).split(size, 1)
            r = (input_r + hidden_r).sigmoid()
            z = (input_z + hidden_z).sigmoid()
            n = (input_n + r * hidden_n).tanh()
            after = (h - n) * z + n
            return (after, r, z, n, hidden_n, h), after

        return step

    def gradients(
        self, weights: Weights, tape: Sequence[Any], grads: Sequence[Any], sizes: Sizes, is_reverse: bool
    ) -> tuple[Any, Any, Any, Sequence[Any]]:
        """Return the gradients of the gates from the input and from the hidden state, and of the first state."""
        _, r, z, n, hidden_n, h = tape
        w_hh = weights.w_hh
        not_z = 1 - z
        slope_n = not_z * (1 - n * n)
        slopes = cat((slope_n * hidden_n * r * (1 - r), (h - n) * z * not_z, slope_n * r), 1)

        def step(row: Any, d_h: Any) -> Any:
            slopes, z, d_output = row
            d_h = d_h + d_output
            d_gates = cat((d_h, d_h, d_h), 1) * slopes
            return (d_gates, d_h), d_gates @ w_hh + d_h * z

        rows = split_together(sizes, slopes, z, grads[0])
        outputs, d_state = sweep(step, rows, grads[1:], sizes, not is_reverse)
        d_hidden, d_total = (cat(parts) for parts in zip(*outputs, strict=True))
        return cat((d_hidden.narrow(1, 0, 2 * n.shape[1]), d_total * slope_n), 1), d_hidden, None, d_state


TANH, RELU, LSTM, GRU = PlainKind("tanh"), PlainKind("relu"), LSTMKind(), GRUKind()
KINDS: dict[str, Kind] = {"RNN_TANH": TANH, "RNN_RELU": RELU, "LSTM": LSTM, "GRU": GRU}
"""The kinds by the ``mode`` of a layer."""
GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}
"""The number of gates by the mode, whose weights stand one below the other."""


def check_options(mode: str, bias: Any, batch_first: Any, dropout: Any, sizes: dict[str, Any], proj_size: int) -> None:
    """Raise the error for an option that no network has."""
    if isinstance(dropout, bool) or not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1:  # type: ignore[operator]
        raise ValueError(
            "dropout should be a number in range [0, 1] representing the probability of an element being zeroed, "
            f"but got {dropout!r}"
        )
    for name, value in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(value, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(value).__name__}")
    for name, value in sizes.items():
        if name != "num_layers" and not isinstance(value, int):
            raise TypeError(f"{name} should be of type int, got: {type(value).__name__}")
        if value <= 0:
            raise ValueError(f"{name} must be greater than zero, but got {value}")
    if proj_size < 0:
        raise ValueError(f"proj_size should be a positive integer or zero to disable projections, but got {proj_size}")
    if proj_size >= sizes["hidden_size"]:
        raise ValueError(f"proj_size has to be smaller than hidden_size, but got {proj_size}, {sizes['hidden_size']}")
    if mode not in GATES:
        raise ValueError(f"Unrecognized RNN mode: {mode}; known are {', '.join(GATES)}")
