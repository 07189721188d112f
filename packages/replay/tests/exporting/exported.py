"""Programs that are saved and loaded, for tests."""

from __future__ import annotations

import io

import wengert as wg
from wengert_replay.exporting import load, save_program


def last_program(step):
    return wg.replay.explain(step).programs[-1]


def save_bytes(program, names=None):
    """Return the bytes of a program's file."""
    file = io.BytesIO()
    save_program(program, file, names)
    return file.getvalue()


def reload_program(program, names=None):
    return load(io.BytesIO(save_bytes(program, names)))


def bits(value):
    if isinstance(value, wg.Tensor):
        data = value.detach()
        data = data.float() if data.dtype is wg.bfloat16 else data
        return value.dtype, tuple(value.shape), value.stride(), data.numpy().tobytes()
    if isinstance(value, dict):
        return {key: bits(item) for key, item in value.items()}
    return [bits(item) for item in value] if isinstance(value, (tuple, list)) else value


def check(function, *calls):
    """Capture a function with the first call, and compare the others of its file with those of the function."""
    step = wg.capture(function)
    step(*calls[0])
    program = reload_program(last_program(step))
    for arguments in calls:
        expected = bits(function(*arguments))
        for _ in range(3):
            assert bits(program(*arguments)) == expected
    assert program.explanation.replays > 0
    return program


def tensors(*shape, dtype=wg.float32, n=3):
    """Return calls with a tensor each."""
    generator = wg.Generator().manual_seed(5)
    return [(wg.randn(*shape, generator=generator).to(dtype),) for _ in range(n)]
