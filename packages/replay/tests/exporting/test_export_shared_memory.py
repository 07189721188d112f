"""Tensors from outside that lie on the same memory, and calls with a program's own tensors."""

from __future__ import annotations

import io

import numpy as np
import pytest
import wengert as wg
from wengert_replay.exporting import ProgramFileError, load

from .exported import bits, last_program, reload_program


def by_numpy():
    a = np.arange(10, dtype=np.float32)
    return wg.from_numpy(a[:6]), wg.from_numpy(a[2:10])


def by_numpy_backwards():
    return by_numpy()[::-1]


def by_buffer():
    data = bytearray(np.arange(10, dtype=np.float32).tobytes())
    return wg.frombuffer(data, dtype=wg.float32), wg.frombuffer(data, dtype=wg.float32, offset=8)


def by_array_of_a_tensor():
    b = wg.arange(10.0)
    return b[:8], wg.from_numpy(b.numpy()[2:])


def by_dlpack():
    b = wg.arange(10.0)
    return b, wg.from_dlpack(b.numpy()[4:])


def by_whole_memory():
    a = np.arange(8, dtype=np.float32)
    return wg.from_numpy(a), wg.from_numpy(a)


def by_other_dtypes():
    a = np.arange(10, dtype=np.float32)
    return wg.from_numpy(a[1:5]), wg.from_numpy(a[2:10].view(np.int64)).view(wg.float32)


def by_strides():
    a = np.arange(24, dtype=np.float64).reshape(4, 6)
    return wg.from_numpy(a)[:, ::2], wg.from_numpy(a[1:])


def by_one_storage():
    b = wg.arange(10.0)
    return b[:6], b[2:]


def by_chain():
    a = np.arange(12, dtype=np.float32)
    return wg.from_numpy(a[:5]), wg.from_numpy(a[8:]), wg.from_numpy(a[4:9])


MEMORY = (
    by_numpy, by_numpy_backwards, by_buffer, by_array_of_a_tensor, by_dlpack, by_whole_memory, by_other_dtypes,
    by_strides, by_one_storage, by_chain,
)  # fmt: skip


@pytest.mark.parametrize("make", MEMORY)
def test_tensors_that_overlap_are_loaded_on_one_memory(make):
    own, other = make(), make()

    def step_of(tensors):
        def step(x):
            sums = []
            for number, t in enumerate(tensors):
                t.mul_(x).add_(number)
                sums += [one.sum() for one in tensors]
            return sums

        return step

    step = wg.capture(step_of(own))
    step(wg.tensor(2.0))
    program = reload_program(last_program(step), {f"t{i}": t for i, t in enumerate(own)})
    for t, like in zip(other, own, strict=True):
        t.copy_(like)
    before = None
    for k in range(6):
        expected = step_of(other)(wg.tensor(0.5 + 0.25 * k))
        assert bits(program(wg.tensor(0.5 + 0.25 * k))) == bits(expected)
        assert [bits(program.tensors[f"t{i}"]) for i in range(len(own))] == [bits(one) for one in other]
        versions = [program.tensors[f"t{i}"]._version for i in range(len(own))], [one._version for one in other]
        if before and make is not by_whole_memory:  # whose tensors have one name
            pairs = zip(versions, before, strict=True)
            rises = [[one - then for one, then in zip(*pair, strict=True)] for pair in pairs]
            assert rises[0] == rises[1]
        before = versions
    file = io.BytesIO()
    program.save(file)
    file.seek(0)
    again = load(file)
    for k in range(3):
        expected = step_of(other)(wg.tensor(0.5 + 0.25 * k))
        assert bits(again(wg.tensor(0.5 + 0.25 * k))) == bits(expected)


def test_memory_between_elements_is_refused():
    data = np.arange(8.0)
    first, second = wg.from_numpy(data[:6].view(np.complex128)), wg.from_numpy(data[1:7].view(np.complex128))
    step = wg.capture(lambda x: (first * x).sum() + (second * x).sum())
    step(wg.ones(()))
    with pytest.raises(ProgramFileError, match=r"overlap lie at places .*: clone one of them"):
        reload_program(last_program(step))


@pytest.mark.parametrize("first", [
    lambda w: w, lambda w: w[:], lambda w: w.detach(), lambda w: wg.from_numpy(w.numpy()),
], ids=["itself", "view", "alias", "array"])  # fmt: skip
@pytest.mark.parametrize("number", [0, 1, 3])
def test_an_argument_that_is_one_of_the_programs_tensors(first, number):
    weight = wg.tensor([3.0, 4.0])
    step = wg.capture(lambda x: (weight * x).sum())
    step(wg.ones(2))
    program = reload_program(last_program(step), {"weight": weight})
    for k in range(8):
        x = first(program.tensors["weight"]) if k == number else wg.tensor([1.0, float(k)])
        assert program(x).item() == (25 if k == number else 3 + 4 * k)
    assert program.explanation.replays >= 3


def test_a_program_that_writes_to_an_argument_of_its_own():
    weight = wg.tensor([3.0, 4.0])

    def step(x):
        x.add_(1)
        weight.mul_(2)
        return x * weight

    captured = wg.capture(step)
    captured(wg.ones(2))
    program = reload_program(last_program(captured), {"weight": weight})
    own = program.tensors["weight"]
    assert program(own).tolist() == [14 * 14, 18 * 18]
    for _ in range(4):
        expected = [2 * (2 * one) for one in own.tolist()]
        assert program(wg.ones(2)).tolist() == expected
