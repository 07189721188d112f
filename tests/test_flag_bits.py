"""Bits of a tensor's flag word: each has one meaning, though three files give them out."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

PACKAGES = Path(__file__).parent.parent / "packages"
FILES = (
    "core/src/wengert_core/runtime/state.h", "core/src/wengert_core/tensors/tensor.pxd",
    "engine/src/wengert_engine/graph/node.pxd",
)  # fmt: skip
BIT = re.compile(r"^ *((?:WG|TF)_\w+) = (\d+ << \d+|0x[0-9a-f]+|\d+)\b(?! *\|)", re.MULTILINE)
NO_BITS = {"TF_META_SHIFT"}


def flag_masks() -> list[tuple[str, int]]:
    """All names and numbers that the files give to bits of the flag word."""
    found = []
    for file in FILES:
        for name, text in BIT.findall((PACKAGES / file).read_text(encoding="utf-8")):
            left, _, shift = text.partition(" << ")
            found += [(name, int(left, 0) << int(shift or 0))] if name not in NO_BITS else []
    return found


def test_no_bit_has_two_meanings() -> None:
    bits = Counter(i for _, mask in flag_masks() for i in range(32) if mask >> i & 1)
    assert {i: n for i, n in bits.items() if n > 1} == {}


def test_the_bits_are_found() -> None:
    names = {name for name, _ in flag_masks()}
    assert {"WG_GRAD", "WG_CAST", "TF_VIEW", "TF_META_MASK", "TF_CUT"} <= names
    assert len(names) > 15
