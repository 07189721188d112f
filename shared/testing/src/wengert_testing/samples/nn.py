"""Samples of what networks are made of: activations, softmax, normalisation, embeddings, distances."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T
from wengert_testing.samples.activations import sigmoid
from wengert_testing.samples.reductions import vector_norm
from wengert_testing.samples.shapes import ALONG, UNARY, with_words

CLASSES = np.array([[2, 0, 1], [1, 1, 0]])


def soft(x: Any, dim: Any, _stacklevel: Any = 3, dtype: Any = None) -> Any:
    e = np.exp(x)
    return e / e.sum(axis=dim, keepdims=True) if x.ndim else np.ones_like(x)


def layer_norm(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    axes = tuple(range(-len(shape), 0))
    y = (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + eps)
    return (y if weight is None else y * weight) + (0 if bias is None else bias)


def rms_norm(x: Any, shape: Any, weight: Any = None, eps: Any = 1e-12) -> Any:
    y = x / np.sqrt((x * x).mean(tuple(range(-len(shape), 0)), keepdims=True) + eps)
    return y if weight is None else y * weight


def cosine(x: Any, y: Any, dim: Any = 1, eps: Any = 1e-8) -> Any:
    return (x * y).sum(dim) / (np.sqrt((x * x).sum(dim)) * np.sqrt((y * y).sum(dim)))


def distance(x: Any, y: Any, p: Any = 2.0, eps: Any = 1e-6, keepdim: Any = False) -> Any:
    return vector_norm(x - y + eps, p, -1, keepdim)


def distances(x: Any, y: Any, p: Any = 2.0) -> Any:
    return vector_norm(x[..., :, None, :] - y[..., None, :, :], p, -1)


def rows(index: Any, weight: Any, padding_idx: Any = None) -> Any:
    return weight[index]


def hot(x: Any, n: Any = -1) -> Any:
    return (x[..., None] == np.arange(x.max() + 1 if n == -1 else n)).astype(np.int64)


def both(name: Any, *settings: Any, **words: Any) -> Any:
    """A function that stands both at the top and in nn.functional."""
    return [OpCase(name, *settings, **words), OpCase(f"nn.functional.{name}", *settings, **words)]


def of_nn(name: Any, *settings: Any, **words: Any) -> Any:
    """A function of nn.functional."""
    return OpCase(f"nn.functional.{name}", *settings, **words)


LAYERS = [(T(2, 3), (3,)), (T(2, 3), (3,), T(3), T(3)), (T(2, 2, 3), (2, 3), T(2, 3))]
PAIR = [(T(2, 3), T(2, 3)), (T(3, 2), T(3, 2), 0)]

CASES = [
    # ---- softmax
    OpCase("softmax", soft, ALONG, domain=(-1, 1)),
    OpCase("log_softmax", lambda x, dim: np.log(soft(x, dim)), ALONG, domain=(-1, 1)),
    of_nn("softmax", soft, ALONG),
    of_nn("log_softmax", lambda x, dim: np.log(soft(x, dim)), ALONG),
    of_nn("softmin", lambda x, dim: soft(-x, dim), ALONG),
    OpCase(
        "_softmax_backward_data",
        lambda g, y, dim: y * (g - (g * y).sum(dim, keepdims=True)),
        [(T(4), T(4), 0), (T(2, 3), T(2, 3), -1)],
    ),
    OpCase(
        "_log_softmax_backward_data",
        lambda g, y, dim: g - np.exp(y) * g.sum(dim, keepdims=True),
        [(T(4), T(4), 0), (T(2, 3), T(2, 3), -1)],
    ),
    # ---- activations
    OpCase("log_sigmoid", lambda x: np.log(sigmoid(x)), UNARY),
    OpCase("log_sigmoid_backward", lambda g, x: g * sigmoid(-x), [(T(), T()), (T(2, 3), T(2, 3))]),
    of_nn("logsigmoid", lambda x: np.log(sigmoid(x)), UNARY),
    of_nn(
        "threshold", lambda x, threshold, value: np.where(x > threshold, x, value), [(T(2, 3), 0.1, -5.0)], kinks=(0.1,)
    ),
    of_nn("softsign", lambda x: x / (1 + np.abs(x)), UNARY, kinks=(0,)),
    of_nn("tanhshrink", lambda x: x - np.tanh(x), UNARY),
    *both("rrelu", lambda x, lower=1 / 8, upper=1 / 3: np.where(x > 0, x, x * (lower + upper) / 2), UNARY, kinks=(0,)),
    *both("dropout", lambda x, p, train: x, [(T(2, 3), 0.5, False), (T(2, 3), 0.0, True)]),
    # ---- normalisation
    *both("layer_norm", layer_norm, LAYERS),
    *both("rms_norm", rms_norm, with_words([LAYERS[0], LAYERS[2]], eps=1e-3)),
    of_nn("normalize", lambda x, p=2.0, dim=1: x / vector_norm(x, p, dim, True), [(T(2, 3),), (T(2, 3), 3.0, 0)]),
    # ---- classes
    of_nn("one_hot", hot, [(CLASSES,), (CLASSES, 5)], grad=False),
    OpCase(
        "_embedding",
        lambda weight, indices, *rest: weight[indices],
        [(T(3, 2), CLASSES), (T(4, 2), CLASSES[0]), (T(3, 2), CLASSES, -1, False, False), (T(3, 2), CLASSES[:0])],
    ),
    of_nn("embedding", rows, [(CLASSES, T(3, 2)), (CLASSES[0], T(4, 2))]),
    # ---- distances
    *both("cosine_similarity", cosine, PAIR),
    *both("pairwise_distance", distance, [(T(2, 3), T(2, 3)), (T(2, 3), T(2, 3), 3.0)]),
    OpCase(
        "_cdist",
        distances,
        [(T(2, 3), T(4, 3), p) for p in (2.0, 1.0, 3.0, np.inf)] + [(T(2, 2, 3), T(1, 4, 3)), (T(0, 3), T(2, 3))],
    ),
    OpCase("cdist", distances, [(T(2, 3), T(4, 3)), (T(2, 2, 3), T(2, 1, 3), 3.0)]),
    # ---- sums of products
    OpCase(
        "einsum",
        np.einsum,
        [
            ("ij,jk->ik", T(2, 3), T(3, 2)),
            ("ij->ji", T(2, 3)),
            ("ii->i", T(3, 3)),
            ("bij,bjk", T(2, 2, 3), T(2, 3, 2)),
            ("i,j->ij", T(2), T(3)),
            ("...i,i->...", T(2, 3), T(3)),
            ("ij,ij->", T(2, 3), T(2, 3)),
            ("ijk,jl,k->il", T(2, 3, 2), T(3, 2), T(2)),
        ],
        complex=True,
    ),
    OpCase(
        "tensordot",
        lambda x, y, dims=2: np.tensordot(x, y, dims),
        [(T(2, 3), T(2, 3)), (T(2, 3), T(3, 2), 1), (T(2, 3), T(3, 2), ([0, 1], [1, 0]))],
    ),
]
