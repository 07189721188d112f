"""Layers that are divided among ranks: affine maps by columns or rows, attention by parts of the sequence.

The names are loaded when they are asked for, since the modules need ``wengert-nn``.

>>> import wengert as wg
>>> wg.distributed.tensor_parallel.copy_to_ranks.__name__
'copy_to_ranks'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wengert_distributed.tensor_parallel.linear import column_parallel_linear, row_parallel_linear
    from wengert_distributed.tensor_parallel.modules import ColumnParallelLinear, RowParallelLinear
    from wengert_distributed.tensor_parallel.replicated import (
        copy_to_ranks,
        gather_from_ranks,
        reduce_from_ranks,
        scatter_to_ranks,
    )
    from wengert_distributed.tensor_parallel.sequence import exchange_dims, sequence_parallel_attention

__all__ = [
    "ColumnParallelLinear",
    "RowParallelLinear",
    "column_parallel_linear",
    "copy_to_ranks",
    "exchange_dims",
    "gather_from_ranks",
    "reduce_from_ranks",
    "row_parallel_linear",
    "scatter_to_ranks",
    "sequence_parallel_attention",
]
MODULES = {
    **dict.fromkeys(("column_parallel_linear", "row_parallel_linear"), "linear"),
    **dict.fromkeys(("ColumnParallelLinear", "RowParallelLinear"), "modules"),
    **dict.fromkeys(("copy_to_ranks", "gather_from_ranks", "reduce_from_ranks", "scatter_to_ranks"), "replicated"),
    **dict.fromkeys(("exchange_dims", "sequence_parallel_attention"), "sequence"),
}


def __getattr__(name: str) -> Any:
    """Load a name of ``__all__`` when it is asked for."""
    module = MODULES.get(name)
    if module is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{module}"), name)
    return value
