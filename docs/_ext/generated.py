"""Parts of pages that are made when the site is built: ``<!-- generated: NAME -->`` stands for NAME's text."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import operations
import performance
import speed
from wengert_sparse.table import load as load_sparse
from wengert_special.table import load as load_special

MARKER = re.compile(r"<!-- generated: ([\w-]+) -->")
PARTS: dict[str, Callable[[], str]] = {
    "performance": performance.link,
    "speed": speed.speed,
    "operations": lambda: operations.functions(""),
    "operations-nn": lambda: operations.functions("nn.functional."),
    "operations-linalg": lambda: operations.functions("linalg."),
    "operations-fft": lambda: operations.functions("fft.", headings=False),
    "operations-windows": lambda: operations.functions("signal.windows.", headings=False),
    "operations-sparse": lambda: operations.functions("sparse.", load_sparse(), headings=False),
    "operations-sparse-top": lambda: operations.functions("", load_sparse(), headings=False),
    "operations-special": lambda: operations.functions("special.", load_special(), headings=False),
    "operations-special-top": lambda: operations.functions("", load_special(), headings=False),
    "tensor-operations": operations.tensor_operations,
    "tensor-members": operations.tensor_members,
    "dtypes": operations.dtypes,
}


def fill_in(app: Any, docname: str, source: list[str]) -> None:
    """Sphinx's event: a page has been read."""
    source[0] = MARKER.sub(lambda match: PARTS[match[1]](), source[0])


def outdated_pages(app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """Sphinx's event: pages with generated parts are made anew each time; nobody knows what these depend on."""
    return [name for name in env.found_docs if MARKER.search(Path(env.doc2path(name)).read_text(encoding="utf-8"))]


def setup(app: Any) -> dict[str, bool]:
    app.connect("source-read", fill_in)
    app.connect("env-get-outdated", outdated_pages)
    return {"parallel_read_safe": True}
