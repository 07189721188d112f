"""OpTable: the rows of operators, ours and a plugin's alike.

A row names an op by its schema and says to which family it belongs; the family's driver does the rest. Filling a table
touches
nothing global: the registry hands tables to ``install``, which makes the ops callable and gives Tensor its methods.

>>> from wengert_core.table import OpTable
>>> table = OpTable("example")
>>> op = table.pointwise_unary("cube(Tensor self) -> Tensor", reference=lambda xp, x: x * x * x)
>>> sorted(table.ops)
['cube', 'cube_']
"""

from __future__ import annotations

from typing import Any

from wengert_core import op as _op
from wengert_core.op import Op
from wengert_core.rows.array import ArrayRows
from wengert_core.rows.conversion import ConversionRows
from wengert_core.rows.factory import FactoryRows
from wengert_core.rows.indexing import IndexingRows
from wengert_core.rows.joining import JoiningRows
from wengert_core.rows.layers import LayerRows
from wengert_core.rows.matmul import MatmulRows
from wengert_core.rows.placing import PlacingRows
from wengert_core.rows.pointwise import PointwiseRows
from wengert_core.rows.random import RandomRows
from wengert_core.rows.reduction import ReductionRows
from wengert_core.rows.softmax import SoftmaxRows
from wengert_core.rows.views import ViewRows
from wengert_core.tensor import Tensor, mount
from wengert_core.tensor_methods import PROMISED


class OpTable(PointwiseRows, SoftmaxRows, JoiningRows, MatmulRows, ReductionRows, ViewRows, IndexingRows, PlacingRows,
              ArrayRows, FactoryRows, ConversionRows, RandomRows, LayerRows):
    """Operators of one owner: see the base classes for the kinds of rows."""


def install(table: OpTable) -> None:
    """Make what has been added to a table since the last time known to core and to Tensor.

    Raises ValueError, with nothing installed, when an op's name is taken by another table.
    """
    added = [dict.get(table.ops, name) for name in table.fresh]
    fresh = [op for op in added if isinstance(op, Op)]
    for op in fresh:
        if _op.is_taken(op) and not (table.read_again and _op.find(op.name).owner == table.name):
            other = _op.find(op.name)
            raise ValueError(f"op '{op.name}' is registered twice: by table '{other.owner}' and by table "
                             f"'{table.name}'")
    for op in fresh:
        _op.register(op, table.read_again)
    del table.fresh[:]
    for name, method in dict.items(table.methods):
        if name not in table.mounted or table.read_again:
            mount(name, method)
            table.mounted.add(name)
            PROMISED.discard(name)
    table.installed = True


def refuse_taken_methods(table: OpTable) -> None:
    """ValueError when a method of a table that is not installed has the name of an attribute of Tensor."""
    if table.installed:
        return  # without a look at its names, which would load all families of core's
    taken = sorted(name for name in table.methods if name not in PROMISED and hasattr(Tensor, name))
    if taken:
        raise ValueError(f"table '{table.name}' brings methods whose names Tensor has already: {', '.join(taken)}")


def accept(candidate: Any, obj: Any, stage: Any) -> None:
    """What an entry point of ``wengert.ops`` may give: an OpTable with its name, or a function that returns one. It is
    installed here, or refused as a whole.
    """
    table = obj if isinstance(obj, OpTable) else obj() if callable(obj) else None
    if not isinstance(table, OpTable):
        raise TypeError(f"expected an OpTable, got {type(obj).__name__}")
    if table.name != candidate.name:
        raise ValueError(f"the table is named '{table.name}', its entry point '{candidate.name}': they must agree")
    refuse_taken_methods(table)
    install(table)
    stage.value = table
    stage.rows = table.ops
