"""Parameters that drivers take by their places, for kinds of rows whose schema is the driver's to decide.

A driver in C reads slot 2 of a gather as its index. So a row of such a kind has exactly these types in this order
(without out=); what the parameters are called is the row's own affair, unless the driver looks for a name.
"""

from __future__ import annotations

from typing import Any

from wengert_core.optable.kinds.settings import expect

SIGNATURES = {
    "copy_": "Tensor self, Any src, bool non_blocking",
    "zero_": "Tensor self",
    "fill": "Tensor self, Any value",
    "flip": "Tensor self, int[] dims",
    "triangle": "Tensor self, int diagonal",
    "masked_fill": "Tensor self, Tensor mask, Any value",
    "clone": "Tensor self, object? memory_format",
    "conversion": "Tensor self, dtype dtype, object? device",
    "padding": "Tensor self, int[] pad, Scalar value",
    "convolution": (
        "Tensor input, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, bool transposed, "
        "int[] output_padding, int groups"
    ),
    "convolution_weight": (
        "Tensor input, Tensor grad_output, int[] kernel_size, int[] stride, int[] padding, int[] dilation, int "
        "groups"
    ),
    "normalization": "Tensor input, Tensor? weight, Tensor? bias, Tensor? mean, Tensor? var, object layout, float eps",
    "normalization_backward": (
        "Tensor grad_output, Tensor input, Tensor? weight, Tensor mean, Tensor var, bool given, object layout, "
        "float eps"
    ),
    "attention": "Tensor query, Tensor key, Tensor value, Tensor? attn_mask, bool is_causal, float scale",
    "attention_backward": (
        "Tensor grad_output, Tensor query, Tensor key, Tensor value, Tensor? attn_mask, Tensor result, Tensor "
        "logsumexp, bool is_causal, float scale"
    ),
    "softmax": "Tensor self, int dim, dtype? dtype",
    "softmax_backward": "Tensor grad_output, Tensor output, int dim",
    "class_loss": "Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index",
    "class_loss_backward": (
        "Tensor grad_output, int[] self_shape, Tensor target, Tensor? weight, int reduction, int ignore_index"
    ),
    "index": "Tensor self, object indices",
    "index_put": "Tensor self, object indices, Tensor values, bool accumulate",
    "gather": "Tensor self, int dim, Tensor index, bool sparse_grad",
    "index_select": "Tensor self, int dim, Tensor index",
    "nonzero": "Tensor self, bool as_tuple",
    "masked_select": "Tensor self, Tensor mask",
    "scatter": "Tensor self, int dim, Tensor index, Any? src, Any? value, str? reduce",
    "scatter_add": "Tensor self, int dim, Tensor index, Tensor src",
    "index_add": "Tensor self, int dim, Tensor index, Tensor source, Scalar alpha",
    "scatter_reduce": "Tensor self, int dim, Tensor index, Tensor src, str reduce, bool include_self",
    "index_reduce": "Tensor self, int dim, Tensor index, Tensor source, str reduce, bool include_self",
    "index_copy": "Tensor self, int dim, Tensor index, Tensor source",
    "index_fill": "Tensor self, int dim, Tensor index, Any value",
    "cat": "Tensor[] tensors, int dim",
    "stack": "Tensor[] tensors, int dim",
    "repeat": "Tensor self, int[] repeats",
    "mm": "Tensor self, Tensor mat2",
    "bmm": "Tensor self, Tensor mat2",
    "mv": "Tensor self, Tensor vec",
    "dot": "Tensor self, Tensor tensor",
    "vdot": "Tensor self, Tensor other",
    "matmul": "Tensor self, Tensor other",
    "addmm": "Tensor self, Tensor mat1, Tensor mat2, Scalar beta, Scalar alpha",
    "linear": "Tensor input, Tensor weight, Tensor? bias",
    "split": "Tensor self, object split_size, int dim",
    "split_with_sizes": "Tensor self, int[] split_sizes, int dim",
    "unbind": "Tensor self, int dim",
    "chunk": "Tensor self, int chunks, int dim",
    "contiguous": "Tensor self, object? memory_format",
    "reshape": "Tensor self, int[] shape",
    "flatten": "Tensor self, int start_dim, int end_dim",
    "ravel": "Tensor self",
    "unflatten": "Tensor self, int dim, int[] sizes",
    "view_as": "Tensor self, Tensor other",
    "reshape_as": "Tensor self, Tensor other",
    "expand_as": "Tensor self, Tensor other",
    "broadcast_to": "Tensor self, int[] size",
    "adjoint": "Tensor self",
    "numpy_T": "Tensor self",
    "mT": "Tensor self",
    "movedim": "Tensor self, int[] source, int[] destination",
    "narrow": "Tensor self, int dim, int start, int length",
    "swapaxes": "Tensor self, int axis0, int axis1",
    "resize_": "Tensor self, int[] size, object? memory_format",
    "resize_as_": "Tensor self, Tensor the_template, object? memory_format",
    "set_": "Tensor self, object source, int storage_offset, int[]? size, int[]? stride",
    "view": "Tensor self, object size",
    "alias": "Tensor self",
    "transpose": "Tensor self, int dim0, int dim1",
    "t": "Tensor self",
    "permute": "Tensor self, int[] dims",
    "squeeze": "Tensor self, int[] dim",
    "unsqueeze": "Tensor self, int dim",
    "expand": "Tensor self, int[] size",
    "select": "Tensor self, int dim, int index",
    "slice": "Tensor self, int dim, int? start, int? end, int step",
    "diagonal": "Tensor self, int offset, int dim1, int dim2",
    "as_strided": "Tensor self, int[] size, int[] stride, int? storage_offset",
    "unfold": "Tensor self, int dimension, int size, int step",
    "view_as_real": "Tensor self",
    "view_as_complex": "Tensor self",
    "_unsafe_view": "Tensor self, int[] size",
    "_reshape_alias": "Tensor self, int[] size",
    "average": (
        "Tensor self, int[] kernel_size, int[]? stride, int[] padding, bool ceil_mode, bool count_include_pad, "
        "int? divisor_override"
    ),
    "largest": "Tensor self, int[] kernel_size, int[]? stride, int[] padding, int[] dilation, bool ceil_mode",
    "adaptive_average": "Tensor self, int[] output_size",
    "adaptive_largest": "Tensor self, int[] output_size",
    "spread_average": (
        "Tensor grad_output, int[] input_sizes, int ndim, int[] kernel_size, int[]? stride, int[] padding, bool "
        "ceil_mode, bool count_include_pad, int? divisor_override"
    ),
    "spread_adaptive": "Tensor grad_output, int[] input_sizes, int ndim",
    "scatter_windows": "Tensor grad_output, Tensor indices, int[] input_sizes, int ndim",
    "gather_windows": "Tensor self, Tensor indices, int ndim",
}
OPTIONAL = {"average": 6, "stack": 2}
"""Kinds of rows that may leave out what comes from this place on."""
NAMED = (
    "average",
    "largest",
    "adaptive_average",
    "adaptive_largest",
    "spread_average",
    "spread_adaptive",
    "scatter_windows",
    "gather_windows",
    "conversion",
)
"""Kinds of rows whose drivers look for names."""


def expect_signature(table: Any, schema: str, kind: str) -> None:
    """ValueError unless a row's schema has the parameters that the driver of this kind takes."""
    types = SIGNATURES[kind].split(", ")
    expect(table, schema, kind, types, OPTIONAL.get(kind, len(types)), kind in NAMED)
