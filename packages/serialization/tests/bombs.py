"""Load small files that ask for much memory; print by how many times their size the process has grown.

A program that the tests run: its address space is limited, so that a bomb which goes off ends it.
"""

from __future__ import annotations

import gc
import resource
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from archives import PROTO, archive, load_bytes, name, number, storage, tensor, text  # type: ignore[import-not-found]

N, REPEATS = 200_000, 20_000
WORDS = b"".join(b"M" + struct.pack("<H", i) for i in range(REPEATS))
PAIRS = b"".join(b"M" + struct.pack("<H", i) + b"N\x86" for i in range(REPEATS))
STATE = b"".join(text(f"k{i}") + b"N" for i in range(REPEATS))
ORDERED = name("collections.OrderedDict")


def repetition(start: bytes, again: bytes) -> bytes:
    """Return a tuple of what a call gives, and of what it gives again and again."""
    return b"(" + start + again * REPEATS + b"t"


def conjugate(count: int, size: bytes, stride: bytes) -> bytes:
    """Return the call for a tensor with the lazy bit, whose arguments are kept in the memo."""
    extra = b"}" + text("conj") + b"\x88s"
    return (name("torch._utils._rebuild_tensor_v2") + b"q\0(" + storage("ComplexFloat", count) + b"K\0" + size + stride
            + b"\x89" + ORDERED + b")R" + extra + b"tq\1R")


def nested_tensors() -> bytes:
    """Return tensors each of which is an attribute of the next one."""
    parts = (name("torch._tensor._rebuild_from_type_v2"), name("torch._utils._rebuild_tensor_v2"),
             name("torch.Tensor"), b"(" + storage("Float", 1) + b"K\0))\x89Nt")
    kept = b"".join(part + b"q" + bytes([key]) + b"0" for key, part in enumerate(parts))
    return kept + b"N" + (b"q\x040h\0(h\1h\2h\3}" + text("a") + b"h\4stR") * REPEATS


def nested_parameters() -> bytes:
    """Return parameters each of which is made of the one before."""
    start = name("torch._utils._rebuild_parameter") + b"q\x000" + tensor(storage("Float", 1))
    return start + b"q\x010h\0h\1\x88N\x87R" * REPEATS


BOMBS = {
    "nested lists": b"]" * N + b"a" * (N - 1),
    "nested tuples": b")" + b"\x85" * N,
    "nested dicts": b"}" + b"N}" * N + b"s" * N,
    "nested ordered dicts": ORDERED + b"q\0)R" + b"Nh\0)R" * REPEATS + b"s" * REPEATS,
    "marks": b"(" * N,
    "sets": b"(" + b"\x8f" * N + b"t",
    "encoded texts": repetition(name("_codecs.encode") + b"q\0" + text("a" * N) + text("latin1") + b"\x86q\1R",
                              b"h\0h\1R"),
    "sets of a list": repetition(name("builtins.set") + b"q\0](" + WORDS + b"e\x85q\1R", b"h\0h\1R"),
    "dicts of a list": repetition(ORDERED + b"q\0](" + PAIRS + b"e\x85q\1R", b"h\0h\1R"),
    "states": repetition(ORDERED + b"q\0}(" + STATE + b"uq\1", b"h\0)Rh\1b"),
    "conjugates": repetition(conjugate(1 << 17, b"K\1\x85", b"K\1\x85"), b"h\0h\1R"),
    "expanded conjugate": conjugate(1 << 17, number(10**12) + b"\x85", b"K\0\x85"),
    "nested tensors": nested_tensors(),
    "nested parameters": nested_parameters(),
}
"""Pickles by their title, without frame."""


def growth(pickled: bytes, record: bytes) -> float:
    """Return by how many times the size of a file the process grows when it loads the file."""
    data = archive(PROTO + pickled + b".", record)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    try:
        found = load_bytes(data)
    except MemoryError:
        return float("inf")
    except Exception as error:
        found = error
    del found
    gc.collect()
    return float(((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10) / len(data))


def limit_memory(more: int) -> None:
    """Let the process have so many bytes more than now."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + more
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    load_bytes(archive(PROTO + tensor(storage("Float", 1)) + b".", bytes(4)))
    limit_memory(256 << 20)
    for title, pickled in BOMBS.items():
        print(f"{title}: {growth(pickled, bytes(1 << 20 if 'conjugate' in title else 4)):.0f}")
