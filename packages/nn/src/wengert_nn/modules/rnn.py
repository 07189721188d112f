"""Recurrent networks: modules that read whole sequences, padded or packed."""

from __future__ import annotations

import math
import warnings
from typing import Any, ClassVar

import wengert
from wengert import Tensor

from wengert_nn import init
from wengert_nn.functional.recurrent import Network
from wengert_nn.functional.recurrent_kinds import GATES, KINDS, check_options
from wengert_nn.modules.module import Module
from wengert_nn.modules.rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from wengert_nn.parameter import Parameter

__all__ = [
    "GRU",
    "LSTM",
    "RNN",
    "GRUCell",
    "LSTMCell",
    "RNNBase",
    "RNNCell",
    "RNNCellBase",
    "apply_permutation",
]

H_SIZE, C_SIZE = "Expected hidden[0] size {}, got {}", "Expected hidden[1] size {}, got {}"


def apply_permutation(tensor: Tensor, permutation: Tensor, dim: int = 1) -> Tensor:
    """Return ``tensor.index_select(dim, permutation)``, with a warning: the name is deprecated."""
    warnings.warn(
        "`apply_permutation` is deprecated, please use `tensor.index_select(dim, permutation)` instead",
        FutureWarning,
        stacklevel=2,
    )
    return tensor.index_select(dim, permutation)


def packed_sequence() -> Any:
    """Return the class PackedSequence: networks of padded sequences do without its module."""
    from wengert_nn.utils.rnn import PackedSequence

    return PackedSequence


class RNNBase(Module):
    """The base class of recurrent networks: their options, parameters and checks.

    mode: "LSTM", "GRU", "RNN_TANH" or "RNN_RELU"; the other options are those of ``LSTM``.
    """

    __constants__: ClassVar[list[str]] = [
        "mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout", "bidirectional",
        "proj_size",
    ]  # fmt: skip
    mode: str
    input_size: int
    hidden_size: int
    num_layers: int
    bias: bool
    batch_first: bool
    dropout: float
    bidirectional: bool
    proj_size: int

    def __init__(
        self,
        mode: str,
        input_size: int,
        hidden_size: int,
        num_layers: int = 1,
        bias: bool = True,
        batch_first: bool = False,
        dropout: float = 0.0,
        bidirectional: bool = False,
        proj_size: int = 0,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        sizes = {"input_size": input_size, "hidden_size": hidden_size, "num_layers": num_layers}
        check_options(mode, bias, batch_first, dropout, sizes, proj_size)
        if dropout > 0 and num_layers == 1:
            warnings.warn(
                "dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
                f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}",
                stacklevel=3,
            )
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights: list[list[str]] = []
        for layer in range(num_layers):
            for suffix in ("", "_reverse")[: self._directions]:
                self._make_layer(layer, suffix, device, dtype)
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self.reset_parameters()

    @property
    def _directions(self) -> int:
        return 2 if self.bidirectional else 1

    def _make_layer(self, layer: int, suffix: str, device: Any, dtype: Any) -> None:
        """Make the parameters of one direction of one layer."""
        rows, output_size = GATES[self.mode] * self.hidden_size, self.proj_size or self.hidden_size
        shapes: dict[str, tuple[int, ...]] = {
            "weight_ih": (rows, output_size * self._directions if layer else self.input_size),
            "weight_hh": (rows, output_size),
        }
        if self.bias:
            shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
        if self.proj_size:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        names = [f"{name}_l{layer}{suffix}" for name in shapes]
        for name, shape in zip(names, shapes.values(), strict=True):
            self.register_parameter(name, Parameter(wengert.empty(shape, device=device, dtype=dtype)))
        self._all_weights.append(names)

    def reset_parameters(self) -> None:
        """Draw all parameters from ``uniform(-1 / sqrt(hidden_size), 1 / sqrt(hidden_size))``."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for parameter in self.parameters():
            init.uniform_(parameter, -bound, bound)

    @property
    def _flat_weights(self) -> list[Any]:
        """The parameters of all layers, in order. See Note [Parameters in forward]."""
        own = self._parameters
        try:
            return [own[name] for name in self._flat_weights_names]
        except KeyError:
            return [getattr(self, name) for name in self._flat_weights_names]

    @property
    def all_weights(self) -> list[list[Any]]:
        """The parameters of each direction of each layer."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    def flatten_parameters(self) -> None:
        """Do nothing: it is for a library that wants all parameters of a network in one piece of memory."""

    def extra_repr(self) -> str:
        """Return the sizes, and the options that are not the default ones."""
        options = {
            "proj_size": 0, "num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0, "bidirectional": False,
        }  # fmt: skip
        changed = {name: getattr(self, name) for name, default in options.items() if getattr(self, name) != default}
        texts = [f"{self.input_size}, {self.hidden_size}", *(f"{name}={value}" for name, value in changed.items())]
        return ", ".join(texts)

    def __getstate__(self) -> dict[str, Any]:
        """Return what is pickled, with the list of weights that PyTorch's networks have among their attributes."""
        return {**super().__getstate__(), "_flat_weights": list(self._flat_weights)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({name: value for name, value in state.items() if name != "_flat_weights"})
        self.__dict__.setdefault("proj_size", 0)

    # ---- checks of a call

    def check_input(self, input: Any, batch_sizes: Any) -> None:
        """Raise the error for an input of another dtype, rank or number of features."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype and not wengert.is_autocast_enabled(input.device.type):
            raise ValueError(
                f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). "
                f"Convert input: input.to({dtype}), or convert model: model.to({input.dtype})"
            )
        expected = 3 if batch_sizes is None else 2
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if input.size(-1) != self.input_size:
            raise RuntimeError(
                f"input.size(-1) must be equal to input_size. Expected {self.input_size}, got {input.size(-1)}"
            )

    def get_expected_hidden_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """Return the shape of the hidden state for an input."""
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0) if self.batch_first else input.size(1)
        return self.num_layers * self._directions, batch, self.proj_size or self.hidden_size

    def check_hidden_size(
        self, hx: Any, expected_hidden_size: tuple[int, int, int], msg: str = "Expected hidden size {}, got {}"
    ) -> None:
        """Raise the error for a state of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Raise the error for an input or a state that does not fit."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """Return a state with its batch in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    # ---- calls

    def _zeros(self, input: Any, batch: int) -> Any:
        """Return the state before the first step."""
        return input.new_zeros(self.num_layers * self._directions, batch, self.proj_size or self.hidden_size)

    def _unsqueeze_state(self, hx: Any, is_batched: bool) -> Any:
        """Return a state as one of a batch. RuntimeError for another rank than that of the input."""
        rank = 3 if is_batched else 2
        if hx.dim() != rank:
            raise RuntimeError(
                f"For {'batched 3-D' if is_batched else 'unbatched 2-D'} input, hx should also be {rank}-D "
                f"but got {hx.dim()}-D tensor"
            )
        return hx if is_batched else hx.unsqueeze(1)

    def _network(self) -> Network:
        return Network(
            KINDS[self.mode], self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
            self.bidirectional, self.proj_size > 0,
        )  # fmt: skip

    def _as_states(self, hx: Any) -> tuple[Any, ...]:
        """Return the tensors of a state."""
        return (hx,)

    def _as_state(self, states: Any) -> Any:
        """Return a state of these tensors."""
        return states[0]

    def forward(self, input: Any, hx: Any = None) -> Any:
        """Return the outputs of the last layer for all steps, and the state after the last step."""
        if isinstance(input, tuple) and isinstance(input, packed_sequence()):
            return self._forward_packed(input, hx)
        rank = input.dim()
        if rank not in (2, 3):
            name = type(self).__name__
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {rank}D {'tensor ' * (name == 'RNN')}instead")
        batch_dim = 0 if self.batch_first else 1
        if rank == 2:
            input = input.unsqueeze(batch_dim)
        hx = self._zeros(input, input.size(batch_dim)) if hx is None else self._unsqueeze_state(hx, rank == 3)
        self.check_forward_args(input, hx, None)
        output, *states = self._network().run_padded(input, self._as_states(hx), self.batch_first)
        if rank == 2:
            output = output.squeeze(batch_dim)
            states = [state.squeeze(1) for state in states]
        return output, self._as_state(states)

    def _forward_packed(self, input: Any, hx: Any) -> tuple[Any, Any]:
        """Return the outputs, packed as the input, and the state after the last step of each sequence."""
        data, batch_sizes, sorted_indices, unsorted_indices = input
        hx = self._zeros(data, int(batch_sizes[0])) if hx is None else self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(data, hx, batch_sizes)
        output, *states = self._network().run_packed(data, batch_sizes, self._as_states(hx))
        packed = packed_sequence()(output, batch_sizes, sorted_indices, unsorted_indices)
        return packed, self.permute_hidden(self._as_state(states), unsorted_indices)


class RNN(RNNBase):
    """Compute ``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or with relu, for all steps of a sequence.

    ``RNN(input_size, hidden_size, num_layers=1, nonlinearity="tanh", bias=True, batch_first=False, dropout=0.0,
    bidirectional=False, device=None, dtype=None)``. nonlinearity: "tanh" or "relu". The other arguments, shapes and
    names of parameters are those of ``LSTM``; the state is one tensor.

    >>> import wengert as wg
    >>> network = wg.nn.RNN(10, 20, 2)
    >>> output, h = network(wg.ones(5, 3, 10))
    >>> output.shape, h.shape
    (torch.Size([5, 3, 20]), torch.Size([2, 3, 20]))
    """

    nonlinearity: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{nonlinearity.upper()}", *args, **kwargs)
        self.nonlinearity = nonlinearity


class LSTM(RNNBase):
    """Compute a long short-term memory for all steps of a sequence.

    In each step and layer ``i, f, o = sigmoid(W_ih x + b_ih + W_hh h + b_hh)``, ``g = tanh`` of such a sum,
    ``c' = f * c + i * g`` and ``h' = o * tanh(c')``, which is the x of the next layer.

    ``LSTM(input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0, bidirectional=False,
    proj_size=0, device=None, dtype=None)``. input_size, hidden_size: features of the first x, and of h and c. bias:
    whether there are biases. batch_first: whether padded sequences are ``(N, L, features)`` rather than
    ``(L, N, features)``. dropout: the probability of a zero in the outputs of all layers but the last one.
    bidirectional: whether each layer also reads the sequence from its end; both outputs are joined. proj_size: unless
    0, h is ``W_hr h'`` with so many features.

    Called with a sequence, ``(L, N, input_size)``, ``(L, input_size)`` or a PackedSequence, and the pair (h, c), zeros
    by default, of shape ``(layers * directions, N, features)``. Returns the outputs of the last layer and the pair
    after the last step. Parameters: ``weight_ih_l0``, ``weight_hh_l0``, ``bias_ih_l0``, ``bias_hh_l0``,
    ``weight_hr_l0``, with ``_reverse`` at their ends for the other direction; the weights of i, f, g and o stand one
    below the other. They are drawn from ``uniform(-1 / sqrt(hidden_size), 1 / sqrt(hidden_size))``.

    >>> import wengert as wg
    >>> network = wg.nn.LSTM(10, 20, 2, bidirectional=True)
    >>> output, (h, c) = network(wg.ones(5, 3, 10))
    >>> output.shape, h.shape, c.shape
    (torch.Size([5, 3, 40]), torch.Size([4, 3, 20]), torch.Size([4, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Any, batch_sizes: Any) -> tuple[int, int, int]:
        """Return the shape of the cell state for an input."""
        return *self.get_expected_hidden_size(input, batch_sizes)[:2], self.hidden_size

    def check_forward_args(self, input: Any, hidden: Any, batch_sizes: Any) -> None:
        """Raise the error for an input or a state that does not fit."""
        self.check_input(input, batch_sizes)
        h, c = hidden
        self.check_hidden_size(h, self.get_expected_hidden_size(input, batch_sizes), H_SIZE)
        self.check_hidden_size(c, self.get_expected_cell_size(input, batch_sizes), C_SIZE)

    def permute_hidden(self, hx: Any, permutation: Any) -> Any:
        """Return a state with its batch in another order."""
        return hx if permutation is None else tuple(one.index_select(1, permutation) for one in hx)

    def _zeros(self, input: Any, batch: int) -> Any:
        h = super()._zeros(input, batch)
        return h, input.new_zeros(h.shape[0], batch, self.hidden_size) if self.proj_size else h

    def _unsqueeze_state(self, hx: Any, is_batched: bool) -> Any:
        h, c = hx
        rank = 3 if is_batched else 2
        if h.dim() != rank or c.dim() != rank:
            raise RuntimeError(
                f"For {'batched 3-D' if is_batched else 'unbatched 2-D'} input, hx and cx should also be {rank}-D "
                f"but got ({h.dim()}-D, {c.dim()}-D) tensors"
            )
        return hx if is_batched else (h.unsqueeze(1), c.unsqueeze(1))

    def _as_states(self, hx: Any) -> tuple[Any, ...]:
        return tuple(hx)

    def _as_state(self, states: Any) -> Any:
        return tuple(states)


class GRU(RNNBase):
    """Compute gated recurrent units for all steps of a sequence.

    In each step and layer ``r, z = sigmoid(W_ih x + b_ih + W_hh h + b_hh)``,
    ``n = tanh(W_ih x + b_ih + r * (W_hh h + b_hh))`` and ``h' = (1 - z) * n + z * h``.

    The arguments are ``input_size, hidden_size, num_layers=1, bias=True, batch_first=False, dropout=0.0`` and
    ``bidirectional=False, device=None, dtype=None``. Their meanings, the shapes and the parameters' names are those of
    ``LSTM``; the state is one tensor, and the weights of r, z and n stand one below the other.

    >>> import wengert as wg
    >>> network = wg.nn.GRU(10, 20, batch_first=True)
    >>> output, h = network(wg.ones(3, 5, 10))
    >>> output.shape, h.shape
    (torch.Size([3, 5, 20]), torch.Size([1, 3, 20]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)
