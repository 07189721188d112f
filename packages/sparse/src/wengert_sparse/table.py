"""The op table of sparse tensors."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from wengert_core.extend import OpTable

TABLE = OpTable("sparse")
MODULES = ("construct", "compressed", "members", "convert", "products", "reduce", "resize")


def add_method(function: Callable[..., Any], doc: str = "") -> None:
    """Give Tensor a method that PyTorch has as a function nowhere."""
    TABLE.composite(function, method=True, doc=doc)
    TABLE.hidden.add(function.__name__)


def load() -> OpTable:
    """The table with all its rows: the object that the entry point names."""
    for module in MODULES:
        importlib.import_module(f"wengert_sparse.ops.{module}")
    importlib.import_module("wengert_sparse.scipy_arrays")
    TABLE.hidden.update(name for name in TABLE.ops if name.startswith("_"))
    return TABLE
