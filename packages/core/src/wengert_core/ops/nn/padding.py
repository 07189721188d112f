"""Padding, and sliding blocks as columns and back."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from wengert_core.drivers.copy.take_indices import take_indices
from wengert_core.dtypes.dtypes import type_name
from wengert_core.exchange.constants import constant_like
from wengert_core.ops.copy.channels_last import keep_layout
from wengert_core.ops.nn.convolution import as_list
from wengert_core.optable.core_table import TABLE
from wengert_core.tensors.memory_format import contiguous_format
from wengert_core.tensors.tensor import Tensor

ops = TABLE.ops


def constant_pad_reference(xp: Any, x: Any, pad: Any, value: Any) -> Any:
    """The reference of constant_pad_nd."""
    pairs = [(0, 0)] * (x.ndim - len(pad) // 2) + [(pad[i], pad[i + 1]) for i in range(len(pad) - 2, -1, -2)]
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for n, (a, b) in zip(x.shape, pairs, strict=True))
    inner = x[cut]
    out = xp.empty([max(a, 0) + n + max(b, 0) for n, (a, b) in zip(inner.shape, pairs, strict=True)], x.dtype)
    out[...] = xp.asarray(value).astype(x.dtype)
    out[tuple(slice(max(a, 0), max(a, 0) + n) for n, (a, _) in zip(inner.shape, pairs, strict=True))] = inner
    return out


constant_pad_nd = TABLE.padding_row(
    "constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor",
    reference=constant_pad_reference,
)


# ---- reflections, copies of edges, and rounds: where each element comes from


def reflect_index(n: int, before: int, after: int) -> Any:
    """Back and forth, the edges once."""
    at = np.abs(np.arange(-before, n + after))
    return np.where(at < n, at, 2 * (n - 1) - at)


def clamp_index(n: int, before: int, after: int) -> Any:
    """The edges again and again."""
    return np.clip(np.arange(-before, n + after), 0, n - 1)


def circular(n: int, before: int, after: int) -> Any:
    """Round and round, after what negative numbers cut is gone."""
    start, kept = max(-before, 0), n + min(before, 0) + min(after, 0)
    return start + np.arange(-max(before, 0), kept + max(after, 0)) % kept if kept > 0 else np.arange(0)


MAX_INDICES = 2**31 - 1
INDEX_MAPS = {"reflect": reflect_index, "replicate": clamp_index, "circular": circular}
NAMES = {"reflect": "reflection_pad", "replicate": "replication_pad"}


@functools.lru_cache(128)
def origins(mode: str, size: int, before: int, after: int) -> Any:
    """Where the elements of a padded dim come from, as an array; nothing writes into it."""
    return INDEX_MAPS[mode](size, before, after)


def source_indices(input: Any, pad: Sequence[int], mode: str) -> list[tuple[int, Tensor]]:
    """For each dim, counted from the end, that is padded: where its elements come from."""
    found = []
    for i in range(len(pad) // 2):
        before, after = pad[2 * i], pad[2 * i + 1]
        if before or after:
            found.append((-1 - i, constant_like(input, origins(mode, input.size(-1 - i), before, after))))
    return found


def pad_backward(grad: Any, input: Any, pad: Sequence[int], mode: str) -> Any:
    """The adjoint of padding: each element has what its copies have. ``input``: or one of its shape."""
    if not grad.numel():  # places would be listed all the same
        return grad.new_zeros(input.shape)
    sizes = list(grad.shape)
    for dim, index in reversed(source_indices(input, pad, mode)):
        sizes[dim] = input.size(dim)
        grad = grad.new_zeros(sizes).index_add(dim, index, grad)
    return grad


def add_row(n: int, mode: str) -> None:
    """Padding of n dims, as one node."""

    def stages(self: Tensor, padding: Sequence[int]) -> Any:
        if not self.numel():
            return TABLE.ops["constant_pad_nd"](self, tuple(padding))
        every = source_indices(self, padding, mode)
        result = take_indices(self, [dict(every).get(d) for d in range(-n, 0)]) if every else self.clone()
        if result is None:
            result = self
            for dim, index in every:
                result = result.index_select(dim, index)
        return keep_layout(self, result)

    def reference(xp: Any, x: Any, padding: Sequence[int]) -> Any:
        for i in range(n):
            wanted = origins(mode, x.shape[-1 - i], *padding[2 * i : 2 * i + 2])
            x = xp.take(x, xp.asarray(wanted), -1 - i)
        return x

    TABLE.staged(
        f"{NAMES[mode]}{n}d(Tensor self, int[] padding) -> Tensor",
        stages=stages,
        reference=reference,
        key=f"_{NAMES[mode]}{n}d",
        method=False,
        out=False,
        doc=f"The last {n} dims, {'mirrored at their ends' if mode == 'reflect' else 'their ends repeated'}.",
    )


for dims in (1, 2, 3):
    for name in NAMES:
        add_row(dims, name)


def check_index_count(input: Tensor, pad: list[int]) -> None:
    """MemoryError for more positions along a dim than can be listed."""
    if not input.numel():  # none is listed
        return
    for size, before, after in zip(reversed(input.shape), pad[::2], pad[1::2], strict=False):
        if size + before + after > MAX_INDICES:
            raise MemoryError(
                f"pad: {size + before + after} positions along a dimension do not fit into memory, expected at most "
                f"{MAX_INDICES}"
            )


def check_mode(input: Tensor, pad: list[int], mode: str) -> None:
    """What reflect, replicate and circular refuse."""
    rank, n = input.dim(), len(pad) // 2
    check_index_count(input, pad)
    if mode not in INDEX_MAPS:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if n not in (1, 2, 3) or rank not in (n + 1, n + 2):
        raise NotImplementedError(
            f"Padding size {len(pad)} is not supported for {rank}D input tensor. Supported combinations for "
            "non-constant padding:\n  - 2D or 3D input: padding size = 2 (pads last dimension)\n  - 3D or 4D input: "
            "padding size = 4 (pads last 2 dimensions)\n  - 4D or 5D input: padding size = 6 (pads last 3 dimensions)"
        )
    if mode != "circular" and input.dtype.name == "bool":
        raise NotImplementedError(f"\"{NAMES[mode]}{n}d\" not implemented for 'Bool'")
    for i in range(n):
        size, (before, after) = input.size(-1 - i), (pad[2 * i], pad[2 * i + 1])
        if size == 0:
            raise RuntimeError(
                f"Expected {n + 1}D or {n + 2}D (batch mode) tensor with possibly 0 batch size and other non-zero "
                f"dimensions for input, but got: {list(input.shape)}"
            )
        if mode == "circular" and max(before, after) > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if mode == "reflect" and max(before, after) >= size:
            raise RuntimeError(
                f"Argument #{2 * i + 4}: Padding size should be less than the corresponding input dimension, but got: "
                f"padding ({before}, {after}) at dimension {rank - 1 - i} of input {list(input.shape)}"
            )
        if mode != "circular" and n == 1 and size + before + after < 1:
            raise RuntimeError(f"input (W: {size}) is too small. Calculated output W: {size + before + after}")
        if size + before + after < 0:
            raise RuntimeError("Negative padding value is resulting in an empty dimension")


def pad(input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None) -> Any:
    pads = list(pad)
    if len(pads) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pads) // 2 > input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got padding length "
            f"{len(pads)} and input of dimension {input.dim()}"
        )
    if mode == "constant":
        return constant_pad_nd(input, tuple(pads), 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    check_mode(input, pads, mode)
    if mode == "circular":
        if not input.numel():
            return constant_pad_nd(input, tuple(pads))
        result = input
        for dim, index in source_indices(input, pads, mode):
            result = result.index_select(dim, index)
        return input.clone(memory_format=contiguous_format) if result is input else result
    return ops[f"_{NAMES[mode]}{len(pads) // 2}d"](input, tuple(pads))


# ---- sliding blocks


def check_blocks(named: dict[str, list[int]]) -> None:
    """Positive sizes."""
    for name, (height, width) in named.items():
        if name == "padding":
            if height < 0 or width < 0:
                raise RuntimeError(
                    f"padding should be non-negative, but got padding_height: {height} padding_width: {width}"
                )
        elif height <= 0 or width <= 0:
            short = name.replace(" ", "_").removesuffix("_size")
            raise RuntimeError(
                f"{name} should be greater than zero, but got {short}_height: {height} {short}_width: {width}"
            )


def counts(size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> list[int]:
    """How many blocks there are along each dim."""
    each = zip(size, kernel, dilation, padding, stride, strict=True)
    return [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in each]


def geometry(padded: Any, kernel: Any, blocks: Any, dilation: Any, stride: Any) -> tuple[Any, Any]:
    """Sizes and strides of the blocks' elements in the memory of a padded image: kernel, then blocks."""
    width = padded[1]
    sizes = (*kernel, *blocks)
    strides = (dilation[0] * width, dilation[1], stride[0] * width, stride[1])
    return sizes, tuple(step if n > 1 else 1 for n, step in zip(sizes, strides, strict=True))  # of one: any will do


FEW = 4096


@functools.lru_cache(16)
def flat_indices(wide: Any, kernel: Any, blocks: Any, dilation: Any, stride: Any) -> Any:
    """Flat places of the blocks' elements in a padded image: [kernel * blocks]."""
    each = [np.arange(n).reshape([-1 if e == d else 1 for e in range(4)]) for d, n in enumerate((*kernel, *blocks))]
    strides = geometry(wide, kernel, blocks, dilation, stride)[1]
    return sum(coordinate * step for coordinate, step in zip(each, strides, strict=True)).reshape(-1)


def columns_of(self: Tensor, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """The stages of im2col."""
    blocks = counts(self.shape[-2:], kernel_size, dilation, padding, stride)
    around = [padding[1], padding[1], padding[0], padding[0]]
    wide = (constant_pad_nd(self, around, 0) if any(padding) else self).contiguous()  # also of channels_last
    sizes, strides = geometry(wide.shape[-2:], kernel_size, blocks, dilation, stride)
    front, channels = self.shape[:-3], self.size(-3)
    columns = wide.new_empty((*front, channels, *sizes))
    columns.copy_(wide.as_strided(columns.shape, (*wide.stride()[:-2], *strides), wide.storage_offset()))
    return columns.view(*front, channels * kernel_size[0] * kernel_size[1], blocks[0] * blocks[1])


def images_of(self: Tensor, output_size: Any, kernel_size: Any, dilation: Any, padding: Any, stride: Any) -> Tensor:
    """The stages of col2im."""
    blocks = counts(output_size, kernel_size, dilation, padding, stride)
    wide = [n + 2 * p for n, p in zip(output_size, padding, strict=True)]
    front, channels = self.shape[:-2], self.size(-2) // (kernel_size[0] * kernel_size[1])
    if not self.numel():  # places would be listed all the same
        return self.new_zeros((*front, channels, *output_size))
    found = flat_indices if math.prod(kernel_size) * math.prod(blocks) <= FEW else flat_indices.__wrapped__
    index = constant_like(self, found(*map(tuple, (wide, kernel_size, blocks, dilation, stride))))
    flat = self.reshape(*front, channels, index.numel())
    whole = self.new_zeros((*front, channels, wide[0] * wide[1])).index_add(-1, index, flat)
    whole = whole.reshape(*front, channels, *wide)
    return constant_pad_nd(whole, [-padding[1], -padding[1], -padding[0], -padding[0]], 0) if any(padding) else whole


def block_index(wide: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """(rows, columns) of the elements of blocks in padded images, as index arrays."""
    blocks = counts([n - 2 * p for n, p in zip(wide, padding, strict=True)], kernel, dilation, padding, stride)
    rows, columns = (
        np.arange(k)[:, None] * d + np.arange(b) * s
        for k, d, b, s in zip(kernel, dilation, blocks, stride, strict=True)
    )
    return rows[:, None, :, None], columns[None, :, None, :]


def columns_of_array(xp: Any, x: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """The reference of im2col."""
    wide = xp.pad(x, [(0, 0)] * (x.ndim - 2) + [(p, p) for p in padding])
    found = wide[(..., *block_index(wide.shape[-2:], kernel, dilation, padding, stride))]
    channels, blocks = x.shape[-3] * kernel[0] * kernel[1], found.shape[-2] * found.shape[-1]
    return found.reshape(*x.shape[:-3], channels, blocks)


def images_of_array(xp: Any, x: Any, size: Any, kernel: Any, dilation: Any, padding: Any, stride: Any) -> Any:
    """The reference of col2im."""
    wide = [n + 2 * p for n, p in zip(size, padding, strict=True)]
    rows, columns = block_index(wide, kernel, dilation, padding, stride)
    front = (*x.shape[:-2], x.shape[-2] // (kernel[0] * kernel[1]))
    out = xp.zeros((*front, *wide), x.dtype)
    parts = x.reshape(*front, *np.broadcast_shapes(rows.shape, columns.shape))
    for i, j, m, n in np.ndindex(*parts.shape[-4:]):
        out[..., rows[i, 0, m, 0], columns[0, j, 0, n]] += parts[..., i, j, m, n]
    return out[..., padding[0] : wide[0] - padding[0], padding[1] : wide[1] - padding[1]]


unfold_op = TABLE.staged(
    "_im2col(Tensor self, int[] kernel_size, int[] dilation, int[] padding, int[] stride) -> Tensor",
    stages=columns_of,
    reference=columns_of_array,
    method=False,
    out=False,
    doc="Sliding blocks of images [..., C, H, W] as columns [..., C * kernel, blocks].",
)
fold_op = TABLE.staged(
    "_col2im(Tensor self, int[] output_size, int[] kernel_size, int[] dilation, int[] padding, int[] stride) -> "
    "Tensor",
    stages=images_of,
    reference=images_of_array,
    method=False,
    out=False,
    doc="Columns added up to images: the adjoint of _im2col.",
)


def check_pair(name: str, value: int | Sequence[int]) -> None:
    """RuntimeError for a sequence that is no pair."""
    if isinstance(value, (tuple, list)) and len(value) != 2:
        raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")


def block_arguments(
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int],
    padding: int | Sequence[int],
    stride: int | Sequence[int],
) -> tuple[list[int], ...]:
    """Two of each, checked."""
    names = ("kernel_size", "dilation", "padding", "stride")
    for name, v in zip(names, (kernel_size, dilation, padding, stride), strict=True):
        check_pair(name, v)
    kernel, dilated, padded, step = (as_list(v, 2) for v in (kernel_size, dilation, padding, stride))
    check_blocks({"kernel size": kernel, "dilation": dilated, "padding": padded, "stride": step})
    return kernel, dilated, padded, step


def unfold(
    input: Tensor,
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Any:
    kernel, dilated, padded, step = block_arguments(kernel_size, dilation, padding, stride)
    input.size(2 if input.dim() > 1 and input.numel() else 1)  # IndexError where there is no such dim
    if input.dim() not in (3, 4) or 0 in input.shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for input, "
            f"but got: {list(input.shape)}"
        )
    if input.dtype.category == 1:
        raise NotImplementedError(f"\"im2col_out_cpu\" not implemented for '{type_name(input)}'")
    blocks = counts(input.shape[-2:], kernel, dilated, padded, step)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {tuple(input.shape[-2:])}, kernel_size={tuple(kernel)}, dilation="
            f"{tuple(dilated)}, padding={tuple(padded)}, calculated shape of the array of sliding blocks as "
            f"{tuple(blocks)}, but its components must be at least one."
        )
    return unfold_op(input, kernel, dilated, padded, step)


def fold(
    input: Tensor,
    output_size: int | Sequence[int],
    kernel_size: int | Sequence[int],
    dilation: int | Sequence[int] = 1,
    padding: int | Sequence[int] = 0,
    stride: int | Sequence[int] = 1,
) -> Any:
    kernel, dilated, padded, step = block_arguments(kernel_size, dilation, padding, stride)
    check_pair("output_size", output_size)
    size = as_list(output_size, 2)
    if input.dim() not in (2, 3) or 0 in input.shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for "
            f"input, but got: {list(input.shape)}"
        )
    if input.size(-2) % (kernel[0] * kernel[1]):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={input.size(-2)} and kernel_size={tuple(kernel)}."
        )
    blocks = counts(size, kernel, dilated, padded, step)
    if blocks[0] * blocks[1] != input.size(-1) or min(blocks) < 1:
        raise RuntimeError(
            f"Given output_size={tuple(size)}, kernel_size={tuple(kernel)}, dilation={tuple(dilated)}, padding="
            f"{tuple(padded)}, stride={tuple(step)}, expected size of input's dimension 2 to match the calculated "
            f"number of sliding blocks {blocks[0]} * {blocks[1]} = {blocks[0] * blocks[1]}, but got "
            f"input.size(2)={input.size(-1)}."
        )
    if input.dtype.category == 1:
        raise NotImplementedError(f"\"col2im_out_cpu\" not implemented for '{type_name(input)}'")
    return fold_op(input, size, kernel, dilated, padded, step)


for function in (pad, unfold, fold):
    TABLE.composite(function, namespace="nn.functional")
