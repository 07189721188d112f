"""Samples of images of other sizes, of bags of embeddings, and of losses with margins; each oracle is plain loops."""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.nn import of_nn
from wengert_testing.samples.shapes import with_words

SIGNS = np.array([1, -1, -1])
LABELS = np.array([2, 0, 1])
SEVERAL = np.array([[1, 2, -1], [0, -1, 2], [-1, 1, 1]])
ENTRIES = np.array([0, 2, 2, 4, 1])
OFFSETS = np.array([0, 2, 2, 4])


def of_places(weights: Any) -> Any:
    """The images along one dim as matrix products: weights(size, new) gives [new, size]."""

    def oracle(x: Any, size: Any, **words: Any) -> Any:
        sizes = (size,) * (x.ndim - 2) if isinstance(size, int) else size
        for d, new in enumerate(sizes):
            x = np.moveaxis(np.moveaxis(x, d + 2, -1) @ weights(x.shape[d + 2], new).T, -1, d + 2)
        return x

    return oracle


def hats(size: int, new: int) -> Any:
    """Linear interpolation between the centres of pixels, constant outside of them."""
    at = np.clip((np.arange(new) + 0.5) * size / new - 0.5, 0, size - 1)
    return np.maximum(1 - np.abs(at[:, None] - np.arange(size)), 0)


def floors(size: int, new: int) -> Any:
    return (np.arange(new)[:, None] * size // new == np.arange(size)).astype(float)


def areas(size: int, new: int) -> Any:
    at, pixels = np.arange(new)[:, None], np.arange(size)
    inside = (pixels >= at * size // new) & (pixels < -(-(at + 1) * size // new))
    return inside / inside.sum(1, keepdims=True)


def sampled(image: Any, grid: Any, align_corners: Any = False) -> Any:
    """Bilinear, zeros outside: the sum over all pixels of hats."""
    h, w = image.shape[2:]
    x, y = (grid[..., 0] + 1) / 2, (grid[..., 1] + 1) / 2
    x, y = (x * (w - 1), y * (h - 1)) if align_corners else (x * w - 0.5, y * h - 0.5)
    rows = np.maximum(1 - np.abs(y[..., None] - np.arange(h)), 0)
    columns = np.maximum(1 - np.abs(x[..., None] - np.arange(w)), 0)
    return np.einsum("nchw,nijh,nijw->ncij", image, rows, columns)


def affine(theta: Any, size: Any, align_corners: Any = False) -> Any:
    axes = [(2 * np.arange(n) + 1) / n - 1 if not align_corners else np.linspace(-1, 1, n) for n in size[2:]]
    axes = [axis if len(axis) > 1 else np.zeros(1) for axis in axes]
    points = np.stack([*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(size[2:])], -1)
    return np.einsum("...k,njk->n...j", points, theta)


def shuffled(x: Any, r: Any) -> Any:
    c, h, w = x.shape[-3] // (r * r), x.shape[-2], x.shape[-1]
    out = np.empty((*x.shape[:-3], c, h * r, w * r), x.dtype)
    for i in range(r):
        for j in range(r):
            out[..., i::r, j::r] = x[..., i * r + j :: r * r, :, :]
    return out


def unshuffled(x: Any, r: Any) -> Any:
    parts = [x[..., i::r, j::r] for i in range(r) for j in range(r)]
    return np.stack(parts, -3).reshape(*x.shape[:-3], x.shape[-3] * r * r, x.shape[-2] // r, x.shape[-1] // r)


def distances(x: Any, p: Any = 2.0) -> Any:
    pairs = [(i, j) for i in range(len(x)) for j in range(i + 1, len(x))]
    return np.array([np.linalg.norm(x[i] - x[j], p) for i, j in pairs])


def bags(index: Any, weight: Any, offsets: Any = None, mode: Any = "mean", per_sample_weights: Any = None) -> Any:
    """Each bag by itself."""
    rows = weight[index.reshape(-1)]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    starts = np.arange(len(index)) * index.shape[1] if offsets is None else offsets
    ways: dict[str, Any] = {"sum": np.sum, "mean": np.mean, "max": np.max}
    way = ways[mode]
    parts = [rows[a:b] for a, b in zip(starts, [*starts[1:], len(rows)], strict=True)]
    return np.stack([way(part, axis=0) if len(part) else np.zeros_like(weight[0]) for part in parts])


def bags_and_more(
    weight: Any, index: Any, offsets: Any, by_frequency: Any = False, mode: Any = 0, sparse: Any = False,
    factors: Any = None, last: Any = False, padding: Any = None,
) -> Any:  # fmt: skip
    """The first of four results: padded entries are left out."""
    starts = offsets[:-1] if last else offsets
    kept = np.array([i for i in range(len(index)) if index[i] != padding], dtype=np.int64)
    moved = np.searchsorted(kept, starts)
    return bags(index[kept], weight, moved, ("sum", "mean", "max")[mode], None if factors is None else factors[kept])


# ---- losses
WAYS = ("none", "mean", "sum")


def reduced(losses: Any, reduction: Any) -> Any:
    ways: dict[str, Any] = {"none": lambda x: x, "mean": np.mean, "sum": np.sum}
    return ways[reduction](losses)


def cosine_embedding(x: Any, y: Any, t: Any, margin: Any = 0.0, reduction: Any = "mean") -> Any:
    cosine = (x * y).sum(-1) / np.sqrt((x * x).sum(-1) * (y * y).sum(-1))
    return reduced(np.where(t == 1, 1 - cosine, np.maximum(cosine - margin, 0)), reduction)


def multi_margin(x: Any, t: Any, p: Any = 1, margin: Any = 1.0, weight: Any = None, reduction: Any = "mean") -> Any:
    losses = [
        sum(np.maximum(0, margin - row[y] + row[j]) ** p for j in range(len(row)) if j != y)
        * (1 if weight is None else weight[y])
        / len(row)
        for row, y in zip(x, t, strict=True)
    ]
    return reduced(np.array(losses), reduction)


def multilabel_margin(x: Any, t: Any, reduction: Any = "mean") -> Any:
    losses = []
    for row, given in zip(x, t, strict=True):
        labels = [int(k) for k in given[: list(given).index(-1)]] if -1 in given else [int(k) for k in given]
        others = [i for i in range(len(row)) if i not in labels]
        losses.append(sum(np.maximum(0, 1 - row[k] + row[i]) for k in labels for i in others) / len(row))
    return reduced(np.array(losses), reduction)


def soft_margin(x: Any, t: Any, weight: Any = None, reduction: Any = "mean") -> Any:
    losses = t * np.log1p(np.exp(-x)) + (1 - t) * np.log1p(np.exp(x))
    return reduced((losses if weight is None else losses * weight).mean(-1), reduction)


def triplet(a: Any, p: Any, n: Any, margin: Any = 1.0, swap: Any = False, reduction: Any = "mean") -> Any:
    def distance(x: Any, y: Any) -> Any:
        return np.sqrt(((x - y + 1e-6) ** 2).sum(-1))

    far = np.minimum(distance(a, n), distance(p, n)) if swap else distance(a, n)
    return reduced(np.maximum(0, margin + distance(a, p) - far), reduction)


def alignments(logs: Any, targets: Any, inputs: Any, outputs: Any, blank: Any = 0, reduction: Any = "none") -> Any:
    """The sum over all paths, one by one."""
    losses = []
    for n, (steps, length) in enumerate(zip(inputs, outputs, strict=True)):
        total = 0.0
        for path in np.ndindex(*[logs.shape[2]] * steps):
            kept = [k for i, k in enumerate(path) if i == 0 or k != path[i - 1]]
            if [k for k in kept if k != blank] == list(targets[n][:length]):
                total += np.exp(sum(logs[t, n, k] for t, k in enumerate(path)))
        losses.append(-np.log(total))
    return reduced(np.array(losses), reduction)


CTC = (np.array([[1, 2], [2, 2], [1, 0]]), (3, 3, 2), (2, 2, 1))
REDUCTIONS: list[dict[str, Any]] = [{"reduction": name} for name in ("mean", "none", "sum")]
GRID = T(2, 2, 3, 2, domain=(-1.3, 1.3))
PIXELS = (-0.5, 0, 0.5)  # where places between pixels begin

IMAGES: dict[str, Any] = {
    "1": ((1, 2, 4), (6,), (3,), (4,)), "2": ((2, 1, 3, 4), (4, 3), (3, 4)), "3": ((1, 1, 2, 3, 2), (3, 2, 4))
}
"""By the number of dims: a shape, and new sizes."""

CASES = [
    of_nn("interpolate", of_places(floors), [(T(1, 2, 4), 3), (T(1, 1, 3, 4), (2, 5)), (T(1, 1, 2, 3, 2), (3, 2, 4))]),
    of_nn(
        "interpolate",
        of_places(hats),
        [(T(1, 2, 4), 6, {"mode": "linear"}), (T(2, 1, 3, 4), (4, 3), {"mode": "bilinear"}),
         (T(1, 1, 2, 3, 2), (3, 2, 4), {"mode": "trilinear"})],
    ),
    of_nn("interpolate", of_places(areas), with_words([(T(1, 2, 5), 3), (T(1, 1, 3, 4), (2, 5))], mode="area")),
    of_nn(
        "interpolate", None, with_words([(T(1, 1, 3, 4), (4, 3))], mode="bicubic"),
        note="values: tests/torch_parity/recorded",
    ),
    of_nn(
        "interpolate",
        None,
        with_words([(T(1, 1, 5, 6), (2, 3))], mode="bilinear", antialias=True),
        note="values: tests/torch_parity/recorded",
    ),
    *(
        OpCase(
            f"_upsample_{kind}",
            None,
            [(T(*IMAGES[kind[-2]][0]), new) for new in IMAGES[kind[-2]][1:]],
            note="values: tests/torch_parity/recorded, by interpolate",
        )
        for kind in ("nearest1d", "nearest_exact1d", "linear1d", "nearest2d", "nearest_exact2d", "bilinear2d",
                     "bicubic2d", "nearest3d", "nearest_exact3d", "trilinear3d")
    ),
    *(
        OpCase(f"_upsample_{mode}2d_aa", None, [(T(1, 1, 5, 6), (2, 3)), (T(1, 1, 5, 6), (3, 9))],
               note="values: tests/torch_parity/recorded, by interpolate")
        for mode in ("bilinear", "bicubic", "lanczos")
    ),
    OpCase(
        "_upsample_backward",
        None,
        [(T(2, 1, 3), "linear1d", (5,), True), (T(1, 2, 3, 4), "bicubic2d", (2, 5), False, (1.7, None)),
         (T(1, 1, 3, 4), "nearest2d", (2, 5)), (T(1, 1, 2, 3), "bilinear2d_aa", (4, 5))],
        note="the adjoint of the others: tests/ops",
    ),
    of_nn(
        "grid_sample",
        sampled,
        [(T(2, 2, 3, 4), GRID, {"align_corners": False}), (T(2, 1, 2, 2), GRID, {"align_corners": True})],
        rtol=1e-4,
        dtypes=("float32", "float64"),
        note="float32 places have few digits left inside a pixel",
    ),
    *(
        of_nn(
            "grid_sample",
            None,
            with_words([(T(2, 2, 3, 4), GRID)], mode=mode, padding_mode=padding, align_corners=False),
            note="values: tests/torch_parity/recorded",
        )
        for mode in ("bilinear", "bicubic")
        for padding in ("zeros", "border", "reflection")
    ),
    OpCase(
        "_grid_sampler_2d",
        None,
        [(T(2, 2, 3, 4), GRID, mode, padding, mode == 1) for mode, padding in ((0, 0), (0, 2), (1, 1), (2, 0), (2, 2))],
        note="values: tests/torch_parity/recorded, by grid_sample",
    ),
    OpCase(
        "_grid_sampler_3d",
        None,
        [(T(2, 1, 2, 3, 2), T(2, 1, 2, 2, 3, domain=(-1.3, 1.3)), mode, mode, True) for mode in (0, 1)],
        note="values: packages/core/tests/test_staged.py",
    ),
    OpCase(
        "_affine_grid_generator",
        affine,
        [(T(2, 2, 3), (2, 1, 3, 4), False), (T(2, 3, 4), (2, 1, 3, 2, 2), True), (T(1, 2, 3), (1, 3, 1, 4), True)],
        invariant=lambda found, *rest: found,
    ),
    of_nn(
        "affine_grid",
        affine,
        [(T(2, 2, 3), (2, 1, 2, 3), {"align_corners": False}), (T(1, 3, 4), (1, 1, 2, 3, 2), {"align_corners": True})],
    ),
    *(
        OpCase(f"{place}{name}", oracle, inputs)
        for place in ("", "nn.functional.")
        for name, oracle, inputs in (
            ("pixel_shuffle", shuffled, [(T(2, 4, 2, 3), 2), (T(9, 1, 2), 3), (T(0, 4, 1, 1), 2)]),
            ("pixel_unshuffle", unshuffled, [(T(2, 1, 4, 6), 2), (T(2, 3, 3), 3)]),
            ("pdist", distances, [(T(4, 3),), (T(3, 2), 1.0), (T(3, 2), 3.0), (T(3, 4), np.inf)]),
        )
    ),
    OpCase("_pdist", distances, [(T(4, 3),), (T(3, 2), 1.0), (T(3, 2), 3.0), (T(3, 4), np.inf), (T(1, 3),)]),
    of_nn(
        "embedding_bag",
        bags,
        [
            (ENTRIES[:4].reshape(2, 2), T(5, 3)),
            *with_words([(ENTRIES, T(5, 3), OFFSETS)], mode="sum"),
            (ENTRIES, T(5, 3), OFFSETS, {"mode": "max"}),
            (ENTRIES, T(5, 3), OFFSETS, {"mode": "sum", "per_sample_weights": T(5)}),
        ],
    ),
    *(
        OpCase(
            name,
            bags_and_more,
            [
                (T(5, 3), ENTRIES, OFFSETS),
                (T(5, 3), ENTRIES, OFFSETS, False, 1),
                (T(5, 3), ENTRIES, OFFSETS, False, 2, False, None, False, 2),
                (T(5, 3), ENTRIES, np.array([0, 1, 5]), False, 0, False, T(5), True, 4),
            ],
            invariant=lambda found, *rest: found,  # the rest is tested beside PyTorch's
        )
        for name in ("embedding_bag", "_embedding_bag")
    ),
    # ---- losses
    of_nn("cosine_embedding_loss", cosine_embedding,
          [(T(3, 4), T(3, 4), SIGNS, words) for words in REDUCTIONS], kinks=(0,)),
    of_nn(
        "multi_margin_loss",
        multi_margin,
        [*((T(3, 4), LABELS, words) for words in REDUCTIONS), (T(3, 4), LABELS, 2, 0.7, fixed([0.5, 1, 2, 3]))],
    ),
    of_nn("multilabel_margin_loss", multilabel_margin, [(T(3, 3), SEVERAL, words) for words in REDUCTIONS]),
    OpCase(
        "_multi_margin_loss",
        lambda x, t, p=1, margin=1.0, weight=None, reduction=1: multi_margin(x, t, p, margin, weight, WAYS[reduction]),
        [(T(3, 4), LABELS, 1, 1.0, None, n) for n in (0, 1, 2)] + [(T(3, 4), LABELS, 2, 0.7, fixed([0.5, 1, 2, 3]))],
    ),
    OpCase(
        "_multilabel_margin_loss",
        lambda x, t, reduction=1: multilabel_margin(x, t, WAYS[reduction]),
        [(T(3, 3), SEVERAL, n) for n in (0, 1, 2)],
    ),
    of_nn(
        "multilabel_soft_margin_loss",
        soft_margin,
        [*((T(3, 4), T(3, 4), words) for words in REDUCTIONS), (T(2, 3), T(2, 3), fixed([1, 2, 0.5]))],
    ),
    of_nn("triplet_margin_loss", triplet, [*((T(3, 2), T(3, 2), T(3, 2), words) for words in REDUCTIONS),
                                           (T(3, 2), T(3, 2), T(3, 2), {"swap": True})]),
    of_nn("triplet_margin_with_distance_loss", triplet,
          [(T(3, 2), T(3, 2), T(3, 2), words) for words in REDUCTIONS]),
    of_nn(
        "ctc_loss",
        alignments,
        [(T(3, 3, 3, domain=(-2, -0.2)), *CTC, {"reduction": name}) for name in ("none", "sum")],
        grad=False,
        note="its derivative is that of probabilities which sum up to 1: packages/formulas/tests/test_ctc.py",
    ),
]  # fmt: skip
