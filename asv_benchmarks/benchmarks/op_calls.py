"""One call of every op of core's table, on 16 elements or so: what every_op.py times.

An op's required arguments come from their names (ARGUMENTS) or kinds (KINDS); where that is not a sensible call,
OP_CALLS has a row with the text of the arguments. Names in the texts: see values().
"""

import functools
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import wengert as wg
from wengert_core.binding.schema import parse_schema
from wengert_core.optable.core_table import TABLE

from .programs import numbers

ARGUMENTS = {
    "self": "x", "A": "x", "L": "x", "input": "x", "x": "x", "y": "y", "x1": "x", "x2": "y", "input1": "x",
    "input2": "y", "other": "y", "weight": "y", "vec": "a", "tensors": "[x, y]",
    "target": "y", "mask": "m", "condition": "m", "index": "i", "dim": "0", "dim0": "0", "dim1": "1", "axis": "0",
    "axis0": "0", "axis1": "1", "dims": "(1, 0)", "size": "(4, 4)", "shape": "(4, 4)", "input_sizes": "(4, 4)",
    "stride": "(4, 1)", "offset": "0", "n": "4", "k": "2", "chunks": "2", "split_size": "2", "min": "0.2", "max": "0.7",
    "fill_value": "0.5", "threshold": "0.5", "negative_slope": "0.01", "beta": "1.0",
    "var": "y", "value": "0.5", "normalized_shape": "(4,)", "p": "0.5", "M": "16", "window_length": "16",
    "train": "True", "data": "[1.0, 2.0]",
}
KINDS = {"Tensor": "y", "Any": "y", "Scalar": "0.5", "float": "0.5", "int": "1", "int[]": "(4, 4)", "bool": "False",
         "Tensor[]": "[x, y]", "dtype": "float32", "str": "'none'"}
DEFINITE = "(x @ x.mT).add(x.new_ones(4).diag())"
OP_CALLS = {
    # integers
    "bitwise_and": "n, p", "bitwise_or": "n, p", "bitwise_xor": "n, p", "bitwise_not": "n",
    "bitwise_left_shift": "n, 1", "bitwise_right_shift": "n, 1",
    # domains, numbers and bounds
    "acosh": "x + 1", "lerp": "x, y, 0.3", "clamp": "x, 0.2, 0.7", "fill": "x, 0.5", "masked_fill": "x, m, 0.5",
    "nll_loss": "x.log(), i", "cross_entropy": "x, i", "one_hot": "i, 4",
    "nll_loss_backward": "y.sum(), (4, 4), i, None, 1, -100", "prelu": "x, a", "nn.functional.embedding": "i, x",
    "embedding": "x, i", "_embedding": "x, i", "embedding_renorm_": "x, i, 1.0, 2.0",
    "interpolate": "b[None], 8, mode='bilinear'", "grid_sample": "b[None], b[None, :2, :, :2], align_corners=False",
    "_grid_sampler_2d": "b[None], b[None, :2, :, :2], 0, 0, False",
    "_grid_sampler_3d": "b[None, None], b[None, None, :2, :, :3], 0, 0, False",
    "_grid_sampler_backward": "b[None], b[None, :, :, :2], (3, 3), 0, 0, False",
    "_grid_sampler_grid_backward": "b[None], b[None], b[None, :, :, :2], 0, 0, False",
    "affine_grid": "x[None, :2, :3], (1, 1, 4, 4), False", "pixel_shuffle": "b, 2", "pixel_unshuffle": "b, 2",
    "_put": "x, i, a", "_pixel_shuffle": "b, 2", "_pixel_unshuffle": "b, 2",
    "_cdist_backward": "x, x, y, 2.0, x", "_pdist_backward": "x[0, :3], x[:3], 2.0, y[0, :3]",
    "pdist": "x", "nn.functional.embedding_bag": "n % 4, x", "embedding_bag": "x, i, i[:2] * 2",
    "_embedding_bag": "x, i, i[:2] * 2", "cosine_embedding_loss": "x, y, i", "multi_margin_loss": "x, i",
    "_multi_margin_loss": "x, i", "_multilabel_margin_loss": "x, j",
    "multilabel_margin_loss": "x, j", "multilabel_soft_margin_loss": "x, y", "triplet_margin_loss": "x, y, x + 1",
    "triplet_margin_with_distance_loss": "x, y, x + 1", "poisson_nll_loss": "x, y, True, False, 1e-8, 1",
    "_reflection_pad1d": "b, (1, 2)", "_reflection_pad2d": "b, (1, 2, 1, 1)",
    "_reflection_pad3d": "b[None], (1, 2, 1, 1, 1, 0)", "_replication_pad1d": "b, (1, 2)",
    "_replication_pad2d": "b, (1, 2, 1, 1)", "_replication_pad3d": "b[None], (1, 2, 1, 1, 1, 0)",
    "_ctc_loss": "b.log_softmax(2), j, (4, 4, 4, 4), (2, 2, 1, 0), 0, False",
    "ctc_loss": "b.log_softmax(2), j, (4, 4, 4, 4), (2, 2, 1, 0)",
    "relu_": "x", "elu_": "x", "hardtanh_": "x", "leaky_relu_": "x", "threshold_": "x, 0.5, 0.1", "celu_": "x",
    "selu_": "x", "rrelu_": "x", "renorm": "x, 2, 0, 1.0",
    "_norm": "x, 2, (-1,)", "_trilinear": "x, b, y", "_affine_grid_generator": "x[None, :2, :3], (1, 1, 4, 4), False",
    "_im2col": "b, (2, 2), (1, 1), (0, 0), (1, 1)", "_col2im": "x, (3, 3), (2, 2), (1, 1), (0, 0), (1, 1)",
    # shapes
    "unsqueeze": "x, 0", "select": "x, 0, 1", "slice": "x, 0, 1, 3", "unfold": "x, 0, 2, 1", "narrow": "x, 0, 1, 2",
    "unflatten": "x, 0, (2, 2)", "view": "x, 16", "reshape": "x, 16", "expand": "a, 4, 4", "broadcast_to": "a, (4, 4)",
    "expand_as": "a, x", "squeeze": "b[:1], 0", "split_with_sizes": "x, (1, 3)", "split": "x, 2", "chunk": "x, 2",
    "dsplit": "b, 2", "hsplit": "x, 2", "vsplit": "x, 2", "tensor_split": "x, 2", "_unsafe_view": "x, 16",
    "view_as_complex": "x.reshape(8, 2)", "view_as_real": "c", "imag": "c", "movedim": "x, 0, 1", "moveaxis": "x, 0, 1",
    "resize_": "x, (2, 8)", "resize_as_": "x, y[:2]", "set_": "x, y",
    "roll": "x, 1, 0", "repeat": "x, 2, 1", "tile": "x, (2, 1)", "broadcast_tensors": "x, a", "meshgrid": "a, d",
    "block_diag": "x, y", "cartesian_prod": "a, d", "combinations": "a", "broadcast_shapes": "(4, 1), (1, 4)",
    # indices
    "index": "x, (i,)", "index_put": "x, (i,), y", "gather": "x, 0, j", "take_along_dim": "x, j, 0",
    "scatter": "x, 0, j, y", "scatter_add": "x, 0, j, y", "scatter_reduce": "x, 0, j, y, 'sum'",
    "index_add": "x, 0, i, y", "index_copy": "x, 0, i, y", "index_fill": "x, 0, i, 0.5", "put": "x, i, a",
    "masked_scatter": "x, m, y", "select_scatter": "x, a, 0, 1", "slice_scatter": "x, y[1:3], 0, 1, 3",
    "diagonal_scatter": "x, a", "take": "x, i", "repeat_interleave": "x, 2",
    "index_reduce": "x, 0, i, y, 'mean'", "_searchsorted": "a.sort()[0], x, False", "searchsorted": "a.sort()[0], x",
    "bucketize": "x, a.sort()[0]", "_isin": "n, p, False", "isin": "n, p", "unravel_index": "i, (2, 2)",
    "bincount": "i", "histc": "x", "_histogram": "x, a.sort()[0], None, False, False", "histogram": "x, 4",
    "_histogramdd": "x[:, :1], a.sort()[0], (4,), None, False, False", "histogramdd": "x, 2",
    "quantile": "x, 0.3, 1", "nanquantile": "x, 0.3, 1", "gcd": "n, p", "lcm": "n, p", "float_power": "x, y",
    # products
    "bmm": "b, b", "mv": "x, a", "dot": "a, d", "vdot": "a, d", "vecdot": "a, d", "inner": "a, d", "outer": "a, d",
    "ger": "a, d", "addmv": "a, x, d", "baddbmm": "b, b, b", "addbmm": "x, b, b", "addr": "x, a, d",
    "matrix_power": "x, 3", "_linalg_cross": "x[:, :3], y[:, :3]",
    "cross": "x[:, :3], y[:, :3], 1", "linalg.cross": "x[:, :3], y[:, :3]",
    "chain_matmul": "x, y, x", "multi_dot": "[x, y, x]", "bilinear": "x, y, b", "einsum": "'ij,jk->ik', x, y",
    "tensordot": "x, y, 1", "signal.windows.general_cosine": "16, a=[0.5, 0.5]",
    # Fourier transforms, windows
    "_fft_c2c": "c, (0,), 0, True", "_fft_r2c": "x, (0, 1), 0, True", "_fft_c2r": "c, (0,), 2, 2",
    "stft": "x.reshape(16), 4, window=a, return_complex=True", "istft": "z, 4, window=a", "mvlgamma": "x + 1, 2",
    # linear algebra
    "solve": "x, y", "solve_ex": "x, y", "linalg_solve_triangular": "x, y, upper=True",
    "solve_triangular": "x, y, upper=True",
    "linalg_cholesky_ex": DEFINITE, "linalg_cholesky": DEFINITE, "cholesky": DEFINITE, "cholesky_ex": DEFINITE,
    "cholesky_solve": "x, y", "_lu_permutation": "i.int() + 1, 4", "linalg_lu_solve": "x, i.int() + 1, y",
    "linalg.lu_solve": "x, i.int() + 1, y", "lu_solve": "x, y, i.int() + 1", "lu_unpack": "x, i.int() + 1",
    "_cholesky": DEFINITE, "_lu_unpack": "x, i.int() + 1",
    "linalg_lstsq": "x, y, 1e-6, 'gels'", "lstsq": "x, y", "linalg_pinv": "x, 0.0, 1e-6", "householder_product": "x, a",
    "orgqr": "x, a", "ormqr": "x, a, y", "tensorinv": "x, 1", "tensorsolve": "x, a", "vander": "a", "diag": "a",
    "triangular_solve": "x, y", "corrcoef": "x", "cov": "x",
    # what formulas call
    "select_backward": "a, (4, 4), 0, 1", "slice_backward": "x[1:3], (4, 4), 0, 1, 3, 1",
    "diagonal_backward": "a, (4, 4), 0, 0, 1", "restride": "x, ((4, 4), (4, 1), 0), ((4, 4), (1, 4), 0)",
    # layers: image [2, 4, 4, 4], filters [4, 4, 2, 2]
    "conv1d": "b, b[:, :, :2]", "conv2d": "image, filters", "conv3d": "image, filters[:, :2].unsqueeze(4)",
    "conv_transpose1d": "b, b[:, :, :2]", "conv_transpose2d": "image, filters",
    "conv_transpose3d": "image.unsqueeze(0)[:, :, :2], filters.unsqueeze(2)[:2]",
    "convolution": "image, filters, None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1",
    "convolution_weight": "image, image[:, :, :3, :3], (2, 2), (1, 1), (0, 0), (1, 1), 1", "avg_pool1d": "b, 2",
    "avg_pool2d": "image, 2", "avg_pool3d": "image, 2", "max_pool1d": "b, 2", "max_pool2d": "image, 2",
    "max_pool3d": "image, 2", "max_pool1d_with_indices": "b, 2", "max_pool2d_with_indices": "image, 2",
    "max_pool3d_with_indices": "image, 2", "adaptive_avg_pool1d": "b, 2", "adaptive_avg_pool2d": "image, 2",
    "adaptive_avg_pool3d": "image, 2", "_adaptive_avg_pool1d": "b, 2", "_adaptive_avg_pool2d": "image, 2",
    "_adaptive_avg_pool3d": "image, 2", "adaptive_max_pool1d": "b, 2", "adaptive_max_pool2d": "image, 2",
    "adaptive_max_pool3d": "image, 2", "avg_pool_backward": "x, (4, 8), 1, 2, None, 0, False, True, None",
    "adaptive_avg_pool_backward": "x, (4, 8), 1", "pool_scatter": "x, j, (4, 8), 1", "pool_gather": "x, j, 1",
    "nn.functional.batch_norm": "x, None, None, a, d, True",
    "batch_norm": "x, a, d, None, None, True, 0.1, 1e-5, False", "nn.functional.instance_norm": "b",
    "instance_norm": "b, a, d, None, None, True, 0.1, 1e-5, False", "group_norm": "b, 2, a, d",
    "_batch_norm": "x, a, d, None, None, (4, 1, 4, 1, 1), 1e-5",
    "_group_norm": "b, a, d, None, None, (1, 4, 2, 2, 4), 1e-5",
    "_layer_norm": "x, a, d, None, None, (1, 4, 1, 4, 1), 1e-5",
    "normalization_backward": "y, x, a, a, d, True, (4, 1, 4, 1, 1), 1e-5", "scaled_dot_product_attention": "b, b, b",
    "_scaled_dot_product_attention": "b, b, b, None, False, 0.5",
    "_scaled_dot_product_attention_backward": "b, b, b, b, None, b, x, False, 0.5",
    "multi_head_attention_forward": "b, b, b, 4, 2, b.reshape(16, 4)[:12], None, None, None, False, 0.0, x, a",
    "constant_pad_nd": "x, (1, 1)", "nn.functional.pad": "x, (1, 1)", "nn.functional.unfold": "image, 2",
    "fold": "x, (3, 3), 2", "dropout1d": "b", "dropout2d": "image", "dropout3d": "image",
    "nn.functional.alpha_dropout": "x, 0.5, True", "nn.functional.feature_alpha_dropout": "x, 0.5, True",
    # factories and random numbers
    "tensor": "[1.0, 2.0, 3.0]", "as_tensor": "array", "asarray": "array", "scalar_tensor": "0.5", "range": "0, 16",
    "frombuffer": "bytearray(64), dtype=float32", "arange": "16", "linspace": "0, 1, 16", "logspace": "0, 1, 16",
    "tril_indices": "4, 4", "triu_indices": "4, 4", "randint": "0, 9, (4, 4)", "randint_like": "x, 9", "normal": "x, y",
    "bernoulli": "x", "multinomial": "x, 2", "poisson": "x", "binomial": "x, y", "normal_": "x",
}
OP_CALLS |= {f"_upsample_{mode}{n}d": f"b[{', '.join(['None'] * (n - 1) + ['...'])}], {(8,) * n}"
             for n, modes in ((1, "nearest nearest_exact linear"), (2, "nearest nearest_exact bilinear bicubic"),
                              (3, "nearest nearest_exact trilinear")) for mode in modes.split()}
OP_CALLS |= {f"_upsample_{mode}2d_aa": "b[None], (2, 3)" for mode in ("bilinear", "bicubic", "lanczos")}
OP_CALLS["_upsample_backward"] = "b[None], 'bilinear2d', (3, 3)"
OP_CALLS |= {f"{view}_copy": OP_CALLS[view]
             for view in "narrow select split_with_sizes unfold view_as_complex view_as_real".split()}
OP_CALLS |= {"view_copy": "x, (16,)", "unsafe_split_with_sizes": OP_CALLS["split_with_sizes"]}
"""The arguments of calls that names and kinds do not give."""


@functools.cache
def values() -> dict[str, Any]:
    """What the texts name: x, y [4, 4], a, d [4], b [4, 4, 4]; integers n, p, j [4, 4], i [4]; bool m; complex c [2],
    z [3, 9].
    """
    floats = {"x": (4, 4), "y": (4, 4), "a": (4,), "d": (4,), "b": (4, 4, 4)}
    found = {name: wg.tensor(numbers(*shape, seed=seed)) for seed, (name, shape) in enumerate(floats.items())}
    integers = (10 * numbers(4, 4)).astype("int64")
    found |= {"n": wg.tensor(integers), "p": wg.tensor(integers[::-1].copy()), "i": wg.tensor([0, 2, 1, 3])}
    found["j"] = wg.tensor(integers % 4)
    found |= {"image": wg.tensor(numbers(2, 4, 4, 4)), "filters": wg.tensor(numbers(4, 4, 2, 2))}
    found |= {"m": found["x"] > found["y"], "c": wg.tensor([1 + 2j, 3 - 4j])}
    found["z"] = wg.ones(3, 9, dtype=wg.complex64)
    return found | {"array": numbers(4, 4), "float32": wg.float32}


def required_arguments(op: Any) -> Iterator[tuple[str, str]]:
    """Name and kind of each argument that a call must give; functions in Python do not tell kinds."""
    if hasattr(op, "schema"):
        yield from ((name, kind) for name, kind, _, _, _, needed, _ in parse_schema(op.schema)[1] if needed)
        return
    for parameter in inspect.signature(op).parameters.values():
        if parameter.default is parameter.empty and parameter.kind is not parameter.VAR_KEYWORD:
            yield parameter.name, ""


def text_of(name: str) -> str | None:
    """The arguments of the call of an op; None if neither a row nor names and kinds say them."""
    for row in (name, name.removesuffix("_"), name.removeprefix("nn.functional.").removeprefix("linalg.")):
        if row in OP_CALLS:
            return OP_CALLS[row]
    texts = ["x" if i == 0 and kind in ("Tensor", "Any") else ARGUMENTS.get(argument, KINDS.get(kind))
             for i, (argument, kind) in enumerate(required_arguments(TABLE.ops[name]))]
    known = [text for text in texts if text is not None]
    return ", ".join(known) if len(known) == len(texts) else None


def is_alias(name: str) -> bool:
    """Whether a name is another one for an op that has its own row."""
    return isinstance(TABLE.ops[name], functools.partial)


def rows() -> list[str]:
    """Names of the ops that are timed, in the table's order."""
    return [name for name in TABLE.ops if not is_alias(name) and text_of(name) is not None]


def benchmarked_ops() -> set[str]:
    """Names of core's table that have a benchmark: those with a row, and other names for them."""
    return {*rows(), *filter(is_alias, TABLE.ops)}


def call_of(name: str) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]:
    """An op, positional and keyword arguments; tensors are copies, so that in-place ops leave values() alone."""
    text = text_of(name)
    if text is None:
        raise LookupError(f"no benchmark calls {name}: give it a row in OP_CALLS")
    arguments, keywords = eval(f"(lambda *a, **k: (a, k))({text})", dict(values()))
    op = unsqueezed_and_back if name == "unsqueeze_" else TABLE.ops[name]
    return op, tuple(copy_value(value) for value in arguments), keywords


def unsqueezed_and_back(x: Any, dim: int) -> Any:
    """unsqueeze_ as it can be called any number of times."""
    return x.unsqueeze_(dim).squeeze_(dim)


def copy_value(value: Any) -> Any:
    return value.clone() if isinstance(value, wg.Tensor) else value
