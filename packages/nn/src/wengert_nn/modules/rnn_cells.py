"""Cells of recurrent networks: modules that compute one step."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import wengert
from wengert import Tensor

from wengert_nn import init
from wengert_nn.functional.recurrent import gru_cell, lstm_cell, rnn_relu_cell, rnn_tanh_cell
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter

__all__ = ["GRUCell", "LSTMCell", "RNNCell", "RNNCellBase"]


class RNNCellBase(Module):
    """The base class of cells: the parameters ``weight_ih``, ``weight_hh``, ``bias_ih`` and ``bias_hh``."""

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias"]
    input_size: int
    hidden_size: int
    bias: bool
    weight_ih: Tensor
    weight_hh: Tensor

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool,
        num_chunks: int,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size
        self.weight_ih = Parameter(wengert.empty((rows, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(wengert.empty((rows, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(
                name, Parameter(wengert.empty(rows, device=device, dtype=dtype)) if bias else None
            )
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all parameters from ``uniform(-1 / sqrt(hidden_size), 1 / sqrt(hidden_size))``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    def extra_repr(self) -> str:
        """Return the options that are not the default ones."""
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        nonlinearity = self.__dict__.get("nonlinearity", "tanh")
        return text if nonlinearity == "tanh" else f"{text}, nonlinearity={nonlinearity}"

    def _weights(self) -> tuple[Any, Any, Any, Any]:
        """Return the parameters. See Note [Parameters in forward]."""
        own = self._parameters
        try:
            return own["weight_ih"], own["weight_hh"], own["bias_ih"], own["bias_hh"]
        except KeyError:
            return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh

    def _zeros(self, input: Any) -> Any:
        """Return the state before the first step."""
        return input.new_zeros(input.size(0), self.hidden_size)

    def _check_rank(self, value: Any, what: str) -> None:
        """Raise the error for an input or a state that is neither one row nor a batch of them."""
        if value.dim() not in (1, 2):
            raise ValueError(
                f"{type(self).__name__}: Expected {what} to be 1D or 2D, got {value.dim()}D instead: "
                "(batch, features) or (features,)"
            )

    def _step(self, function: Any, input: Tensor, hx: Tensor | None) -> Tensor:
        """Return the next hidden state, for a batch or for one row."""
        if input.dim() == 2 and (hx is None or hx.dim() == 2):
            return function(input, self._zeros(input) if hx is None else hx, *self._weights())  # type: ignore[no-any-return]
        self._check_rank(input, "input")
        if hx is not None:
            self._check_rank(hx, "hidden")
        if input.dim() == 2:
            return function(input, hx, *self._weights())  # type: ignore[no-any-return]
        return self._step(function, input.unsqueeze(0), None if hx is None else hx.unsqueeze(0)).squeeze(0)


class RNNCell(RNNCellBase):
    """Compute ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or with relu.

    input_size, hidden_size: features of x and of h. bias: whether there are b_ih and b_hh. nonlinearity: "tanh" or
    "relu". Called with x, ``(N, input_size)`` or ``(input_size,)``, and h, ``(N, hidden_size)`` or ``(hidden_size,)``,
    zeros by default; returns h'. The parameters are drawn from
    ``uniform(-1 / sqrt(hidden_size), 1 / sqrt(hidden_size))``.

    >>> import wengert as wg
    >>> cell = wg.nn.RNNCell(10, 20)
    >>> h = wg.zeros(3, 20)
    >>> for x in wg.ones(6, 3, 10):
    ...     h = cell(x, h)
    >>> h.shape
    torch.Size([3, 20])
    """

    __constants__: ClassVar[list[str]] = ["input_size", "hidden_size", "bias", "nonlinearity"]
    nonlinearity: str

    def __init__(
        self,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        nonlinearity: str = "tanh",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Compute one step."""
        if self.nonlinearity == "tanh":
            return self._step(rnn_tanh_cell, input, hx)
        if self.nonlinearity == "relu":
            return self._step(rnn_relu_cell, input, hx)
        raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}: RNNCell knows 'tanh' and 'relu'")


class LSTMCell(RNNCellBase):
    """Compute one step of a long short-term memory.

    ``i, f, o = sigmoid(W_ih x + b_ih + W_hh h + b_hh)``, ``g = tanh`` of such a sum, ``c' = f * c + i * g``,
    ``h' = o * tanh(c')``; the weights of i, f, g and o stand one below the other, in this order.
    input_size, hidden_size: features of x, and of h and c. bias: whether there are b_ih and b_hh. Called with x,
    ``(N, input_size)`` or ``(input_size,)``, and the pair (h, c), zeros by default; returns the pair (h', c').
    Source: Hochreiter and Schmidhuber, Long short-term memory, 1997.

    >>> import wengert as wg
    >>> cell = wg.nn.LSTMCell(10, 20)
    >>> state = None
    >>> for x in wg.ones(6, 3, 10):
    ...     state = cell(x, state)
    >>> [part.shape for part in state]
    [torch.Size([3, 20]), torch.Size([3, 20])]
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input: Tensor, hx: Any = None) -> tuple[Tensor, Tensor]:
        """Compute one step."""
        if input.dim() != 2:
            return self._step_of_one(input, hx)
        if hx is None:
            zeros = self._zeros(input)
            hx = (zeros, zeros)
        else:
            for number, state in enumerate(hx):
                if state.dim() != 2:
                    self._check_rank(state, f"hx[{number}]")
        return lstm_cell(input, hx, *self._weights())

    def _step_of_one(self, input: Tensor, hx: Any) -> tuple[Tensor, Tensor]:
        """Compute one step for one row."""
        self._check_rank(input, "input")
        if hx is not None:
            for number, state in enumerate(hx):
                self._check_rank(state, f"hx[{number}]")
            hx = (hx[0].unsqueeze(0), hx[1].unsqueeze(0))
        h, c = self.forward(input.unsqueeze(0), hx)
        return h.squeeze(0), c.squeeze(0)


class GRUCell(RNNCellBase):
    """Compute one step of a gated recurrent unit.

    ``r, z = sigmoid(W_ih x + b_ih + W_hh h + b_hh)``, ``n = tanh(W_ih x + b_ih + r * (W_hh h + b_hh))``,
    ``h' = (1 - z) * n + z * h``; the weights of r, z and n stand one below the other, in this order.
    input_size, hidden_size: features of x and of h. bias: whether there are b_ih and b_hh. Called with x,
    ``(N, input_size)`` or ``(input_size,)``, and h, ``(N, hidden_size)`` or ``(hidden_size,)``, zeros by default;
    returns h'.
    Source: Cho and others, Learning phrase representations using RNN encoder-decoder, 2014.

    >>> import wengert as wg
    >>> wg.nn.GRUCell(10, 20)(wg.ones(3, 10)).shape
    torch.Size([3, 20])
    """

    def __init__(
        self, input_size: int, hidden_size: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        """Compute one step."""
        return self._step(gru_cell, input, hx)
