"""Recurrent networks as functions, with torch's signatures: cells, which compute one step, and whole networks.

>>> import wengert as wg
>>> from wengert_nn.functional.recurrent import gru_cell
>>> gru_cell(wg.ones(1, 2), wg.zeros(1, 1), wg.ones(3, 2), wg.ones(3, 1))
tensor([[0.1149]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import wengert
from wengert import Tensor
from wengert.nn.functional import dropout as drop
from wengert.nn.functional import linear

from wengert_nn.functional.recurrence import Kind, Sizes, Weights, run_layer
from wengert_nn.functional.recurrent_kinds import GRU, LSTM, RELU, TANH
from wengert_nn.functional.type_errors import with_type_errors

__all__ = [
    "gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell",
]  # fmt: skip


# ---- cells


# Note [Checks of a cell]
#     Products refuse wrong numbers of features, but what is added and multiplied afterwards is broadcast. A cell
#     compares the sizes that broadcasting would hide, and looks at the others only when a product has failed: a cell is
#     called for each step, and asking for a size costs about a third of a small operation.


def explain_sizes(input: Any, states: Sequence[Any], w_ih: Any, w_hh: Any) -> None:
    """Raise the error for an input or a state that does not fit, where there is one."""
    width, hidden_size = w_ih.size(1), w_hh.size(1)
    if input.size(1) != width:
        raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected {width}")
    batch = input.size(0)
    for number, state in enumerate(states):
        if state.size(0) != batch:
            raise RuntimeError(f"Input batch size {batch} doesn't match hidden{number} batch size {state.size(0)}")
        if state.size(1) != hidden_size:
            raise RuntimeError(
                f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected {hidden_size}"
            )


def explain_states(hx: Any) -> None:
    """Raise the error for what is no pair of a hidden state and a cell state."""
    if not isinstance(hx, (tuple, list)):
        raise TypeError(
            f"lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, not {type(hx).__name__}: "
            "pass the hidden state and the cell state"
        )
    if len(hx) != 2:
        raise RuntimeError(f"lstm_cell expects two hidden states, the hidden one and that of the cell; got {len(hx)}")


@with_type_errors
def lstm_cell(
    input: Tensor, hx: Sequence[Tensor], w_ih: Tensor, w_hh: Tensor, b_ih: Any = None, b_hh: Any = None
) -> tuple[Tensor, Tensor]:
    """Return the hidden state and the cell state after one step of an LSTM.

    input: [batch, features].   hx: hidden state and cell state, [batch, hidden].
    w_ih, w_hh, b_ih, b_hh: the weights of the gates i, f, g, o, one below the other.
    """
    if type(hx) is not tuple or len(hx) != 2:
        explain_states(hx)
    h, c = hx
    batch, size = input.size(0), c.size(1)
    if h.size(0) != batch or c.size(0) != batch or h.size(1) != size:
        explain_sizes(input, hx, w_ih, w_hh)
    try:
        i, f, g, o = (linear(input, w_ih, b_ih) + linear(h, w_hh, b_hh)).split(size, 1)
    except RuntimeError:
        explain_sizes(input, hx, w_ih, w_hh)
        raise
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    return o.sigmoid() * c.tanh(), c


@with_type_errors
def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """Return the hidden state after one step of a gated recurrent unit.

    input: [batch, features].   hx: hidden state, [batch, hidden].
    w_ih, w_hh, b_ih, b_hh: the weights of the gates r, z, n, one below the other.
    """
    size = hx.size(1)
    if input.size(0) != hx.size(0):
        explain_sizes(input, (hx,), w_ih, w_hh)
    try:
        input_r, input_z, input_n = linear(input, w_ih, b_ih).split(size, 1)
        hidden_r, hidden_z, hidden_n = linear(hx, w_hh, b_hh).split(size, 1)
    except (RuntimeError, ValueError):
        explain_sizes(input, (hx,), w_ih, w_hh)
        raise
    n = (input_n + (input_r + hidden_r).sigmoid() * hidden_n).tanh()
    return (hx - n) * (input_z + hidden_z).sigmoid() + n


def add_products(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any, b_hh: Any) -> Any:
    """Return W_ih input + b_ih + W_hh hx + b_hh."""
    if input.size(0) != hx.size(0):
        explain_sizes(input, (hx,), w_ih, w_hh)
    try:
        return linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh)
    except RuntimeError:
        explain_sizes(input, (hx,), w_ih, w_hh)
        raise


@with_type_errors
def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """Return tanh(W_ih input + b_ih + W_hh hx + b_hh): input [batch, features], hx [batch, hidden]."""
    result: Tensor = add_products(input, hx, w_ih, w_hh, b_ih, b_hh).tanh()
    return result


@with_type_errors
def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """Return relu(W_ih input + b_ih + W_hh hx + b_hh): input [batch, features], hx [batch, hidden]."""
    result: Tensor = add_products(input, hx, w_ih, w_hh, b_ih, b_hh).relu()
    return result


# ---- networks


class Network:
    """The layers of a network: their kind, their weights, and the dropout between them."""

    def __init__(
        self, kind: Kind, params: Sequence[Any], has_biases: bool, num_layers: int, dropout: float, train: bool,
        bidirectional: bool, has_projections: bool = False,
    ) -> None:  # fmt: skip
        self.kind, self.num_layers, self.directions = kind, num_layers, 2 if bidirectional else 1
        self.dropout = dropout if train else 0.0
        count = 2 + 2 * has_biases + has_projections
        if len(params) != count * num_layers * self.directions:
            raise RuntimeError(
                f"a network of {num_layers} layers in {self.directions} direction(s) has "
                f"{count * num_layers * self.directions} weights, {count} in each, but params has {len(params)}"
            )
        groups = [params[start : start + count] for start in range(0, len(params), count)]
        if has_projections and not has_biases:
            groups = [(*group[:2], None, None, group[2]) for group in groups]
        self.weights = [Weights(*group) for group in groups]

    def run(self, rows: Any, sizes: Sizes, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Return the outputs of the last layer, [rows, features], and the last states of all layers.

        states: those of the first step, each [layers * directions, batch, hidden].
        """
        autocast = wengert.is_autocast_enabled(rows.device.type)
        if autocast and self.kind is LSTM and self.weights[0].w_hr is None:
            return self.run_in_one_dtype(rows, sizes, states)
        singles = [*zip(*[state.unbind(0) for state in states], strict=True)]
        if len(singles) < len(self.weights):
            raise RuntimeError(f"Expected more hidden states in stacked_rnn: {len(self.weights)}, got {len(singles)}")
        finals = []
        for layer in range(self.num_layers):
            outputs = []
            for direction in range(self.directions):
                number = layer * self.directions + direction
                weights, state = self.weights[number], singles[number]
                if autocast and self.kind is GRU and weights.b_hh is not None:
                    weights.b_hh = weights.b_hh.to(wengert.get_autocast_dtype(rows.device.type))  # as the products
                output, *final = run_layer(self.kind, sizes, direction == 1, rows, weights, state, autocast)
                outputs.append(output)
                finals.append(final)
            rows = outputs[0] if self.directions == 1 else wengert.cat(outputs, 1)
            if self.dropout and layer < self.num_layers - 1:
                rows = drop(rows, self.dropout, True)
        if len(finals) == 1:
            return rows, [one.unsqueeze(0) for one in finals[0]]
        return rows, [wengert.stack(parts) for parts in zip(*finals, strict=True)]

    def run_in_one_dtype(self, rows: Any, sizes: Sizes, states: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Return what ``run`` does, all computed in the dtype of autocast, as PyTorch's fused LSTM does."""
        device = rows.device.type
        dtype = wengert.get_autocast_dtype(device)
        self.weights = [
            Weights(*[None if one is None else one.to(dtype) for one in weights.all()]) for weights in self.weights
        ]
        with wengert.autocast(device, enabled=False):
            return self.run(rows.to(dtype), sizes, [state.to(dtype) for state in states])

    def run_padded(self, input: Any, states: Sequence[Any], batch_first: bool) -> tuple[Any, ...]:
        """Return the outputs for [steps, batch, features], or [batch, steps, features], and the last states."""
        if input.dim() != 3:
            raise IndexError(f"input has {input.dim()} dims, but a padded sequence is [steps, batch, features]")
        if batch_first:
            input = input.transpose(0, 1)
        steps, batch, width = input.shape
        if not steps:
            raise RuntimeError(f"Expected sequence length to be larger than 0 in RNN, got the shape {input.shape}")
        self.check_sizes(batch, width, states)
        output, finals = self.run(input.reshape(steps * batch, width), (batch,) * steps, states)
        output = output.view(steps, batch, output.shape[1])
        return output.transpose(0, 1) if batch_first else output, *finals

    def run_packed(self, data: Any, batch_sizes: Any, states: Sequence[Any]) -> tuple[Any, ...]:
        """Return the outputs for the data of a packed sequence, and the last states."""
        sizes = tuple(batch_sizes.tolist())
        if not sizes or sizes[-1] < 1 or [*sizes] != sorted(sizes, reverse=True) or sum(sizes) != data.shape[0]:
            raise RuntimeError(
                "batch_sizes must be positive, never increase, and sum up to the rows of the data, "
                f"{data.shape[0]}, but they are {[*sizes]}"
            )
        self.check_sizes(sizes[0], data.shape[1], states)
        output, finals = self.run(data, sizes, states)
        return output, *finals

    def check_sizes(self, batch: int, width: int, states: Sequence[Any]) -> None:
        """Raise the error for an input or a state that does not fit."""
        expected = self.weights[0].w_ih.shape[1]
        if width != expected:
            raise RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied: the input has {width} features, but the weights of the "
                f"first layer are for {expected}"
            )
        for state in states:
            if state.shape[1] != batch:
                raise RuntimeError(
                    f"The size of tensor a ({batch}), the batch of the input, must match the size of tensor b "
                    f"({state.shape[1]}), that of the hidden state"
                )


PADDED = ("input", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional", "batch_first")
PACKED = ("data", "batch_sizes", "hx", "params", "has_biases", "num_layers", "dropout", "train", "bidirectional")


def bind(name: str, is_packed: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
    """Return the nine arguments of a network in order. TypeError for others."""
    names = PACKED if is_packed else PADDED
    values = {**dict(zip(names, args, strict=False)), **kwargs}
    is_whole = len(args) + len(kwargs) == len(names) and set(values) == set(names)
    if not is_whole or not all(fits(one, value) for one, value in values.items()):
        raise TypeError(
            f"{name}() received an invalid combination of arguments - got "
            f"({', '.join([*(type(one).__name__ for one in args), *kwargs])}), but expected one of: "
            f"({', '.join(PACKED)}), ({', '.join(PADDED)})"
        )
    return [values[one] for one in names]


def fits(name: str, value: Any) -> bool:
    """Return whether a value can be the argument of a network with this name."""
    if name in ("input", "data", "batch_sizes"):
        return isinstance(value, Tensor)
    if name in ("hx", "params"):
        several = value if isinstance(value, (list, tuple)) else (value,)
        return all(isinstance(one, Tensor) for one in several)
    return isinstance(value, (bool, int) if name != "dropout" else (int, float))


def lstm(*args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    """Return the outputs of an LSTM for a sequence, the last hidden states and the last cell states.

    ``lstm(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`` or
    ``lstm(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)``.
    hx: hidden and cell states, [layers * directions, batch, hidden]. params: the weights of each layer and direction,
    w_ih, w_hh, b_ih, b_hh and w_hr, of which those that a network does not have are left out.
    """
    is_packed = "batch_sizes" in kwargs or (len(args) > 1 and isinstance(args[1], Tensor))
    first, second, *rest = bind("lstm", is_packed, args, kwargs)
    hx = rest.pop(0) if is_packed else second
    if len(hx) != 2:
        raise RuntimeError(f"lstm expects two hidden states, the hidden one and that of the cell; got {len(hx)}")
    batch_first = False if is_packed else rest.pop()
    has_projections: bool = hx[0].shape[2] != hx[1].shape[2]
    params, has_biases, num_layers, dropout, train, bidirectional = rest
    network = Network(
        LSTM, params, has_biases, num_layers, dropout, train, bidirectional, has_projections
    )
    if is_packed:
        output, h, c = network.run_packed(first, second, hx)
    else:
        output, h, c = network.run_padded(first, hx, batch_first)
    return output, h, c


def network_function(name: str, kind: Kind, words: str) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the function of a kind of networks that has one state."""

    def run(*args: Any, **kwargs: Any) -> Any:
        is_packed = "batch_sizes" in kwargs or (len(args) > 2 and isinstance(args[2], Tensor))
        first, second, *rest = bind(name, is_packed, args, kwargs)
        if is_packed:
            hx, *rest = rest
            return Network(kind, *rest).run_packed(first, second, (hx,))
        *rest, batch_first = rest
        return Network(kind, *rest).run_padded(first, (second,), batch_first)

    run.__name__ = run.__qualname__ = name
    run.__doc__ = f"""Return the outputs of {words} for a sequence, and the last hidden states.

    ``{name}(input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)`` or
    ``{name}(data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)``.
    hx: hidden states, [layers * directions, batch, hidden]. params: the weights of each layer and direction, w_ih,
    w_hh, b_ih and b_hh; without biases two of them.
    """
    return run


gru: Callable[..., tuple[Tensor, Tensor]] = network_function("gru", GRU, "gated recurrent units")
rnn_tanh: Callable[..., tuple[Tensor, Tensor]] = network_function("rnn_tanh", TANH, "a recurrent network with tanh")
rnn_relu: Callable[..., tuple[Tensor, Tensor]] = network_function("rnn_relu", RELU, "a recurrent network with relu")
