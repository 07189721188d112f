"""How nodes and tensors are written: for people, and escaped for DOT and Mermaid."""

from __future__ import annotations

from typing import Any


def short(dtype: Any, shape: Any) -> str:
    """float32[2, 3]

    >>> import wengert_core as wc
    >>> short(wc.float32, (2, 3))
    'float32[2, 3]'
    """
    return f"{str(dtype).removeprefix('torch.')}{list(shape)}"


def in_dot(text: str) -> str:
    r"""Text as a string of the DOT language.

    >>> print(in_dot('say "hi" \\ bye'))
    "say \"hi\" \\ bye"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "").replace("\n", "\\n")
    return f'"{escaped}"'


MERMAID = str.maketrans({"#": "#35;", '"': "#quot;", "<": "#lt;", ">": "#gt;", "&": "#amp;", "`": "#96;",
                         "\\": "#92;", "\r": "", "\n": "<br/>"})


def in_mermaid(text: str) -> str:
    """Text as a string of Mermaid.

    >>> print(in_mermaid('a "b" <c>'))
    "a #quot;b#quot; #lt;c#gt;"
    """
    return f'"{text.translate(MERMAID)}"'
