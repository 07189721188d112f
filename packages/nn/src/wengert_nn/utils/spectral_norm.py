"""Spectral normalization by a hook: the older form of ``parametrizations.spectral_norm``."""

from __future__ import annotations

from typing import Any

import wengert

from wengert_nn.parameter import Parameter, is_lazy

__all__ = [
    "SpectralNorm",
    "SpectralNormLoadStateDictPreHook",
    "SpectralNormStateDictHook",
    "remove_spectral_norm",
    "spectral_norm",
]


def as_matrix(weight: Any, dim: int) -> Any:
    """Return a weight as a matrix with one dimension as its rows."""
    if dim != 0:
        weight = weight.movedim(dim, 0)
    return weight.flatten(1)


def output_dim(module: Any) -> int:
    """Return the dimension of the output features in a module's weight."""
    from wengert_nn.convolutions import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d

    return 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0


def normalize(vector: Any, eps: float, out: Any = None) -> Any:
    """Return a vector divided by its norm."""
    return wengert.nn.functional.normalize(vector, dim=0, eps=eps, out=out)


def check_iterations(number: int) -> None:
    """Raise ValueError for a number of power iterations that is not positive."""
    if number <= 0:
        raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={number}")


class SpectralNorm:
    """The forward pre-hook that divides a weight by its largest singular value, by steps of the power method.

    The singular vectors are the buffers ``weight_u`` and ``weight_v`` of the module, the weight itself is
    ``weight_orig``.
    """

    _version = 1

    def __init__(
        self, name: str = "weight", n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12
    ) -> None:
        check_iterations(n_power_iterations)
        self.name = name
        self.dim = dim
        self.n_power_iterations = n_power_iterations
        self.eps = eps

    def reshape_weight_to_matrix(self, weight: Any) -> Any:
        """Return the weight as a matrix whose rows are output features."""
        return as_matrix(weight, self.dim)

    def compute_weight(self, module: Any, do_power_iteration: bool) -> Any:
        """Return the weight, after steps of the power method or without them."""
        weight = getattr(module, f"{self.name}_orig")
        u, v = getattr(module, f"{self.name}_u"), getattr(module, f"{self.name}_v")
        matrix = self.reshape_weight_to_matrix(weight)
        if do_power_iteration:
            with wengert.no_grad():
                for _ in range(self.n_power_iterations):
                    normalize(wengert.mv(matrix.t(), u), self.eps, out=v)
                    normalize(wengert.mv(matrix, v), self.eps, out=u)
                u, v = u.clone(), v.clone()  # the next call writes into the buffers, a backward needs these values
        return weight / wengert.dot(u, wengert.mv(matrix, v))

    def remove(self, module: Any) -> None:
        """Make the normalized weight a parameter."""
        with wengert.no_grad():
            weight = self.compute_weight(module, do_power_iteration=False)
        for name in (self.name, f"{self.name}_u", f"{self.name}_v", f"{self.name}_orig"):
            delattr(module, name)
        module.register_parameter(self.name, Parameter(weight.detach()))

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, do_power_iteration=module.training))

    def _solve_v_and_rescale(self, matrix: Any, u: Any, target_sigma: Any) -> Any:
        """Return v with ``u = normalize(matrix @ v)`` and ``u @ matrix @ v = target_sigma``."""
        transpose = matrix.t()
        v = wengert.linalg.multi_dot([transpose.mm(matrix).pinverse(), transpose, u.unsqueeze(1)]).squeeze(1)
        return v.mul_(target_sigma / wengert.dot(u, wengert.mv(matrix, v)))

    @staticmethod
    def apply(module: Any, name: str, n_power_iterations: int, dim: int, eps: float) -> SpectralNorm:
        """Let a parameter of a module be normalized before each call."""
        if any(isinstance(hook, SpectralNorm) and hook.name == name for hook in module._forward_pre_hooks.values()):
            raise RuntimeError(f"Cannot register two spectral_norm hooks on the same parameter {name}")
        hook = SpectralNorm(name, n_power_iterations, dim, eps)
        weight = module._parameters[name]
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{name}` is None")
        if is_lazy(weight):
            raise ValueError(
                "The module passed to `SpectralNorm` can't have uninitialized parameters. Make sure to run the dummy "
                "forward before applying spectral normalization"
            )
        with wengert.no_grad():
            u, v = [
                normalize(weight.new_empty(size).normal_(0, 1), eps)
                for size in hook.reshape_weight_to_matrix(weight).size()
            ]
        delattr(module, name)
        module.register_parameter(f"{name}_orig", weight)
        setattr(module, name, weight.data)  # an ordinary attribute, which initialization may look at
        module.register_buffer(f"{name}_u", u)
        module.register_buffer(f"{name}_v", v)
        module.register_forward_pre_hook(hook)
        module._register_state_dict_hook(SpectralNormStateDictHook(hook))
        module._register_load_state_dict_pre_hook(SpectralNormLoadStateDictPreHook(hook))
        return hook


class SpectralNormLoadStateDictPreHook:
    """The hook that computes ``weight_v`` for a state that was saved before version 1, which did not have it."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(
        self,
        state_dict: Any,
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        key = prefix + self.fn.name
        version = local_metadata.get("spectral_norm", {}).get(f"{self.fn.name}.version")
        is_complete = all(key + suffix in state_dict for suffix in ("_orig", "_u", "_v")) and key not in state_dict
        if (version is None and is_complete) or (version is not None and version >= 1):
            return
        missing = [key + suffix for suffix in ("_orig", "", "_u") if key + suffix not in state_dict]
        if missing:
            missing_keys.extend(missing if strict else ())
            return
        with wengert.no_grad():
            original, weight = state_dict[f"{key}_orig"], state_dict.pop(key)
            matrix = self.fn.reshape_weight_to_matrix(original)
            sigma = (original / weight).mean()
            state_dict[f"{key}_v"] = self.fn._solve_v_and_rescale(matrix, state_dict[f"{key}_u"], sigma)


class SpectralNormStateDictHook:
    """The hook that writes the version of spectral normalization into a state's metadata."""

    def __init__(self, fn: SpectralNorm) -> None:
        self.fn = fn

    def __call__(self, module: Any, state_dict: Any, prefix: str, local_metadata: dict[str, Any]) -> None:
        versions = local_metadata.setdefault("spectral_norm", {})
        key = f"{self.fn.name}.version"
        if key in versions:
            raise RuntimeError(f"Unexpected key in metadata['spectral_norm']: {key}")
        versions[key] = self.fn._version


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    """Divide a weight by its largest singular value before each call of the module; return the module.

    `parametrizations.spectral_norm` takes its place. The parameter becomes ``weight_orig``; ``weight_u`` and
    ``weight_v`` are buffers.

    name: the parameter. n_power_iterations: steps of the power method at each call in training mode.
    eps: added to norms against division by zero. dim: the dimension of the output features; 0, and 1 for transposed
    convolutions, by default.
    """
    SpectralNorm.apply(module, name, n_power_iterations, output_dim(module) if dim is None else dim, eps)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Remove what `spectral_norm` has done; the weight keeps its value. ValueError where there is nothing to remove."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            break
    else:
        raise ValueError(f"spectral_norm of '{name}' not found in {module}")
    remove_hook(module._state_dict_hooks, SpectralNormStateDictHook, name)
    remove_hook(module._load_state_dict_pre_hooks, SpectralNormLoadStateDictPreHook, name)
    return module


def remove_hook(hooks: dict[int, Any], cls: Any, name: str) -> None:
    """Remove the hook of a class that belongs to the weight with a name."""
    for number, hook in hooks.items():
        inner = getattr(hook, "hook", hook)
        if isinstance(inner, cls) and inner.fn.name == name:
            del hooks[number]
            return
