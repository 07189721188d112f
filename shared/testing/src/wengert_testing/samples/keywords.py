"""Arguments that the families' rows leave out: dims counted from the end, and every keyword at least once.

The values are PyTorch's, recorded for all rows (tests/torch_parity/recorded/test_inputs.py); here nothing is
written out once more.
tests/ops/test_samples.py says which argument of which op no row has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wengert_testing.case import OpCase, T, fixed
from wengert_testing.samples.linalg.linalg_solve import definite

NOTE = "values are compared with PyTorch's recorded answers"
M, V = T(2, 3), T(3)
PLACES = np.array([[2, 0], [1, 1]])
LINES = np.array([1, 0])
CLASSES = np.array([1, 0, 2])
SQUARE = T(3, 3, domain=(0.1, 1.0))
WINDOW = fixed([0.2, 0.9, 1.0, 0.7])

DIFFERENTIABLE: dict[str, list[tuple[Any, ...]]] = {
    # ---- dims from the end
    "aminmax": [(M, {"dim": -1, "keepdim": True})],
    "cat": [([T(2, 3), T(2, 1)], -1)],
    "chunk": [(T(2, 5), 2, -1)],
    "cosine_similarity": [(M, M, -1, 1e-6)],
    "nn.functional.cosine_similarity": [(M, M, -1, 1e-6)],
    "cross": [(M, M, {"dim": -1})],
    "cumulative_trapezoid": [(T(3, 2), {"dim": -2})],
    "diag_embed": [(M, 0, -2, -1)],
    "diagonal": [(T(2, 3, 4), 0, -2, -1)],
    "diagonal_scatter": [(T(3, 3, 2), T(2, 2), 1, -3, -2)],
    "diff": [(T(3, 2), 1, -2)],
    **{f"fft.{name}2": [(T(4, 3), {"dim": (-2, -1)})] for name in ("fft", "ifft", "rfft", "ihfft")},
    **{f"fft.{name}2": [(T(4, 3, dtype="complex128"), {"dim": (-2, -1)})] for name in ("hfft", "irfft")},
    "flatten": [(T(2, 3, 2), -2, -1)],
    "gather": [(M, -1, PLACES, {"sparse_grad": False})],
    "gradient": [(T(3, 2), {"dim": -2})],
    "index_add": [(M, -1, LINES, T(2, 2))],
    "index_fill": [(M, -1, LINES, 1.5)],
    "kthvalue": [(M, 2, -2, True)],
    "linalg.cross": [(M, M, {"dim": -1})],
    "linalg.diagonal": [(T(2, 3, 3), {"offset": 1, "dim1": -3, "dim2": -1})],
    "linalg.matrix_norm": [(T(2, 3, 2), "fro", (-3, -1), True)],
    "linalg.norm": [(M, None, -1, True)],
    "linalg.vecdot": [(M, M, {"dim": -2})],
    "logsumexp": [(M, -1, True)],
    "median": [(T(3, 2), -2, True)],
    "nanmedian": [(T(3, 2), -2, True)],
    "mode": [(M, -1, True)],
    "narrow": [(M, -1, 1, 2)],
    "nn.functional.glu": [(T(4, 3), -2)],
    "nn.functional.normalize": [(M, 1.5, -1, 1e-3)],
    "repeat_interleave": [(M, 2, -1, {"output_size": 6})],
    "roll": [(M, (1, 2), (-1, 0))],
    "rot90": [(M, 1, (-1, 0))],
    "scatter": [(M, -1, PLACES[:, :1], T(2, 1))],
    "scatter_add": [(M, -1, PLACES, T(2, 2))],
    "scatter_reduce": [(M, -1, PLACES, T(2, 2), "sum", {"include_self": False})],
    "select_scatter": [(M, T(2), -1, 1)],
    "slice": [(T(2, 5), -1, 1, 4, 2)],
    "slice_scatter": [(T(2, 5), T(2, 2), -1, 1, 5, 2)],
    "split": [(T(2, 5), 2, -1)],
    "swapaxes": [(T(2, 3, 4), 0, -1)],
    "swapdims": [(T(2, 3, 4), 0, -1)],
    "take_along_dim": [(M, PLACES, -1)],
    "tensor_split": [(T(2, 5), 2, -1), (T(5), {"indices": (1, 3)}), (T(5), {"sections": 2})],
    "tensordot": [(M, T(3, 2), ([-1], [0]))],
    "topk": [(T(3, 2), 2, -2, False, True)],
    "transpose": [(T(2, 3, 4), 0, -1)],
    "trapezoid": [(T(3, 2), {"dim": -2})],
    "trapz": [(T(3, 2), {"dim": -2})],
    "unflatten": [(T(2, 6), -1, (2, 3))],
    # ---- keywords
    "addbmm": [(T(2, 2), T(2, 2, 3), T(2, 3, 2), {"beta": 0.5, "alpha": 2})],
    "baddbmm": [(T(2, 2), T(2, 2, 3), T(2, 3, 2), {"beta": 0.5, "alpha": 2})],
    "addr": [(M, T(2), V, {"beta": 0.5, "alpha": 2})],
    "cdist": [(M, M, 2.0, "donot_use_mm_for_euclid_dist")],
    "conv3d": [(T(1, 2, 3, 3, 3), T(2, 1, 2, 2, 2), None, 1, 1, 2, 2)],
    "nn.functional.conv3d": [(T(1, 2, 3, 3, 3), T(2, 1, 2, 2, 2), None, 1, 1, 2, 2)],
    "conv_transpose1d": [(T(1, 2, 4), T(2, 1, 2), None, 2, 1, 1, 2, 2)],
    "nn.functional.conv_transpose1d": [(T(1, 2, 4), T(2, 1, 2), None, 2, 1, 1, 2, 2)],
    "conv_transpose3d": [(T(1, 2, 2, 2, 2), T(2, 1, 2, 2, 2), None, 1, 0, 0, 2, 2)],
    "nn.functional.conv_transpose3d": [(T(1, 2, 2, 2, 2), T(2, 1, 2, 2, 2), None, 1, 0, 0, 2, 2)],
    "group_norm": [(T(2, 4, 2), 2, T(4), T(4), 1e-2, True)],
    "nn.functional.group_norm": [(T(2, 4, 2), 2, T(4), T(4), 1e-2)],
    "layer_norm": [(M, (3,), V, V, 1e-2, True)],
    "nn.functional.layer_norm": [(M, (3,), V, V, 1e-2)],
    "nn.functional.instance_norm": [(T(2, 3, 4), {"momentum": 0.2, "eps": 1e-2})],
    "linalg.inv_ex": [(SQUARE, {"check_errors": True})],
    "linalg.solve_ex": [(SQUARE, T(3, 2), {"left": True, "check_errors": True})],
    "linalg.pinv": [(T(3, 2), {"hermitian": False, "atol": 1e-9, "rtol": 1e-9})],
    "pinverse": [(T(3, 2), 1e-9)],
    "max_pool1d": [(T(2, 7), 2, 2, 1, 2, True)],
    "nn.functional.max_pool1d": [(T(2, 7), 2, 2, 1, 2, False, True)],
    "max_pool1d_with_indices": [(T(2, 7), 2, 2, 1, 2, True)],
    "max_pool2d": [(T(2, 5, 5), 2, 2, 1, 1, True)],
    "nn.functional.max_pool2d": [(T(2, 5, 5), 2, 2, 1, 1, True, True)],
    "max_pool3d": [(T(1, 4, 3, 4), 2, 2, 1, 2, True)],
    "nn.functional.max_pool3d": [(T(1, 4, 3, 4), 2, 2, 1, 2, True, True)],
    "max_pool3d_with_indices": [(T(1, 4, 3, 4), 2, 2, 1, 2, True)],
    "nn.functional.avg_pool3d": [(T(1, 3, 3, 3), 2, 2, 1, True, False, 5)],
    **{f"nn.functional.adaptive_max_pool{n}d": [(T(2, *(5, 4, 3)[:n]), 2, True)] for n in (1, 2, 3)},
    "pairwise_distance": [(M, M, 2.0, 1e-3, True)],
    "nn.functional.pairwise_distance": [(M, M, 2.0, 1e-3, True)],
    "sort": [(T(3, 2), {"stable": True, "dim": -2, "descending": True})],
    "std_mean": [(M, 1, False, True)],
    "var_mean": [(M, 1, False, True)],
    "max": [(V, {"other": V})],
    "min": [(V, {"other": V})],
    "stft": [(T(13), 4, 2, 4, WINDOW, {"center": False, "align_to_window": False, "return_complex": True})],
    "istft": [
        (T(3, 6, dtype="complex128"), 4, 1, 4, WINDOW, True, False, True, 5),
        (T(3, 6, dtype="complex128"), 4, 1, 4, WINDOW, {"normalized": True}),
        (T(4, 6, dtype="complex128"), 4, 1, 4, WINDOW, {"onesided": False, "return_complex": True}),
    ],
    # ---- losses
    "nn.functional.binary_cross_entropy_with_logits": [
        (M, fixed([[0, 1, 0.5]] * 2), fixed([0.5, 1, 2]), {"pos_weight": fixed([0.5, 1, 3])})
    ],
    "nn.functional.cosine_embedding_loss": [(M, M, fixed([1, -1]), {"margin": 0.3})],
    "nn.functional.cross_entropy": [(T(3, 3), CLASSES, {"ignore_index": 1})],
    "nn.functional.nll_loss": [(T(3, 3), CLASSES, {"ignore_index": 1})],
    "nll_loss": [(T(3, 3), CLASSES, {"ignore_index": 1})],
    "nn.functional.hinge_embedding_loss": [(V, fixed([1, -1, 1]), 5.0, {"reduction": "sum"})],
    **{f"nn.functional.{name}_loss": [(M, M, {"weight": fixed([[0.5, 1, 2]] * 2)})] for name in ("huber", "l1", "mse")},
    "nn.functional.margin_ranking_loss": [(V, V, fixed([1, -1, 1]), 9.0, {"reduction": "none"})],
    "nn.functional.soft_margin_loss": [(V, fixed([1, -1, 1]), {"reduction": "sum"})],
    "nn.functional.triplet_margin_loss": [(M, M, M, 9.0, 3.0, 1e-3)],
    "nn.functional.triplet_margin_with_distance_loss": [(M, M, M, {"margin": 9.0, "swap": True})],
    # ---- decompositions
    "linalg.lstsq": [(T(4, 2), T(4, 1), 1e-9, {"driver": "gelsd"})],
    "linalg.lu": [(SQUARE, {"pivot": True})],
    "linalg.lu_factor": [(SQUARE, {"pivot": True})],
    "linalg.lu_factor_ex": [(SQUARE, {"pivot": True, "check_errors": True})],
    "linalg.svdvals": [(M, {"driver": None})],
    # ---- rows of a table
    "nn.functional.interpolate": [
        (T(1, 1, 3, 4), None, 1.7, "bilinear", True, False),
        (T(1, 1, 3, 4), None, (0.7, 2.0), "bicubic", False, True),
    ],
}
POSITIVE: dict[str, list[tuple[Any, ...]]] = {
    "nn.functional.binary_cross_entropy": [(M, fixed([[0, 1, 0.5]] * 2), fixed([0.5, 1, 2]))],
    "nn.functional.gaussian_nll_loss": [(V, V, V, True, 1e-3, "sum")],
    "nn.functional.poisson_nll_loss": [(V, fixed([0.0, 1.0, 3.0]), False, True, {"eps": 1e-3})],
}
"""Of numbers between 0.1 and 0.9."""
# The rows of a table that stand for padding get no gradient, and ctc_loss's is that of probabilities which sum up to 1.
WITHOUT_GRADIENT: dict[str, list[tuple[Any, ...]]] = {
    "allclose": [(V, V, 1e-3, 10.0)],
    "argmax": [(M, -1, True)],
    "argmin": [(M, -1, True)],
    "argsort": [(T(3, 2), -2, True), (T(3, 2), {"stable": True, "dim": -2, "descending": True})],
    "bucketize": [(M, np.array([-1.0, 0.0, 0.5]), {"out_int32": True, "right": True})],
    "count_nonzero": [(M, -1)],
    "histogram": [(V, 3, {"density": True, "range": (-2.0, 2.0)})],
    "isin": [(V, V, {"assume_unique": True, "invert": True})],
    "linalg.matrix_rank": [(T(3, 2), {"atol": 1e-9, "rtol": 1e-9})],
    "searchsorted": [(np.array([-1.0, 0.0, 0.5]), M, {"out_int32": True})],
    "nn.functional.ctc_loss": [
        (T(5, 2, 4), np.array([[0, 2], [1, 0]]), np.array([5, 1]), np.array([2, 2]), 3, "sum", True),
    ],
    "nn.functional.embedding": [(CLASSES, T(3, 2), 1, None, 2.0, False, False)],
    "nn.functional.embedding_bag": [
        (CLASSES, T(3, 2), np.array([0, 2]), None, 2.0, False, "sum", False, V),
        (CLASSES, T(3, 2), np.array([0, 1, 3]), None, 2.0, False, "mean", False, None, True, 1),
    ],
    "ctc_loss": [(T(5, 2, 4), np.array([[0, 2], [1, 0]]), np.array([5, 1]), np.array([2, 2]), 3, 2, True)],
    "embedding": [(T(3, 2), CLASSES, 1, False, False)],
    "triplet_margin_loss": [(M, M, M, 9.0, 3.0, 1e-3)],
    "nonzero": [(M, {"as_tuple": True})],
    "unique": [(PLACES, True, True, True, -1), (PLACES, {"sorted": True})],
    "unique_consecutive": [(PLACES, {"dim": -1})],
}

ATTENTION = (T(2, 2, 4), T(2, 2, 4), T(2, 2, 4), 4, 2, None, T(12), None, None, False, 0.0, T(4, 4), T(4))
APART: dict[str, Any] = {"use_separate_proj_weight": True} | {f"{name}_proj_weight": T(4, 4) for name in "qkv"}
MASKED: dict[str, Any] = {"training": False, "key_padding_mask": np.array([[False, True], [False, False]])}
HEADS = [
    (*ATTENTION, {**APART, **MASKED}),
    (*ATTENTION, {**APART, "attn_mask": np.array([[False, True], [False, False]]), "is_causal": True}),
    (*ATTENTION, {**APART, "static_k": T(4, 2, 2), "static_v": T(4, 2, 2), "average_attn_weights": False}),
]
"""Of multi_head_attention_forward."""


def cases(table: dict[str, list[tuple[Any, ...]]], **words: Any) -> list[OpCase]:
    """A row for each op."""
    return [OpCase(op, None, inputs, note=NOTE, **words) for op, inputs in table.items()]


CASES = [
    *cases(DIFFERENTIABLE),
    *cases({"nn.functional.multi_head_attention_forward": HEADS}),
    OpCase("cholesky", None, [(SQUARE, True)], prepared=definite, note=NOTE, warns="torch.cholesky is deprecated"),
    OpCase("linalg.cholesky_ex", None, [(SQUARE, {"upper": True, "check_errors": True})], prepared=definite, note=NOTE),
    OpCase("index_reduce", None, [(M, -1, LINES, T(2, 2), "amax")], note=NOTE, warns=r"index_reduce\(\) is in beta"),
    OpCase("nn.functional.kl_div", None, [(M, M, {"log_target": True})], note=NOTE, warns="reduction: 'mean' divides"),
    OpCase("lu", None, [(SQUARE, True, True)], note=NOTE, warns="torch.lu is deprecated"),
    OpCase("linalg.qr", None, [(M, {"mode": "complete"})], note=NOTE, grad=False),
    *cases(POSITIVE, domain=(0.1, 0.9)),
    *cases(WITHOUT_GRADIENT, grad=False),
]
