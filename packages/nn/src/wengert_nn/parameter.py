"""Tensors that a module knows: parameters, buffers, and those whose shape the first input decides."""

from __future__ import annotations

from typing import Any

import wengert
from wengert import Tensor
from wengert._C import _disabled_torch_function_impl

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class ParameterType(type(Tensor)):  # type: ignore[misc]  # a metaclass, known at run time only
    """The metaclass of Parameter: tensors of other classes that were made parameters count as instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class BufferType(type(Tensor)):  # type: ignore[misc]  # as above
    """The metaclass of Buffer: tensors of all classes that were made buffers count as instances."""

    def __instancecheck__(cls, instance: object) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Buffer and isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


def subclass_instance(cls: Any, data: Tensor, requires_grad: bool) -> Any:
    """Return a leaf of a subclass that shares the memory of a tensor; it is no view, as one of ``as_subclass`` is."""
    if requires_grad and not (data.is_floating_point() or data.is_complex()):
        raise RuntimeError(
            f"Only Tensors of floating point and complex dtype can require gradients: this one is {data.dtype}; "
            "pass requires_grad=False"
        )
    tensor_class: Any = Tensor
    return tensor_class._make_subclass(cls, data, requires_grad)


class Parameter(Tensor, metaclass=ParameterType):
    """A tensor that a module lists among its parameters when it becomes one of its attributes.

    data: the tensor whose memory the parameter shares; an empty one by default.
    requires_grad: whether gradients are computed for it, also when it is made under ``no_grad``.
    A tensor of a subclass stays of its class and is marked as a parameter: ``isinstance(x, Parameter)`` holds.

    >>> import wengert as wg
    >>> weight = wg.nn.Parameter(wg.ones(2))
    >>> weight
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    >>> type(weight * 2) is wg.Tensor
    True
    """

    __torch_function__: Any = _disabled_torch_function_impl

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Any:
        if data is None:
            data = wengert.empty(0)
        if type(data) is Tensor or type(data) is Parameter:
            return subclass_instance(cls, data, requires_grad)
        detached: Any = data.detach().requires_grad_(requires_grad)
        if type(detached) is not type(data):
            raise RuntimeError(
                f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns "
                f"an instance of the same type, but return type {type(detached).__name__} was found instead. "
                "Let __torch_function__ of the class return its own type for detach()."
            )
        detached._is_param = True  # type: ignore[attr-defined]  # an instance attribute of the subclass
        return detached

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) in memo:
            return memo[id(self)]
        result = type(self)(self.data.clone(memory_format=wengert.preserve_format), self.requires_grad)
        memo[id(self)] = result
        return result

    def __repr__(self, **kwargs: Any) -> str:
        plain = self.data.requires_grad_(self.requires_grad)  # whose text does not begin with the class
        return f"Parameter containing:\n{plain.__repr__(**kwargs)}"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return rebuild_parameter, (type(self), self.data, self.requires_grad, self.__dict__ or None)


def rebuild_parameter(cls: type, data: Tensor, requires_grad: bool, state: dict[str, Any] | None) -> Any:
    """Return the parameter that a pickle describes."""
    result = cls(data, requires_grad)
    if state:
        result.__dict__.update(state)
    return result


class Buffer(Tensor, metaclass=BufferType):
    """A tensor that a module lists among its buffers when it becomes one of its attributes.

    A buffer belongs to the state of a module but is not optimized, as a running mean. Calling the class returns a
    tensor of the class of `data` that is marked as a buffer. `persistent`: whether it is part of ``state_dict()``.

    >>> import wengert as wg
    >>> module = wg.nn.Module()
    >>> module.mean = wg.nn.Buffer(wg.zeros(2))
    >>> list(module.state_dict())
    ['mean']
    """

    __torch_function__: Any = _disabled_torch_function_impl

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Any:
        if data is None:
            data = wengert.empty(0)
        buffer: Any = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


def size_of_data(self: Any, *dim: Any) -> Any:
    """Return the size of the empty data of a tensor without a shape, as in PyTorch."""
    return self.data.size(*dim)


class UninitializedTensorMixin:
    """A tensor without a shape until ``materialize`` makes one; operations refuse it with a ValueError."""

    cls_to_become: type
    data: Any
    size: Any = size_of_data
    _allowed: frozenset[str] = frozenset(
        "__hash__ size copy_ is_complex is_floating_point half float double char short int long cuda cpu to get_device "
        "dtype device requires_grad is_leaf grad data layout is_cuda requires_grad_ detach".split()
    )

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Become an ordinary parameter or buffer of this shape, on this tensor's device and of its dtype by default."""
        device = self.data.device if device is None else device
        dtype = self.data.dtype if dtype is None else dtype
        self.data = wengert.empty(shape, device=device, dtype=dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self) -> Any:
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in "
            "`load_state_dict` when trying to load an uninitialized parameter into an initialized one. "
            "Call `forward` to initialize the parameters before accessing their attributes."
        )

    def share_memory_(self) -> Any:
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters "
            "before calling `module.share_memory()`."
        )

    def __repr__(self, **kwargs: Any) -> str:
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return type(self), (self.requires_grad,)

    @classmethod
    def __torch_function__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if getattr(func, "__name__", "") in cls._allowed or type(func).__name__ == "method-wrapper":
            return _disabled_torch_function_impl(func, types, args, kwargs or {})
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {func}. This error happens when you are using a "
            f"`LazyModule` or explicitly manipulating `torch.nn.parameter.{cls.__name__}` objects. When using "
            "LazyModules Call `forward` with a dummy batch to initialize the parameters before calling torch functions"
        )


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet; lazy modules materialize it at their first call.

    >>> import wengert as wg
    >>> weight = wg.nn.UninitializedParameter()
    >>> weight.materialize((2, 3))
    >>> type(weight) is wg.nn.Parameter, weight.shape
    (True, torch.Size([2, 3]))
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad: bool = True, device: Any = None, dtype: Any = None) -> Any:
        return subclass_instance(cls, wengert.empty(0, device=device, dtype=dtype), requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        if id(self) not in memo:
            memo[id(self)] = type(self)(self.requires_grad, self.data.device, self.data.dtype)
        return memo[id(self)]


class MaterializedBuffer(Tensor):
    """A tensor that was a buffer without a shape: an object can become one of a Python class only.

    Results of operations, copies and pickles are of class Tensor.
    """

    __torch_function__: Any = _disabled_torch_function_impl

    def __repr__(self, **kwargs: Any) -> str:
        return self.as_subclass(Tensor).__repr__(**kwargs)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return self.as_subclass(Tensor).__reduce_ex__(protocol)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self.as_subclass(Tensor).__deepcopy__(memo)


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet; lazy modules materialize it at their first call."""

    cls_to_become = MaterializedBuffer

    def __new__(
        cls, requires_grad: bool = False, device: Any = None, dtype: Any = None, persistent: bool = True
    ) -> Any:
        buffer = subclass_instance(cls, wengert.empty(0, device=device, dtype=dtype), requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


def is_lazy(param: object) -> bool:
    """Return whether a parameter or buffer has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)
