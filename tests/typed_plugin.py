"""A plugin's tables as a type checker sees them: `make lint` reads this, nothing runs it.

A misspelt setting is an error: each `type: ignore` here would be one itself if the checker had nothing to say.
"""

from typing import Any

import numpy as np
from wengert_core.extend import FLOATING, Op, OpTable
from wengert_formulas.extend import FormulaTable

TABLE = OpTable("acme")
FORMULAS = FormulaTable("acme")


def twice(xp: Any, x: Any) -> Any:
    return x + x


def slope(grad: Any) -> Any:
    return grad * 2


UNARY = "twice(Tensor self) -> Tensor"
REDUCED = "total(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor"

# ---- right

op: Op = TABLE.pointwise_unary(UNARY, kernels=[np.cbrt], promotion="float", dtypes=FLOATING, doc="Twice.", method=False)
op = TABLE.pointwise(1, UNARY, reference=twice, n_promote=1, check=None, identity="real")
op = TABLE.reduction(REDUCED, kind="sum", reference=twice, no_record=True)
op = TABLE.along(UNARY, reference=twice, results=["same"], keeps_order=True)
op = TABLE.array(UNARY, reference=twice, results=("same",), widen="")
op = TABLE.staged(UNARY, stages=twice, reference=None, inplace="method")
op = TABLE.view(UNARY, geometry=twice, method=False)
op = TABLE.factory(UNARY, impl=twice)
op = TABLE.random(UNARY, sampler=twice)
FORMULAS.derivative("twice", self=slope, jvp=slope, outputs=("result",), node="TwiceBackward0")
FORMULAS.elementwise("twice", self=2.0)

# ---- a setting that does not exist

TABLE.pointwise_unary(UNARY, kernals=[np.cbrt])  # type: ignore[call-arg]
TABLE.pointwise_unary(UNARY, reference=twice, in_place=False)  # type: ignore[call-arg]
TABLE.pointwise_binary(UNARY, referense=twice)  # type: ignore[call-arg]
TABLE.pointwise_ternary(UNARY, reference=twice, bound=True)  # type: ignore[call-arg]
TABLE.pointwise(1, UNARY, reference=twice, n_promotes=1)  # type: ignore[call-arg]
TABLE.reduction(REDUCED, kind="sum", reference=twice, norecord=True)  # type: ignore[call-arg]
TABLE.along(UNARY, reference=twice, result=["same"])  # type: ignore[call-arg]
TABLE.array(UNARY, reference=twice, widens="")  # type: ignore[call-arg]
TABLE.staged(UNARY, stage=twice, stages=twice, reference=twice)  # type: ignore[call-arg]
TABLE.view(UNARY, geometry=twice, methods=False)  # type: ignore[call-arg]
TABLE.factory(UNARY, imp=twice)  # type: ignore[call-arg]
TABLE.random(UNARY, sample=twice, sampler=twice)  # type: ignore[call-arg]
FORMULAS.batch("twice", "broadcast", nodes="x")  # type: ignore[call-arg]

# ---- a setting that is missing

TABLE.reduction(REDUCED, reference=twice)  # type: ignore[call-arg]
TABLE.array(UNARY)  # type: ignore[call-arg]

# ---- a value of another type

TABLE.pointwise_unary(UNARY, reference="twice")  # type: ignore[arg-type]
TABLE.pointwise_unary(UNARY, reference=twice, dtypes=np.float32)  # type: ignore[arg-type]
TABLE.pointwise_unary(UNARY, reference=twice, doc=None)  # type: ignore[arg-type]
TABLE.reduction(REDUCED, kind=1, reference=twice)  # type: ignore[arg-type]
FORMULAS.derivative("twice", self=slope, nodes="TwiceBackward0")  # type: ignore[arg-type]
FORMULAS.derivative("twice", joint=slope, joint_input=("self",))  # type: ignore[arg-type]
FORMULAS.derivative("twice", self=slope, outputs="result")  # type: ignore[arg-type]
FORMULAS.elementwise("twice", self="grad")  # type: ignore[arg-type]
