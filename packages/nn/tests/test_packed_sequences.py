"""Sequences of different lengths: packing, padding and their inverses."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import pytest
import wengert as wg
from hypothesis import given, settings
from hypothesis import strategies as st
from wengert_nn.utils.rnn import (
    PackedSequence,
    invert_permutation,
    pack_padded_sequence,
    pack_sequence,
    pad_packed_sequence,
    pad_sequence,
    unpack_sequence,
    unpad_sequence,
)

LENGTHS = st.lists(st.integers(1, 6), min_size=1, max_size=5)


def sequences_of(lengths: list[int], *features: int) -> list[Any]:
    """Sequences of these lengths, all numbers of which differ."""
    found, start = [], 0
    for length in lengths:
        sequence = wg.arange(start, start + length * max(1, *features, 1)).double()
        found.append(sequence.reshape(length, *features))
        start += 100
    return found


@settings(max_examples=50, deadline=None)
@given(LENGTHS, st.sampled_from([(), (2,)]))
def test_unpacking_is_the_inverse_of_packing(lengths: list[int], features: tuple[int, ...]) -> None:
    sequences = sequences_of(lengths, *features)
    packed = pack_sequence(sequences, enforce_sorted=False)
    assert packed.batch_sizes.tolist() == [sum(n > step for n in lengths) for step in range(max(lengths))]
    assert len(packed.data) == sum(lengths)
    for one, other in zip(unpack_sequence(packed), sequences, strict=True):
        assert wg.equal(one, other)


@settings(max_examples=50, deadline=None)
@given(LENGTHS, st.booleans(), st.sampled_from(["left", "right"]))
def test_padding_keeps_the_sequences(lengths: list[int], batch_first: bool, side: str) -> None:
    sequences = sequences_of(lengths, 2)
    padded = pad_sequence(sequences, batch_first, padding_value=-1.0, padding_side=side)
    rows = padded if batch_first else padded.transpose(0, 1)
    for row, sequence in zip(rows, sequences, strict=True):
        length = len(sequence)
        body = row[:length] if side == "right" else row[len(row) - length :]
        rest = row[length:] if side == "right" else row[: len(row) - length]
        assert wg.equal(body, sequence)
        assert (rest == -1).all()
    if side == "right":
        found = unpad_sequence(padded, wg.tensor(lengths), batch_first)
        assert all(wg.equal(one, other) for one, other in zip(found, sequences, strict=True))


@settings(max_examples=30, deadline=None)
@given(LENGTHS, st.booleans())
def test_padding_a_packed_batch_gives_the_batch(lengths: list[int], batch_first: bool) -> None:
    padded = pad_sequence(sequences_of(lengths, 2), batch_first)
    packed = pack_padded_sequence(padded, lengths, batch_first, enforce_sorted=False)
    again, found = pad_packed_sequence(packed, batch_first)
    assert wg.equal(again, padded)
    assert found.tolist() == lengths


@given(st.permutations(range(6)))
def test_inverted_permutations(order: list[int]) -> None:
    permutation = wg.tensor(order)
    inverse = invert_permutation(permutation)
    assert inverse is not None
    assert permutation[inverse].tolist() == [*range(6)]
    assert inverse[permutation].tolist() == [*range(6)]


def test_gradients_pass_packing_and_padding() -> None:
    x = wg.arange(12.0).reshape(3, 2, 2).requires_grad_()
    packed = pack_padded_sequence(x, [1, 3], enforce_sorted=False)
    padded, _ = pad_packed_sequence(packed, padding_value=5.0)
    (padded * 2).sum().backward()
    assert x.grad is not None
    assert x.grad[:, :, 0].tolist() == [[2, 2], [0, 2], [0, 2]]


def test_vmap_over_packing() -> None:
    x = wg.arange(24.0).reshape(2, 3, 2, 2)
    together = wg.func.vmap(lambda x: pack_padded_sequence(x, [3, 1]).data)(x)
    assert wg.equal(together, wg.stack([pack_padded_sequence(one, [3, 1]).data for one in x]))
    sizes = wg.tensor([2, 1, 1], device="cpu")
    back = wg.func.vmap(lambda x: pad_packed_sequence(PackedSequence(x, sizes))[0])(together)
    assert back.shape == (2, 3, 2, 2)


def test_a_packed_sequence_can_be_copied_and_pickled() -> None:
    packed = pack_sequence(sequences_of([1, 3]), enforce_sorted=False)
    for other in (copy.deepcopy(packed), pickle.loads(pickle.dumps(packed))):
        assert type(other) is PackedSequence
        assert all(wg.equal(one, own) for one, own in zip(other, packed, strict=True))


def test_unpadding_does_not_change_the_batch() -> None:
    padded = wg.ones(3, 2)
    found = unpad_sequence(padded, wg.tensor([1, 3]))
    assert padded.shape == (3, 2)
    found[0].zero_()
    assert padded.all()


def test_lengths_beyond_the_input_are_refused() -> None:
    with pytest.raises(RuntimeError, match="at most the number of steps of the input, 3, but one is 4"):
        pack_padded_sequence(wg.ones(3, 2), [4, 1])


def test_batch_sizes_are_kept_on_the_cpu() -> None:
    elsewhere = SimpleNamespace(device=SimpleNamespace(type="cuda"))
    with pytest.raises(ValueError, match="batch_sizes should always be on CPU"):
        PackedSequence(wg.ones(3), elsewhere)
