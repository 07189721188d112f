"""The line of the user's program that recorded a node, where anomaly mode has kept it."""

from __future__ import annotations

import re
from typing import Any

from wengert_engine import Node
from wengert_engine.extend import node_metadata

FRAME = re.compile(r'File "([^"]*)", line (\d+)(?:, in (\S+))?\n?\s*(.*)')


def traceback_of(node: Node) -> str:
    """The stack kept with a node, as text; '' where there is none."""
    metadata: Any = node_metadata(node)
    kept = (metadata or {}).get("traceback_", "")
    return kept if isinstance(kept, str) else "".join(kept)


def line_of(node: Node) -> str | None:
    """The innermost line of the stack: 'model.py:12 in forward: y = x.exp()'. None where nothing was kept.

    >>> import wengert_core as wc, wengert_engine
    >>> node = wc.ones(2, requires_grad=True).exp().grad_fn
    >>> line_of(node) is None
    True
    >>> node.metadata["traceback_"] = ['  File "model.py", line 12, in forward\\n    y = x.exp()\\n']
    >>> line_of(node)
    'model.py:12 in forward: y = x.exp()'
    """
    frames = FRAME.findall(traceback_of(node))
    if not frames:
        return None
    file, number, function, code = frames[-1]
    location = f"{file}:{number}" + (f" in {function}" if function else "")
    return f"{location}: {code.splitlines()[0].strip()}" if code.strip() else location
