"""The names of nodes are PyTorch 2.13's, as its users see them in ``grad_fn``: recorded."""

from __future__ import annotations

import pytest
import wengert_core as wc
import wengert_engine  # noqa: F401 - requires_grad needs it

X, Y = (wc.rand(3, 3, dtype=wc.float64).requires_grad_() for _ in range(2))
V = wc.rand(3, dtype=wc.float64).requires_grad_()
MASK, INDEX = wc.ones(3, 3, dtype=wc.bool), wc.zeros(3, 3, dtype=wc.int64)
OPS = wc.TABLE.ops

NAMES = {
    "AddBackward0": lambda: X + Y,
    "SubBackward0": lambda: X - Y,
    "MulBackward0": lambda: X * 2,
    "DivBackward0": lambda: X / Y,
    "NegBackward0": lambda: -X,
    "PowBackward0": lambda: X**2,
    "AbsBackward0": lambda: X.abs(),
    "ReciprocalBackward0": lambda: X.reciprocal(),
    "SqrtBackward0": lambda: X.sqrt(),
    "MaximumBackward0": lambda: X.maximum(Y),
    "LerpBackward0": lambda: X.lerp(Y, 0.5),
    "AddcmulBackward0": lambda: X.addcmul(X, Y),
    "WhereBackward0": lambda: OPS["where"](MASK, X, Y),
    "ExpBackward0": lambda: X.exp(),
    "Exp2Backward0": lambda: X.exp2(),
    "Expm1Backward0": lambda: X.expm1(),
    "LogBackward0": lambda: X.log(),
    "Log2Backward0": lambda: X.log2(),
    "Log10Backward0": lambda: X.log10(),
    "Log1PBackward0": lambda: X.log1p(),
    "LogaddexpBackward0": lambda: X.logaddexp(Y),
    "Atan2Backward0": lambda: X.atan2(Y),
    "Deg2RadBackward0": lambda: X.deg2rad(),
    "Rad2DegBackward0": lambda: X.rad2deg(),
    "TanhBackward0": lambda: X.tanh(),
    "SigmoidBackward0": lambda: X.sigmoid(),
    "ReluBackward0": lambda: X.relu(),
    "LeakyReluBackward0": lambda: OPS["leaky_relu"](X),
    "GeluBackward0": lambda: OPS["gelu"](X),
    "FloorBackward0": lambda: X.floor(),
    "SumBackward0": lambda: X.sum(),
    "MeanBackward0": lambda: X.mean(),
    "ProdBackward0": lambda: X.prod(),
    "VarBackward0": lambda: X.var(),
    "StdBackward0": lambda: X.std(),
    "MaxBackward0": lambda: X.max(0)[0],
    "AmaxBackward0": lambda: X.amax(0),
    "LogsumexpBackward0": lambda: X.logsumexp(0),
    "LinalgVectorNormBackward0": lambda: X.norm(),
    "CumsumBackward0": lambda: X.cumsum(0),
    "CumprodBackward0": lambda: X.cumprod(0),
    "LogcumsumexpBackward0": lambda: X.logcumsumexp(0),
    "SortBackward0": lambda: X.sort()[0],
    "TopkBackward0": lambda: X.topk(2)[0],
    "KthvalueBackward0": lambda: X.kthvalue(1)[0],
    "ViewBackward0": lambda: X.reshape(9),
    "UnsafeViewBackward0": lambda: X.t().reshape(9),
    "TBackward0": lambda: X.t(),
    "TransposeBackward0": lambda: X.transpose(0, 1),
    "PermuteBackward0": lambda: X.permute(1, 0),
    "SqueezeBackward0": lambda: X.squeeze(),
    "UnsqueezeBackward0": lambda: X.unsqueeze(0),
    "ExpandBackward0": lambda: V.expand(3, 3),
    "SelectBackward0": lambda: X[0],
    "SliceBackward0": lambda: X[1:],
    "SplitBackward0": lambda: X.split(1)[0],
    "UnbindBackward0": lambda: X.unbind()[0],
    "DiagonalBackward0": lambda: X.diagonal(),
    "AsStridedBackward0": lambda: X.as_strided((2,), (1,)),
    "UnfoldBackward0": lambda: X.unfold(0, 2, 1),
    "CloneBackward0": lambda: X.clone(),
    "FlipBackward0": lambda: X.flip(0),
    "RollBackward0": lambda: X.roll(1),
    "RepeatBackward0": lambda: X.repeat(2, 2),
    "ToCopyBackward0": lambda: X.float(),
    "IndexBackward0": lambda: X[INDEX[0]],
    "GatherBackward0": lambda: X.gather(0, INDEX),
    "ScatterBackward0": lambda: X.scatter(0, INDEX, Y),
    "ScatterAddBackward0": lambda: X.scatter_add(0, INDEX, Y),
    "IndexSelectBackward0": lambda: X.index_select(0, INDEX[0]),
    "IndexAddBackward0": lambda: X.index_add(0, INDEX[0], Y),
    "IndexPutBackward0": lambda: X.index_put((INDEX[0],), V),
    "MaskedFillBackward0": lambda: X.masked_fill(MASK, 0),
    "MaskedSelectBackward0": lambda: X.masked_select(MASK),
    "TrilBackward0": lambda: X.tril(),
    "TriuBackward0": lambda: X.triu(),
    "CatBackward0": lambda: OPS["cat"]([X, Y]),
    "StackBackward0": lambda: OPS["stack"]([X, Y]),
    "MmBackward0": lambda: X @ Y,
    "MvBackward0": lambda: X @ V,
    "DotBackward0": lambda: V @ V,
    "AddmmBackward0": lambda: X.addmm(X, Y),
    "CopyBackwards": lambda: X.clone().copy_(Y),
    "FillBackward2": lambda: X.clone().fill_(1.0),
    "ZeroBackward0": lambda: X.clone().zero_(),
    "UniformBackward0": lambda: X.clone().uniform_(),
    "ViewAsComplexBackward0": lambda: OPS["view_as_complex"](X[:, :2].contiguous()),
}


@pytest.mark.parametrize("name", NAMES)
def test_a_node_is_called_as_in_torch(name):
    node = NAMES[name]().grad_fn
    assert type(node).__name__ == name
    assert node.name().removeprefix("torch::autograd::") == name
