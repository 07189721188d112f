"""Factories: tensors from sizes, numbers and data."""

from wengert_core.ops.create import factory_functions as make
from wengert_core.optable.core_table import TABLE

factory = TABLE.factory

factory("tensor(object data, *, dtype? dtype=None, object? device=None, bool? requires_grad=False, bool? "
        "pin_memory=False) -> Tensor",
        "data", doc="A new tensor with a copy of data: a number, nested sequences of numbers, or an array.")
factory("as_tensor(object data, dtype? dtype=None, object? device=None) -> Tensor", impl=make.as_tensor,
        doc="Data as a tensor, which shares memory with it where that can be.")
factory("asarray(object obj, *, dtype? dtype=None, object? device=None, bool? copy=None, bool? requires_grad=None) "
        "-> Tensor",
        impl=make.asarray, doc="An array, buffer, sequence or number as a tensor; shares memory where copy allows it.")
factory("scalar_tensor(Scalar s, *, OPTIONS) -> Tensor", impl=make.scalar_tensor, doc="A tensor without dimensions.")
factory("frombuffer(object buffer, *, dtype dtype, int count=-1, int offset=0, bool? requires_grad=False) -> Tensor",
        impl=make.frombuffer, doc="A tensor of one dimension on the memory of an object with the buffer protocol.")

factory("empty(int[]* size, *, Tensor? out=None, OPTIONS, object? memory_format=None) -> Tensor", "empty",
        doc="A tensor whose values are not set.")
factory("zeros(int[]* size, *, Tensor? out=None, OPTIONS) -> Tensor", "zeros", doc="A tensor of zeros.")
factory("ones(int[]* size, *, Tensor? out=None, OPTIONS) -> Tensor", "ones", doc="A tensor of ones.")
factory("full(int[] size, Scalar fill_value, *, Tensor? out=None, OPTIONS) -> Tensor", "full",
        doc="A tensor of one value; its dtype is that of the value's kind of number.")
for kind in ("empty", "zeros", "ones"):
    factory(f"{kind}_like(Tensor self, *, OPTIONS, object? memory_format=None) -> Tensor", kind, like="self",
            doc=f"As {kind}, with the shape, dtype and order in memory of another tensor.")
    factory(f"new_{kind}(Tensor self, int[]* size, *, OPTIONS) -> Tensor", kind, like="self",
        method=True, function=False,
            doc=f"As {kind}, with the dtype and device of this tensor.")
factory("full_like(Tensor self, Scalar fill_value, *, OPTIONS, object? memory_format=None) -> Tensor", "full",
        like="self",
        doc="As full, with the shape, dtype and order in memory of another tensor.")
factory("new_full(Tensor self, int[] size, Scalar fill_value, *, OPTIONS) -> Tensor", "full", like="self",
        method=True, function=False,
        doc="As full, with the dtype and device of this tensor.")
factory("new_tensor(Tensor self, object data, *, dtype? dtype=None, object? device=None, bool? requires_grad=False, "
        "bool? pin_memory=False) -> Tensor", "data", like="self", method=True, function=False,
        doc="As tensor, with the dtype and device of this tensor.")
factory("empty_strided(int[] size, int[] stride, *, OPTIONS) -> Tensor", impl=make.empty_strided,
        doc="A tensor with the given strides (in elements) whose values are not set.")
factory("new_empty_strided(Tensor self, int[] size, int[] stride, *, OPTIONS) -> Tensor",
        impl=make.new_empty_strided, like="self",
        method=True, function=False, doc="As empty_strided, with the dtype and device of this tensor.")

factory("arange(object start=..., object end=..., object step=..., *, Tensor? out=None, OPTIONS) -> Tensor",
        impl=make.arange, doc="Numbers from start to end, without the end, step apart.")
factory("range(Scalar start, Scalar end=None, Scalar step=1, *, Tensor? out=None, OPTIONS) -> Tensor",
        impl=make.inclusive_range,
        doc="Numbers from start to end, both included (deprecated: use arange).")
factory("linspace(object? start=None, object? end=None, object? steps=None, *, Tensor? out=None, OPTIONS) -> Tensor",
        impl=make.linspace, doc="Numbers from start to end, both included, at equal distances.")
factory("logspace(object? start=None, object? end=None, object? steps=None, float base=10.0, *, Tensor? out=None, "
        "OPTIONS) -> Tensor",
        impl=make.logspace, doc="Powers of base from base**start to base**end, both included.")
factory("eye(int n, int m=None, *, Tensor? out=None, OPTIONS) -> Tensor", impl=make.eye,
        doc="A matrix with ones on its diagonal and zeros elsewhere.")
factory("tril_indices(int row, int col, int offset=0, *, dtype? dtype=None, object? device=None, object? layout=None, "
        "bool? pin_memory=False) -> Tensor", impl=make.tril_indices,
        doc="Rows and columns of the elements on and below a diagonal.")
factory("triu_indices(int row, int col, int offset=0, *, dtype? dtype=None, object? device=None, object? layout=None, "
        "bool? pin_memory=False) -> Tensor", impl=make.triu_indices,
        doc="Rows and columns of the elements on and above a diagonal.")
