"""Numbers of classes as rows: one_hot, embedding."""

from __future__ import annotations

from typing import Any

from wengert_core.drivers.pointwise.pointwise_checks import every_sample
from wengert_core.ops.index.sparse_gradients import sparse_constructor
from wengert_core.ops.pointwise.composed_activations import constant
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.tensor import Tensor


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    if tensor.dtype.name != "int64":
        raise RuntimeError("one_hot is only applicable to index tensor of type LongTensor.")
    if tensor.numel() == 0:
        if num_classes <= 0:
            raise RuntimeError("Can not infer total number of classes from empty tensor.")
        return TABLE.ops["zeros"](*tensor.shape, num_classes, dtype=tensor.dtype, device=tensor.device)
    seen = every_sample(tensor)
    if seen is not tensor and num_classes == -1:
        raise RuntimeError(
            "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument."
        )
    if seen.numel() and seen.min() < 0:
        raise RuntimeError("Class values must be non-negative.")
    if num_classes == -1:
        num_classes = seen.max().item() + 1
    elif seen.numel() and seen.max() >= num_classes:
        raise RuntimeError(
            f"Class values must be smaller than num_classes. Got a class {seen.max().item()}, num_classes is "
            f"{num_classes}"
        )
    if seen is not tensor:
        return (tensor.unsqueeze(-1) == TABLE.ops["arange"](num_classes, device=tensor.device)).to(tensor.dtype)
    rows = TABLE.ops["zeros"](*tensor.shape, num_classes, dtype=tensor.dtype, device=tensor.device)
    return rows.scatter_(-1, tensor.unsqueeze(-1), 1)


# ---- embeddings
def shorten(weight: Tensor, used: Tensor, max_norm: float, norm_type: float) -> None:
    """Scale the rows that are used and longer than max_norm, in place."""
    which = TABLE.ops["unique"](used)
    rows = weight.index_select(0, which)
    size = TABLE.ops["norm"](rows, norm_type, 1, keepdim=True)
    scaled = TABLE.ops["where"](size > max_norm, rows * (max_norm / (size + 1e-7)), rows)
    weight.index_copy_(0, which, scaled)


def scale_by_frequency(picked: Tensor, used: Tensor, rows: int) -> Tensor:
    """picked, whose gradient is divided by how often each row is used."""
    share = 1 / TABLE.ops["bincount"](used, None, rows).index_select(0, used).to(picked.dtype)
    held = constant(picked)
    return held + (picked - held) * share.unsqueeze(1)


def rows_of(weight: Tensor, indices: Tensor, padding_idx: int, scale_grad_by_freq: bool, sparse: bool) -> Any:
    """The stages of the row of embedding, whose formula knows the padding and the frequencies."""
    if indices.dim() == 1:
        return weight.index_select(0, indices)
    return weight.index_select(0, indices.reshape(indices.numel())).reshape(*indices.shape, weight.size(1))


lookup_op = TABLE.staged(
    "embedding(Tensor weight, Tensor indices, int padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) "
    "-> Tensor",
    stages=rows_of,
    reference=lambda xp, weight, indices, *rest: weight[indices],
    key="_embedding",
    method=False,
    doc="The rows of weight at indices; the row padding_idx, where it is not -1, gets no gradient.",
)


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    if sparse:
        sparse_constructor("embedding", "sparse")
    if weight.dim() != 2:
        raise RuntimeError("'weight' must be 2-D")
    if input.dtype.name not in ("int64", "int32"):
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got "
            f"{input.type()} instead (while checking arguments for embedding)"
        )
    rows = weight.size(0)
    if padding_idx is not None and not -rows <= padding_idx < rows:
        raise AssertionError("Padding_idx must be within num_embeddings")
    flat = input if input.dim() == 1 else input.reshape(input.numel())
    if max_norm is not None:
        shorten(constant(weight), flat, max_norm, norm_type)  # unrecorded
    padding = -1 if padding_idx is None else padding_idx % rows
    return lookup_op(weight, input, padding, scale_grad_by_freq, sparse)


def embedding_renorm_(input: Tensor, indices: Tensor, max_norm: float, norm_type: float) -> Tensor:
    if norm_type is None:
        raise TypeError("embedding_renorm_(): argument 'norm_type' (position 4) must be float, not NoneType")
    if input.dim() != 2:
        raise RuntimeError(
            f"Expected 2-dimensional tensor, but got {input.dim()}-dimensional tensor for argument #1 'self' (while "
            "checking arguments for embedding_renorm_)"
        )
    shorten(input, indices.reshape(indices.numel()), max_norm, norm_type)
    return input


TABLE.composite(embedding_renorm_)
for lookup in (one_hot, embedding):
    TABLE.composite(lookup, namespace="nn.functional")
