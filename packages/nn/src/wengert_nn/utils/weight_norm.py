"""Weight normalization by a hook: the older form of ``parametrizations.weight_norm``."""

from __future__ import annotations

import warnings
from typing import Any

import wengert

from wengert_nn.parameter import Parameter, is_lazy

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


def norm_except_dim(tensor: Any, dim: int) -> Any:
    """Return the 2-norms over all dimensions but one, which stay with size 1; over all dimensions for -1."""
    if dim == -1:
        return wengert.linalg.vector_norm(tensor)
    others = [other for other in range(tensor.dim()) if other != dim]
    return wengert.linalg.vector_norm(tensor, dim=others, keepdim=True) if others else tensor.abs()


def scale_to_norm(direction: Any, norm: Any, dim: int) -> Any:
    """Return a tensor with this direction and this norm over all dimensions but one."""
    return direction * (norm / norm_except_dim(direction, dim))


class WeightNorm:
    """The forward pre-hook that computes a weight of its magnitude ``weight_g`` and its direction ``weight_v``."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim: int = -1 if dim is None else dim

    def compute_weight(self, module: Any) -> Any:
        """Return the weight."""
        return scale_to_norm(getattr(module, f"{self.name}_v"), getattr(module, f"{self.name}_g"), self.dim)

    @staticmethod
    def apply(module: Any, name: str, dim: int | None) -> WeightNorm:
        """Replace a parameter of a module by its magnitude and its direction."""
        warnings.warn(
            "`torch.nn.utils.weight_norm` is deprecated in favor of `torch.nn.utils.parametrizations.weight_norm`.",
            FutureWarning,
            stacklevel=3,
        )
        if any(isinstance(hook, WeightNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two weight_norm hooks on the same parameter {name}")
        hook = WeightNorm(name, dim)
        weight = getattr(module, name)
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `WeightNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying weight normalization"
            )
        del module._parameters[name]
        module.register_parameter(f"{name}_g", Parameter(norm_except_dim(weight, hook.dim).data))
        module.register_parameter(f"{name}_v", Parameter(weight.data))
        setattr(module, name, hook.compute_weight(module))
        module.register_forward_pre_hook(hook)
        return hook

    def remove(self, module: Any) -> None:
        """Make the weight a parameter again."""
        weight = self.compute_weight(module)
        delattr(module, self.name)
        del module._parameters[f"{self.name}_g"]
        del module._parameters[f"{self.name}_v"]
        setattr(module, self.name, Parameter(weight.data))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    r"""Let a weight be :math:`g \, v / \|v\|`, computed before each call of the module; return the module.

    It is deprecated: `parametrizations.weight_norm` takes its place. The parameter `name` is replaced by ``weight_g``
    and ``weight_v``.

    name: the parameter. dim: the dimension along which each slice has a norm of its own; None for one norm of all.
    """
    WeightNorm.apply(module, name, dim)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Remove what `weight_norm` has done; the weight keeps its value. ValueError where there is nothing to remove."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
