"""Parametrizations of weights: orthogonal matrices, weight normalization, spectral normalization."""

from __future__ import annotations

from typing import Any

import wengert
from wengert import Tensor
from wengert.linalg import householder_product, solve

from wengert_nn.modules.module import Module
from wengert_nn.utils.parametrize import register_parametrization
from wengert_nn.utils.spectral_norm import as_matrix, check_iterations, normalize, output_dim
from wengert_nn.utils.weight_norm import norm_except_dim, scale_to_norm

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]

ORTHOGONAL_MAPS = ("matrix_exp", "cayley", "householder")


def tensor_of(module: Any, name: str) -> Any:
    """Return the tensor of a module with a name. ValueError where there is none."""
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    return weight


# ---- orthogonal matrices


def is_orthogonal(matrix: Any) -> bool:
    """Return whether the columns of matrices are orthonormal, up to rounding."""
    rows, columns = matrix.size(-2), matrix.size(-1)
    identity = wengert.eye(columns, dtype=matrix.dtype, device=matrix.device)
    eps = 10.0 * rows * wengert.finfo(matrix.dtype).eps
    return wengert.allclose(matrix.mH @ matrix, identity, atol=eps)


def orthogonalize(matrix: Any) -> Any:
    """Return the factor Q of tall matrices QR, where the diagonal of R is not negative."""
    reflectors, tau = wengert.geqrf(matrix)
    signs = reflectors.diagonal(dim1=-2, dim2=-1).sgn()
    return householder_product(reflectors, tau) * signs.unsqueeze(-2)


class _Orthogonal(Module):
    """The map of a tensor to orthogonal matrices; its buffer ``base`` is multiplied with them (trivialization)."""

    base: Any

    def __init__(self, weight: Any, orthogonal_map: str, *, use_trivialization: bool = True) -> None:
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        self.use_trivialization = use_trivialization
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X: Any) -> Any:
        """Return the orthogonal matrices; of wide ones the rows are orthonormal."""
        is_wide = X.size(-2) < X.size(-1)
        tall = X.mT if is_wide else X
        result = self._reflect(tall) if self.orthogonal_map == "householder" else self._rotate(tall)
        if self.use_trivialization:
            result = self.base @ result
        return result.mT if is_wide else result

    def _rotate(self, tall: Any) -> Any:
        """Return the first columns of the exponential, or the Cayley map, of a skew-symmetric matrix."""
        rows, columns = tall.size(-2), tall.size(-1)
        lower = tall.tril()
        if rows != columns:
            lower = wengert.nn.functional.pad(lower, (0, rows - columns))
        skew = lower - lower.mH
        if self.orthogonal_map == "matrix_exp":
            result = wengert.matrix_exp(skew)
        else:
            identity = wengert.eye(rows, dtype=skew.dtype, device=skew.device)
            result = solve(wengert.add(identity, skew, alpha=-0.5), wengert.add(identity, skew, alpha=0.5))
        return result[..., :columns] if rows != columns else result

    def _reflect(self, tall: Any) -> Any:
        """Return a product of reflections, whose vectors stand below the diagonal; the diagonal has signs."""
        vectors = tall.tril(diagonal=-1)
        tau = 2.0 / (1.0 + (vectors * vectors).sum(dim=-2))
        signs = tall.detach().diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        return householder_product(vectors, tau) * signs

    def right_inverse(self, Q: Any) -> Any:
        """Return a tensor that is mapped to Q, or to the orthogonal matrix of its QR decomposition."""
        if Q.shape != self.shape:
            raise ValueError(
                f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}."
            )
        is_wide = Q.size(-2) < Q.size(-1)
        with wengert.no_grad():
            tall = Q.mT if is_wide else Q
            if self.use_trivialization:
                self.base = self._base(tall)
                result = wengert.zeros_like(Q)
                result.diagonal(dim1=-2, dim2=-1).fill_(-1.0)  # with which the reflections, too, are the identity
                return result
            if self.orthogonal_map != "householder":
                raise NotImplementedError(
                    "It is not possible to assign to the matrix exponential or the Cayley parametrizations when "
                    "use_trivialization=False."
                )
            result, tau = wengert.geqrf(tall)
            diagonal = result.diagonal(dim1=-2, dim2=-1)
            diagonal.sign_()
            diagonal[tau == 0.0] *= -1  # LAPACK has left out these reflections
            return result.mT if is_wide else result

    @staticmethod
    def _base(tall: Any) -> Any:
        """Return square orthogonal matrices that begin with these columns, made orthonormal."""
        rows, columns = tall.size(-2), tall.size(-1)
        if rows == columns:
            return tall.clone() if is_orthogonal(tall) else orthogonalize(tall)
        others = wengert.randn(*tall.shape[:-1], rows - columns, dtype=tall.dtype, device=tall.device)
        return orthogonalize(wengert.cat([tall, others], dim=-1))


def orthogonal(
    module: Any, name: str = "weight", orthogonal_map: str | None = None, *, use_trivialization: bool = True
) -> Any:
    """Let a matrix of a module, or a batch of them, be orthogonal (unitary for complex numbers); return the module.

    The columns of a tall matrix are orthonormal, the rows of a wide one. At first it is the matrix that was there, or
    the orthogonal factor of its QR decomposition.

    name: the parameter or buffer.
    orthogonal_map: how it is computed: ``"matrix_exp"`` (the default for square and for complex matrices) and
    ``"cayley"`` of a skew-symmetric matrix, ``"householder"`` (the default for others) as a product of reflections.
    use_trivialization: multiply with a constant matrix, so that the first two can have any first value.

    >>> import wengert as wg
    >>> layer = wg.nn.utils.parametrizations.orthogonal(wg.nn.Linear(20, 40))
    >>> wg.allclose(layer.weight.T @ layer.weight, wg.eye(20), atol=1e-5)
    True
    """
    weight = tensor_of(module, name)
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        is_square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if is_square or weight.is_complex() else "householder"
    if orthogonal_map not in ORTHOGONAL_MAPS:
        raise ValueError(
            f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}'
        )
    parametrization = _Orthogonal(weight, orthogonal_map, use_trivialization=use_trivialization)
    return register_parametrization(module, name, parametrization, unsafe=True)


# ---- norms


class _WeightNorm(Module):
    """The map of a magnitude and a direction to a tensor."""

    def __init__(self, dim: int | None = 0) -> None:
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g: Any, weight_v: Any) -> Any:
        """Return the tensor."""
        return scale_to_norm(weight_v, weight_g, self.dim)

    def right_inverse(self, weight: Any) -> tuple[Any, Any]:
        """Return the magnitude of a tensor, and the tensor as its direction."""
        return norm_except_dim(weight, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    r"""Let a weight be :math:`g \, v / \|v\|`, with a magnitude and a direction as parameters; return the module.

    They are ``parametrizations.weight.original0`` and ``original1``. A state of the older `nn.utils.weight_norm`, with
    ``weight_g`` and ``weight_v``, can be loaded.

    name: the parameter or buffer.
    dim: the dimension along which each slice has a norm of its own; None for one norm of all.

    >>> import wengert as wg
    >>> layer = wg.nn.utils.parametrizations.weight_norm(wg.nn.Linear(20, 40))
    >>> {name: parameter.shape for name, parameter in layer.parametrizations.named_parameters()}
    {'weight.original0': torch.Size([40, 1]), 'weight.original1': torch.Size([40, 20])}
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)
    module._register_load_state_dict_pre_hook(OldState(name))
    return module


class OldState:
    """The hook that renames the magnitude and direction in a state of ``nn.utils.weight_norm``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, state_dict: Any, prefix: str, *_: Any) -> None:
        old = [f"{prefix}{self.name}_{letter}" for letter in "gv"]
        if all(key in state_dict for key in old):
            for number, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{self.name}.original{number}"] = state_dict.pop(key)


class _SpectralNorm(Module):
    """The division of a tensor by its largest singular value, which steps of the power method compute."""

    _u: Any
    _v: Any

    def __init__(self, weight: Any, n_power_iterations: int = 1, dim: int = 0, eps: float = 1e-12) -> None:
        super().__init__()
        rank = weight.ndim
        if not -rank <= dim < rank:
            raise IndexError(
                f"Dimension out of range (expected to be in range of [-{rank}, {rank - 1}] but got {dim})"
            )
        check_iterations(n_power_iterations)
        self.dim = dim % rank
        self.eps = eps
        if rank > 1:
            self.n_power_iterations = n_power_iterations
            with wengert.no_grad():
                matrix = as_matrix(weight, self.dim)
                for name, size in zip(("_u", "_v"), matrix.size(), strict=True):
                    vector = matrix.new_empty(size).normal_(0, 1)
                    self.register_buffer(name, normalize(vector, eps))
                self._power_method(matrix, 15)

    def _power_method(self, matrix: Any, n_power_iterations: int) -> None:
        """Improve the singular vectors in place."""
        for _ in range(n_power_iterations):
            normalize(wengert.mv(matrix, self._v), self.eps, out=self._u)
            normalize(wengert.mv(matrix.H, self._u), self.eps, out=self._v)

    def forward(self, weight: Any) -> Any:
        """Return the tensor divided by its largest singular value; in training mode, improve that first."""
        if weight.ndim == 1:
            return normalize(weight, self.eps)
        matrix = as_matrix(weight, self.dim)
        if self.training:
            with wengert.no_grad():
                self._power_method(matrix, self.n_power_iterations)
        u, v = self._u.clone(), self._v.clone()  # the next call writes into the buffers, a backward needs these values
        return weight / wengert.vdot(u, wengert.mv(matrix, v))

    def right_inverse(self, value: Any) -> Any:
        """Return the value, which is taken as it is."""
        return value


def spectral_norm(
    module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Any:
    r"""Divide a weight by its largest singular value, a vector by its norm; return the module.

    The weight as a matrix, of a row for each output feature, then has the norm 1. Its singular vectors are approximated
    by the power method.

    name: the parameter or buffer. n_power_iterations: steps whenever the weight is computed in training mode.
    eps: against division by zero.
    dim: the dimension of the output features; 0, and 1 for transposed convolutions, by default.

    >>> import wengert as wg
    >>> layer = wg.nn.utils.parametrizations.spectral_norm(wg.nn.Linear(4, 3), n_power_iterations=50)
    >>> wg.allclose(wg.linalg.matrix_norm(layer.weight, 2), wg.tensor(1.0))
    True
    """
    weight = tensor_of(module, name)
    dim = output_dim(module) if dim is None else dim
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
