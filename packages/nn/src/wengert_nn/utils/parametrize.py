"""Parametrizations: a parameter or buffer of a module as a function of other tensors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import wengert
from wengert import Tensor

from wengert_nn.modules.container import ModuleDict, ModuleList
from wengert_nn.parameter import Parameter
from wengert_nn.utils.parametrized_class import CACHE, set_names, type_before_parametrizations

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]


@contextmanager
def cached() -> Iterator[None]:
    """Compute each parametrized tensor once inside a ``with`` block, and forget the values at its end.

    >>> import wengert as wg
    >>> from wengert.nn.utils import parametrize
    >>> layer = wg.nn.utils.parametrizations.weight_norm(wg.nn.Linear(2, 3))
    >>> with parametrize.cached():
    ...     layer.weight is layer.weight
    True
    """
    CACHE.depth += 1
    try:
        yield
    finally:
        CACHE.depth -= 1
        if not CACHE.depth:
            CACHE.values = {}


class ParametrizationList(ModuleList):
    """The parametrizations of a tensor, with the tensors that the first of them gets.

    It is ``module.parametrizations.weight`` of a module with a parametrized ``weight``, and its parameter or buffer
    ``original`` (or several: ``original0``, ``original1``, ...) is what an optimizer changes.

    modules: the parametrizations, at least one. original: the tensor that they stand for.
    unsafe: whether they may change dtype and shape; nothing is checked then.
    """

    def __init__(self, modules: Sequence[Any], original: Any, unsafe: bool = False) -> None:
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        dtype, shape = original.dtype, original.shape
        new = self._inverse(original, strict=False)
        self.is_tensor: bool = isinstance(new, Tensor)
        if not self.is_tensor and not isinstance(new, Sequence):
            raise ValueError(
                "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                f"Got {type(new).__name__}"
            )
        self.ntensors: int = 1 if self.is_tensor else len(new)
        if self.is_tensor:
            self._register_one(original, new)
        else:
            self._register_several(original, new)
        if not unsafe:
            check_result(self(), dtype, shape, "unparametrized {}", "parametrized {}", "`unsafe`")

    def _inverse(self, value: Any, strict: bool) -> Any:
        """Return what the first parametrization must get so that the last returns the value.

        strict: raise an error for a parametrization without inverse, which is the identity otherwise.
        """
        with wengert.no_grad():
            for module in reversed(list(self)):
                if strict and not hasattr(module, "right_inverse"):
                    raise RuntimeError(
                        f"parametrization {type(module).__name__} does not implement right_inverse."
                    )
                try:
                    value = module.right_inverse(value) if hasattr(module, "right_inverse") else value
                except NotImplementedError:
                    if strict:
                        raise
        return value

    def _register_one(self, original: Any, new: Any) -> None:
        """Keep the original tensor itself, which an optimizer may know, with the new value."""
        for name in ("dtype", "device"):
            before, after = getattr(original, name), getattr(new, name)
            if before != after:
                raise ValueError(
                    f"When `right_inverse` outputs one tensor, it may not change the {name}.\n"
                    f"original.{name}: {before}\n"
                    f"right_inverse(original).{name}: {after}"
                )
        with wengert.no_grad():
            original.set_(new)
        register(self, "original", original)

    def _register_several(self, original: Any, values: Sequence[Any]) -> None:
        """Register the tensors that the first parametrization gets."""
        for number, value in enumerate(values):
            if not isinstance(value, Tensor):
                raise ValueError(
                    "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                    f"Got element {number} of the sequence with type {type(value).__name__}."
                )
            if isinstance(original, Parameter):
                value = Parameter(value, original.requires_grad)
            register(self, f"original{number}", value.requires_grad_(original.requires_grad))

    def originals(self) -> list[Any]:
        """Return the tensors that the first parametrization gets."""
        if self.is_tensor:
            return [self.original]
        return [getattr(self, f"original{number}") for number in range(self.ntensors)]

    def right_inverse(self, value: Any) -> None:
        """Set the original tensors so that the parametrized one has this value."""
        values = self._inverse(value, strict=True)
        if self.is_tensor:
            if not isinstance(values, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(values).__name__}")
            values = [values]
        elif not isinstance(values, Sequence):
            raise ValueError(f"'right_inverse' must return a sequence of tensors. Got {type(values).__name__}.")
        elif len(values) != self.ntensors:
            raise ValueError(
                f"'right_inverse' must return a sequence of tensors of length {self.ntensors}. "
                f"Got a sequence of length {len(values)}."
            )
        for number, (original, new) in enumerate(zip(self.originals(), values, strict=True)):
            if not isinstance(new, Tensor):
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors or reference-type opaques. "
                    f"Got element {number} of type {type(new).__name__}."
                )
            if new.dtype != original.dtype:
                which, name = f"Tensor {number}", f"original{number}"
                if self.is_tensor:
                    which, name = "The tensor", "original"
                raise ValueError(
                    f"{which} returned by `right_inverse` has dtype {new.dtype} while `{name}` has dtype "
                    f"{original.dtype}"
                )
            with wengert.no_grad():
                original.set_(new)

    def forward(self) -> Any:
        """Return the parametrized tensor."""
        first, *others = self._modules.values()
        value = first(*self.originals())
        for module in others:
            value = module(value)
        return value


def register(module: Any, name: str, value: Any) -> None:
    """Register a parameter as one, and any other tensor as a buffer."""
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def check_result(value: Any, dtype: Any, shape: Any, before: str, after: str, flag: str) -> None:
    """Raise ValueError for a parametrized tensor that is none, or has another dtype or shape than before."""
    if not isinstance(value, Tensor):
        raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
    for name, expected, got in (("dtype", dtype, value.dtype), ("shape", shape, value.shape)):
        if expected != got:
            raise ValueError(
                f"Registering a parametrization may not change the {name} of the tensor, unless {flag} flag is "
                f"enabled.\n{before.format(name)}: {expected}\n{after.format(name)}: {got}"
            )


def register_parametrization(module: Any, tensor_name: str, parametrization: Any, *, unsafe: bool = False) -> Any:
    """Let a parameter or buffer of a module be computed by another module; return the first.

    ``module.weight`` becomes ``parametrization(module.parametrizations.weight.original)``, through which gradients
    flow. Further parametrizations of the same tensor are applied after those that are there. A method
    ``right_inverse`` of `parametrization` serves assignments to ``module.weight`` and the first value of the original
    tensor; it may return several tensors, which ``forward`` gets as its arguments. `cached` saves computing the tensor
    several times.

    unsafe: whether the parametrization may change dtype and shape; nothing is checked then.
    Raises ValueError for a name that is no parameter, buffer or parametrized tensor, and where the checks fail.

    >>> import wengert as wg
    >>> from wengert.nn.utils import parametrize
    >>> class Symmetric(wg.nn.Module):
    ...     def forward(self, x):
    ...         return x.triu() + x.triu(1).T
    >>> layer = parametrize.register_parametrization(wg.nn.Linear(3, 3, bias=False), "weight", Symmetric())
    >>> wg.equal(layer.weight, layer.weight.T)
    True
    >>> layer
    ParametrizedLinear(
      in_features=3, out_features=3, bias=False
      (parametrizations): ModuleDict(
        (weight): ParametrizationList(
          (0): Symmetric()
        )
      )
    )
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            check_parametrization(module, tensor_name, parametrization)
        parametrizations = module.parametrizations[tensor_name]
        parametrizations.append(parametrization)
        parametrizations.unsafe |= unsafe
        return module
    if tensor_name not in module._buffers and tensor_name not in module._parameters:
        raise ValueError(
            f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name "
            f"'{tensor_name}'"
        )
    parametrizations = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
    delattr(module, tensor_name)
    if not is_parametrized(module):
        module.parametrizations = ModuleDict()
    set_names(module, frozenset((*module.parametrizations, tensor_name)))
    module.parametrizations[tensor_name] = parametrizations
    return module


def check_parametrization(module: Any, name: str, parametrization: Any) -> None:
    """Raise ValueError for a further parametrization that changes dtype or shape, forwards or backwards."""
    value = getattr(module, name)
    result = parametrization(value)
    check_result(
        result, value.dtype, value.shape, f"module.{name}.{{}}", f"parametrization(module.{name}).{{}}", "the `unsafe`"
    )
    if not hasattr(parametrization, "right_inverse"):
        return
    try:
        inverse = parametrization.right_inverse(result)
    except NotImplementedError:
        return
    if not isinstance(inverse, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
    for what, expected, got in (("dtype", value.dtype, inverse.dtype), ("shape", value.shape, inverse.shape)):
        if expected != got:
            raise ValueError(
                f"The tensor returned by parametrization.right_inverse must have the same {what} as module.{name}, "
                f"unless the `unsafe` flag is enabled.\nmodule.{name}.{what}: {expected}\nreturned {what}: {got}"
            )


def is_parametrized(module: Any, tensor_name: str | None = None) -> bool:
    """Return whether a module has a parametrization: of the tensor with this name, or of any."""
    parametrizations = getattr(module, "parametrizations", None)
    if not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module: Any, tensor_name: str, leave_parametrized: bool = True) -> Any:
    """Make a parametrized tensor a parameter or buffer again; return the module.

    leave_parametrized: the tensor has the value that was computed; otherwise that of the original tensor, of which
    there must be one. Raises ValueError where the tensor is not parametrized, or there are several original tensors.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        tensor = parametrizations.original
        if leave_parametrized:
            with wengert.no_grad():
                tensor.set_(getattr(module, tensor_name))
    elif leave_parametrized:
        tensor = getattr(module, tensor_name)  # which requires grad if one of the originals does
        tensor = Parameter(tensor) if tensor.requires_grad else tensor
    else:
        raise ValueError(
            "Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a "
            "sequence of tensors."
        )
    del module.parametrizations[tensor_name]
    set_names(module, frozenset(module.parametrizations))
    register(module, tensor_name, tensor)
    if len(module.parametrizations) == 0:
        del module.parametrizations
    return module


def transfer_parametrizations_and_params(from_module: Any, to_module: Any, tensor_name: str | None = None) -> Any:
    """Give a module the parametrizations of another, with the original tensors; return the first.

    tensor_name: the parametrized tensor to transfer; all of them by default. One that `to_module` does not have is
    registered as a parameter first.
    """
    if not is_parametrized(from_module):
        return to_module
    for name in list(from_module.parametrizations) if tensor_name is None else [tensor_name]:
        source: Any = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name)))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target = to_module.parametrizations[name]
        for original in (*source._parameters, *source._buffers):
            setattr(target, original, getattr(source, original))
    return to_module
