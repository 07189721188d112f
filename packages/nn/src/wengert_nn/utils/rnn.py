"""Sequences of different lengths as one tensor: padded, or packed step by step.

>>> import wengert as wg
>>> from wengert_nn.utils.rnn import pack_sequence, pad_packed_sequence
>>> packed = pack_sequence([wg.tensor([1, 2, 3]), wg.tensor([4])])
>>> packed.data, packed.batch_sizes
(tensor([1, 4, 2, 3]), tensor([2, 1, 1]))
>>> pad_packed_sequence(packed, batch_first=True)
(tensor([[1, 2, 3],
        [4, 0, 0]]), tensor([3, 1]))
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import wengert
from wengert import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence_(NamedTuple):
    """The fields of a PackedSequence."""

    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any


class PackedSequence(PackedSequence_):
    """The steps of several sequences, one behind the other, without padding; recurrent networks read it.

    data: the first step of all sequences, then the second step of those that have one, and so on.
    batch_sizes: int64, on the CPU: the number of sequences that have each step.
    sorted_indices: which sequence stands at each position, the longest one first; None: they were in this order.
    unsorted_indices: the position of each sequence.
    Made by ``pack_padded_sequence`` and ``pack_sequence``.
    """

    __slots__ = ()
    data: Any
    batch_sizes: Any
    sorted_indices: Any
    unsorted_indices: Any

    def __new__(
        cls, data: Any, batch_sizes: Any = None, sorted_indices: Any = None, unsorted_indices: Any = None
    ) -> Any:
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        if batch_sizes is None:
            if not (isinstance(data, (list, tuple)) and len(data) == 2):
                raise AssertionError("Expected data to be a list or tuple of length 2: (data, batch_sizes)")
            data, batch_sizes = data
        elif batch_sizes.device.type != "cpu":
            raise ValueError(
                "batch_sizes should always be on CPU. Instances of PackedSequence should never be created manually. "
                "They should be instantiated by functions like pack_sequence and pack_padded_sequences in "
                "nn.utils.rnn. https://pytorch.org/docs/stable/nn.html#torch.nn.utils.rnn.pack_sequence"
            )
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> Any:
        """Return the sequence with its data converted as by ``Tensor.to``; itself where nothing changes."""
        data = self.data.to(*args, **kwargs)
        if data is self.data:
            return self
        indices = (None if one is None else one.to(data.device) for one in (self.sorted_indices, self.unsorted_indices))
        return type(self)(data, self.batch_sizes, *indices)

    def pin_memory(self) -> Any:
        """Return the sequence in memory that a GPU reads quickly."""
        indices = (None if one is None else one.pin_memory() for one in (self.sorted_indices, self.unsorted_indices))
        return type(self)(self.data.pin_memory(), self.batch_sizes, *indices)

    def cuda(self, *args: Any, **kwargs: Any) -> Any:
        """Return the sequence on a CUDA device."""
        probe = wengert.tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        return self.to(*args, **kwargs) if probe.is_cuda else self.to(*args, **{**kwargs, "device": "cuda"})

    def cpu(self, *args: Any, **kwargs: Any) -> Any:
        """Return the sequence on the CPU."""
        probe = wengert.tensor((), dtype=self.data.dtype, device=self.data.device).to(*args, **kwargs)
        is_there = probe.device.type == "cpu"
        return self.to(*args, **kwargs) if is_there else self.to(*args, **{**kwargs, "device": "cpu"})

    def double(self) -> Any:
        """Return the sequence in float64."""
        return self.to(dtype=wengert.float64)

    def float(self) -> Any:
        """Return the sequence in float32."""
        return self.to(dtype=wengert.float32)

    def half(self) -> Any:
        """Return the sequence in float16."""
        return self.to(dtype=wengert.float16)

    def long(self) -> Any:
        """Return the sequence in int64."""
        return self.to(dtype=wengert.int64)

    def int(self) -> Any:
        """Return the sequence in int32."""
        return self.to(dtype=wengert.int32)

    def short(self) -> Any:
        """Return the sequence in int16."""
        return self.to(dtype=wengert.int16)

    def char(self) -> Any:
        """Return the sequence in int8."""
        return self.to(dtype=wengert.int8)

    def byte(self) -> Any:
        """Return the sequence in uint8."""
        return self.to(dtype=wengert.uint8)

    @property
    def is_cuda(self) -> bool:
        """Whether the data are on a CUDA device."""
        return bool(self.data.is_cuda)

    def is_pinned(self) -> bool:
        """Return whether the data are in memory that a GPU reads quickly."""
        return bool(self.data.is_pinned())


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the position of each number in a permutation.

    >>> import wengert as wg
    >>> invert_permutation(wg.tensor([2, 0, 1]))
    tensor([1, 2, 0])
    """
    if permutation is None:
        return None
    return wengert.empty_like(permutation).scatter_(
        0, permutation, wengert.arange(permutation.numel(), device=permutation.device)
    )


# ---- packing


def check_lengths(lengths: Any, batch: int, steps: int) -> list[int]:
    """Return the lengths of sequences as a list. RuntimeError for those that cannot be packed."""
    if lengths.dim() != 1 or lengths.device.type != "cpu":
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D {lengths.device} "
            f"{lengths.dtype} tensor"
        )
    if len(lengths) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(lengths)} (batch_size={batch})"
        )
    numbers: list[int] = lengths.tolist()
    if numbers[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
        )
    if numbers != sorted(numbers, reverse=True):
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if numbers[0] > steps:
        raise RuntimeError(
            f"Expected all lengths to be at most the number of steps of the input, {steps}, but one is {numbers[0]}"
        )
    return numbers


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Return a batch of padded sequences without the padding.

    input: ``(T, B, ...)``, or ``(B, T, ...)`` with `batch_first`.
    lengths: those of the sequences, a list or a tensor on the CPU. enforce_sorted: whether they are in descending order
    already; with False the sequences are sorted, and the packed sequence knows their order.
    """
    if isinstance(lengths, Tensor):
        lengths = lengths.to(wengert.int64)
    else:
        lengths = wengert.tensor(lengths, dtype=wengert.int64, device="cpu")
    if batch_first:
        input = input.transpose(0, 1)
    sorted_indices = None
    if not enforce_sorted:
        lengths, sorted_indices = lengths.sort(descending=True)
        sorted_indices = sorted_indices.to(input.device)
        input = input.index_select(1, sorted_indices)
    if not input.numel():
        raise RuntimeError(f"Cannot pack empty tensors. The input has the shape {input.shape}.")
    steps, batch = input.shape[:2]
    numbers = check_lengths(lengths, batch, steps)
    rows, sizes = packed_rows(numbers, batch)
    data = input.flatten(0, 1).index_select(0, wengert.tensor(rows, device=input.device))
    packed: PackedSequence = PackedSequence(data, wengert.tensor(sizes, device="cpu"), sorted_indices, None)
    return packed


def packed_rows(lengths: Sequence[int], batch: int) -> tuple[list[int], list[int]]:
    """Return where in ``(T, B)`` the steps of sequences stand, the longest one first, and how many each step has."""
    rows: list[int] = []
    sizes: list[int] = []
    size = len(lengths)
    for step in range(lengths[0]):
        while lengths[size - 1] <= step:
            size -= 1
        sizes.append(size)
        rows.extend(range(step * batch, step * batch + size))
    return rows, sizes


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """Return a packed sequence as a batch of padded ones, ``(T, B, ...)``, and their lengths.

    batch_first: return ``(B, T, ...)``. padding_value: what the padding is. total_length: T; the longest length by
    default, and at least this.
    """
    sizes: list[int] = sequence.batch_sizes.tolist()
    steps = len(sizes)
    if total_length is not None:
        if total_length < steps:
            raise ValueError(
                "Expected total_length to be at least the length of the longest sequence in input, but got "
                f"total_length={total_length} and max sequence length being {steps}"
            )
        steps = total_length
    batch = sizes[0]
    rows = [step * batch + row for step, size in enumerate(sizes) for row in range(size)]
    padded = put_rows(sequence.data, rows, (steps, batch), padding_value)
    numbers = wengert.tensor([sum(size > row for size in sizes) for row in range(batch)], device="cpu")
    indices = sequence.unsorted_indices
    if indices is not None:
        padded, numbers = padded.index_select(1, indices), numbers[indices.cpu()]
    return padded.transpose(0, 1) if batch_first else padded, numbers


def put_rows(rows: Any, places: list[int], dims: tuple[int, int], padding_value: float) -> Any:
    """Return rows at their places in a tensor with two dims more than one of them, and padding elsewhere."""
    width = rows.shape[1:]
    blank = rows.new_full((dims[0] * dims[1], *width), padding_value)
    index = wengert.tensor(places, dtype=wengert.int64, device=rows.device)
    return blank.index_copy(0, index, rows).view(*dims, *width)


# ---- padding


def pad_sequence(
    sequences: Any, batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Return sequences ``(L, ...)`` of different lengths as one tensor ``(T, B, ...)``, T the longest length.

    batch_first: return ``(B, T, ...)``. padding_value: what the padding is. padding_side: its place, "right" or "left".

    >>> import wengert as wg
    >>> pad_sequence([wg.tensor([1, 2, 3]), wg.tensor([4])], batch_first=True, padding_side="left")
    tensor([[1, 2, 3],
            [0, 0, 4]])
    """
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            f"pad_sequence: Expected iterable for input sequences, but got arg of type: {type(sequences)}"
        )
    sequences = tuple(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    lengths = [len(sequence) for sequence in sequences]
    steps, batch = max(lengths), len(lengths)
    stride, step = (steps, 1) if batch_first else (1, batch)
    places = [
        number * stride + (step_number + (steps - length if padding_side == "left" else 0)) * step
        for number, length in enumerate(lengths)
        for step_number in range(length)
    ]
    dims = (batch, steps) if batch_first else (steps, batch)
    padded: Tensor = put_rows(wengert.cat(sequences), places, dims, padding_value)
    return padded


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """Return the sequences of a padded batch ``(T, B, ...)``, or ``(B, T, ...)`` with `batch_first`, in a list."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [
        sequence[: max(int(length), 0)].clone() for sequence, length in zip(padded_sequences, lengths, strict=True)
    ]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Return sequences ``(L, ...)`` as a packed one; see ``pack_padded_sequence`` for `enforce_sorted`."""
    lengths = [sequence.size(0) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Return the sequences of a packed one in a list, in their first order."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)
