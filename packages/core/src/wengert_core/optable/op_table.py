"""OpTable: the rows of operators, ours and a plugin's alike.

A row names an op by its schema and says to which family it belongs; the family's driver does the rest. Filling a table
touches nothing global: the registry hands tables to ``op_plugins.accept``, and its names go to those who give them.

>>> from wengert_core.optable.op_table import OpTable
>>> table = OpTable("example")
>>> op = table.pointwise_unary("cube(Tensor self) -> Tensor", reference=lambda xp, x: x * x * x)
>>> sorted(table.ops)
['cube', 'cube_']
"""

from __future__ import annotations

from typing import Any

from wengert_core.binding.checked_methods import Method
from wengert_core.dispatch import op as _op
from wengert_core.dispatch.composite import Composite
from wengert_core.dispatch.op import Op
from wengert_core.optable.kinds.copy import CopyRows
from wengert_core.optable.kinds.create import CreateRows
from wengert_core.optable.kinds.index import IndexRows
from wengert_core.optable.kinds.linalg import LinalgRows
from wengert_core.optable.kinds.nn import LayerRows
from wengert_core.optable.kinds.pointwise import PointwiseRows
from wengert_core.optable.kinds.reduce import ReduceRows
from wengert_core.optable.kinds.view import ViewRows
from wengert_core.tensors.tensor import Tensor, mount


class OpTable(PointwiseRows, ViewRows, CopyRows, IndexRows, ReduceRows, LinalgRows, LayerRows, CreateRows):
    """Operators of one owner: see the base classes for the kinds of rows."""


def method_name(table: OpTable, name: str, method: Any) -> Any:
    """A method of Tensor that has its own name where the op has another: ``Tensor.clip`` calls ``clamp``.

    The function of a composite is called by way of it, so that other names of arguments and errors are the same.
    """
    called = table.wrapped.get(method, method)
    other = called is not method or (isinstance(method, (Op, Composite)) and method.name != name)
    return Method(called, name, Tensor) if other else method


def install(table: OpTable) -> None:
    """Make what core's families have added to its table since the last time known, and give Tensor its methods.

    Core's names are core's: a plugin's op that has one of them, which was loaded before its family, is found no more.
    """
    fresh = list(table.fresh)  # other threads may be reading rows meanwhile
    for op in [dict.get(table.ops, name) for name in fresh]:
        if isinstance(op, Op):
            other = _op.loaded_op(op.name)
            _op.register(op, table.read_again or (other is not None and other.owner != table.name))
    del table.fresh[: len(fresh)]
    for name, method in list(dict.items(table.methods)):
        if name not in table.mounted or table.read_again:
            mount(name, method_name(table, name, method))
            table.mounted.add(name)
    table.installed = True
