"""Memory of a recorded node, and the size of what is installed."""

import zlib
from importlib.util import find_spec
from pathlib import Path

import wengert as wg

from .programs import node_bytes

OURS = "wengert", "wengert_core", "wengert_engine", "wengert_formulas", "wengert_registry"
NOT_IN_WHEELS = {".pyx", ".c", ".pyc"}


def track_node_bytes() -> float:
    """Of a chain of 200,000 nodes on one number."""
    return node_bytes(wg, 200_000)


def track_compressed_kilobytes() -> float:
    """About what all our wheels weigh: the installed files, compressed."""
    total = 0
    for name in OURS:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        files = [file for file in Path(spec.origin).parent.rglob("*") if file.is_file()]
        total += sum(len(zlib.compress(file.read_bytes())) for file in files if file.suffix not in NOT_IN_WHEELS)
    return total / 1024


track_node_bytes.unit = "bytes"  # type: ignore[attr-defined]  # asv's way
track_compressed_kilobytes.unit = "kB"  # type: ignore[attr-defined]
