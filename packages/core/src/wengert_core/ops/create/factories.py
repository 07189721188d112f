"""Factories: tensors from sizes, numbers and data."""

from wengert_core.ops.create import factory_functions as make
from wengert_core.optable.core_table import TABLE

factory = TABLE.factory

factory("tensor(object data, *, dtype? dtype=None, object? device=None, bool? requires_grad=False, bool? "
        "pin_memory=False) -> Tensor",
        "data")
factory("as_tensor(object data, dtype? dtype=None, object? device=None) -> Tensor", impl=make.as_tensor)
factory("asarray(object obj, *, dtype? dtype=None, object? device=None, bool? copy=None, bool? requires_grad=None) "
        "-> Tensor",
        impl=make.asarray)
factory("scalar_tensor(Scalar s, *, OPTIONS) -> Tensor", impl=make.scalar_tensor)
factory("frombuffer(object buffer, *, dtype dtype, int count=-1, int offset=0, bool? requires_grad=False) -> Tensor",
        impl=make.frombuffer)

factory("empty(int[]* size, *, Tensor? out=None, OPTIONS, object? memory_format=None) -> Tensor", "empty")
factory("zeros(int[]* size, *, Tensor? out=None, OPTIONS) -> Tensor", "zeros")
factory("ones(int[]* size, *, Tensor? out=None, OPTIONS) -> Tensor", "ones")
factory("full(int[] size, Scalar fill_value, *, Tensor? out=None, OPTIONS) -> Tensor", "full")
for kind in ("empty", "zeros", "ones"):
    factory(f"{kind}_like(Tensor self, *, OPTIONS, object? memory_format=None) -> Tensor", kind, like="self")
    factory(f"new_{kind}(Tensor self, int[]* size, *, OPTIONS) -> Tensor", kind, like="self",
            method=True, function=False)
factory("full_like(Tensor self, Scalar fill_value, *, OPTIONS, object? memory_format=None) -> Tensor", "full",
        like="self")
factory("new_full(Tensor self, int[] size, Scalar fill_value, *, OPTIONS) -> Tensor", "full", like="self",
        method=True, function=False)
factory("new_tensor(Tensor self, object data, *, dtype? dtype=None, object? device=None, bool? requires_grad=False, "
        "bool? pin_memory=False) -> Tensor", "data", like="self", method=True, function=False)
factory("empty_strided(int[] size, int[] stride, *, OPTIONS) -> Tensor", impl=make.empty_strided)
factory("new_empty_strided(Tensor self, int[] size, int[] stride, *, OPTIONS) -> Tensor",
        impl=make.new_empty_strided, like="self",
        method=True, function=False)

factory("arange(object start=..., object end=..., object step=..., *, Tensor? out=None, OPTIONS) -> Tensor",
        impl=make.arange)
factory("range(Scalar start, Scalar end=None, Scalar step=1, *, Tensor? out=None, OPTIONS) -> Tensor",
        impl=make.inclusive_range)
factory("linspace(object? start=None, object? end=None, object? steps=None, *, Tensor? out=None, OPTIONS) -> Tensor",
        impl=make.linspace)
factory("logspace(object? start=None, object? end=None, object? steps=None, float base=10.0, *, Tensor? out=None, "
        "OPTIONS) -> Tensor",
        impl=make.logspace)
factory("eye(int n, int m=None, *, Tensor? out=None, OPTIONS) -> Tensor", impl=make.eye)
factory("tril_indices(int row, int col, int offset=0, *, dtype? dtype=None, object? device=None, object? layout=None, "
        "bool? pin_memory=False) -> Tensor", impl=make.tril_indices)
factory("triu_indices(int row, int col, int offset=0, *, dtype? dtype=None, object? device=None, object? layout=None, "
        "bool? pin_memory=False) -> Tensor", impl=make.triu_indices)
