"""Files with random changes: loading them gives an object or one of the expected errors."""

from __future__ import annotations

import struct
import warnings
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from wengert_serialization import builders

from .archives import (
    PROTO,
    archive,
    call_of,
    load_bytes,
    name,
    number,
    numbers,
    record,
    storage,
    tensor,
    text,
    with_records,
)

RECORDED = [(file.name, file.read_bytes()) for file in sorted((Path(__file__).parent / "recorded").glob("*.pt"))]
ARCHIVES = [file for file in RECORDED if ".legacy." not in file[0]]
EXPECTED = (UnpicklingError, RuntimeError, ValueError, EOFError)
FLOATS = np.arange(4, dtype=np.float32).tobytes()
X = tensor(storage("Float", 4), (4,))
INT = tensor(storage("Int", 4), (4,))
INDEX = tensor(storage("Long", 2), (1, 2), (2, 1))
HOOKS = name("collections.OrderedDict") + b")R"
CODES = b"()]}NKMJGXqrhjRtbcaesuQ0\x80\x81\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8f\x90\x91\x92\x93\x94\x95\x96BC."
EDIT = st.tuples(st.sampled_from("replace insert delete copy number cut".split()), st.integers(0, 1 << 16),
                 st.integers(0, 255), st.sampled_from(list(CODES)), st.integers(0, 1 << 16))


def mutate(data: bytes, edits: list[tuple[str, int, int, int, int]]) -> bytes:
    """Return bytes with some of them replaced, inserted, deleted or copied."""
    changed_data = bytearray(data)
    for kind, place, byte, code, other in edits:
        if not changed_data:
            break
        place, other = place % len(changed_data), other % len(changed_data)
        if kind == "replace":
            changed_data[place] = byte if byte % 2 else code
        elif kind == "insert":
            changed_data[place:place] = bytes([code])
        elif kind == "delete":
            del changed_data[place : place + byte % 20]
        elif kind == "copy":
            changed_data[place:place] = changed_data[other : other + byte % 60]
        elif kind == "number":
            changed_data[place : place + 4] = struct.pack("<I", (0, 1, 2**31, 2**32 - 1)[byte % 4])
        else:
            changed_data = changed_data[:place]
    return bytes(changed_data)


def load_quietly(data: bytes) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress(*EXPECTED):
            repr(load_bytes(data))


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(RECORDED), st.lists(EDIT, min_size=1, max_size=6))
def test_mutated_files(file: tuple[str, bytes], edits: list[tuple[str, int, int, int, int]]) -> None:
    load_quietly(mutate(file[1], edits))


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(ARCHIVES), st.lists(EDIT, min_size=1, max_size=6))
def test_mutated_pickles(file: tuple[str, bytes], edits: list[tuple[str, int, int, int, int]]) -> None:
    load_quietly(with_records(file[1], {"data.pkl": mutate(record(file[1], "data.pkl"), edits)}))


ATOM = st.sampled_from([b"N", b"\x88", b"\x89", b"K\0", b"K\1", b"K\2", number(2**40), number(-1), text("a"),
                        text("torch.sparse_csr"), text("latin1"), X, INT, INDEX, storage("Float", 4),
                        storage("Float", 2, "1"), numbers((2,)), numbers((1, 2)), b"]", b"}", b")", HOOKS,
                        *[name(full) for full in builders.GLOBALS]])
PIECE = st.recursive(ATOM, lambda inner: st.one_of(
    st.lists(inner, max_size=7).map(lambda parts: b"(" + b"".join(parts) + b"t"),
    st.lists(inner, max_size=4).map(lambda parts: b"](" + b"".join(parts) + b"e"),
    st.tuples(inner, inner).map(lambda parts: b"}" + b"".join(parts) + b"s"),
    st.tuples(st.sampled_from(list(builders.GLOBALS)), st.lists(inner, max_size=7)).map(
        lambda call: call_of(call[0], *call[1])),
    st.tuples(inner, inner).map(lambda parts: b"".join(parts) + b"b"),
), max_leaves=12)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow])
@given(PIECE)
def test_calls_of_all_names_with_any_arguments(piece: bytes) -> None:
    load_quietly(archive(PROTO + piece + b".", FLOATS, FLOATS[:8]))
