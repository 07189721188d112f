"""Normalization of each channel of each sample."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

from wengert import Tensor
from wengert.nn.functional import instance_norm

from wengert_nn.modules.batchnorm import _LazyNormBase, _NormBase, expect_dims

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
    "_InstanceNorm",
]


class _InstanceNorm(_NormBase):
    """The base class of instance normalization."""

    _rank: ClassVar[int]
    """The number of dims of one sample, with its channels."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _get_no_batch_dim(self) -> int:
        return self._rank

    def _check_input_dim(self, input: Any) -> None:
        expect_dims(input, self._rank, self._rank + 1)

    def _handle_no_batch_input(self, input: Tensor) -> Tensor:
        return self._apply_instance_norm(input.unsqueeze(0)).squeeze(0)

    def _apply_instance_norm(self, input: Tensor) -> Tensor:
        return instance_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias,
            self.training or not self.track_running_stats, self.momentum or 0.0, self.eps,
        )  # fmt: skip

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], strict: bool, missing_keys: list[str],
        unexpected_keys: list[str], error_msgs: list[str],
    ) -> None:  # fmt: skip
        """Load the state; before version 2 it had running estimates that nothing used."""
        if local_metadata.get("version") is None and not self.track_running_stats:
            found = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if found:
                name = type(self).__name__
                error_msgs.append(
                    "Unexpected running stats buffer(s) {} for {} with track_running_stats=False. If state_dict is a "
                    "checkpoint saved before 0.4.0, this may be expected because {} does not track running stats by "
                    "default since 0.4.0. Please remove these keys from state_dict. If the running stats are actually "
                    "needed, instead set track_running_stats=True in {} to enable them. See the documentation of {} "
                    "for details.".format(" and ".join(f'"{key}"' for key in found), *[name] * 4)
                )
                for key in found:
                    state_dict.pop(key)
        super()._load_from_state_dict(
            state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs
        )

    def forward(self, input: Tensor) -> Tensor:
        """Normalize by the mean and variance of each channel of each sample, or in evaluation by the running ones."""
        self._check_input_dim(input)
        rank = self._get_no_batch_dim()
        dim = input.dim() - rank
        size = input.size(dim)
        if size != self.num_features:
            if self.affine:
                raise ValueError(
                    f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: {size}."
                )
            warnings.warn(
                f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing "
                "in num_features, which is not used because affine=False",
                stacklevel=2,
            )
        return self._apply_instance_norm(input) if dim else self._handle_no_batch_input(input)


class InstanceNorm1d(_InstanceNorm):
    """Compute ``(input - mean) / sqrt(var + eps)`` for each channel of each sample of ``(N, C, L)`` or ``(C, L)``.

    Mean and variance are those over L. num_features: C. eps: keeps the root from 0. momentum: the share of a batch in
    the running estimates. affine: whether the result is multiplied by a weight and added to a bias, of shape ``(C,)``.
    track_running_stats: whether running estimates are kept, which evaluation uses then. bias: whether there is one.
    Source: Ulyanov and others, Instance normalization: the missing ingredient for fast stylization, 2016.

    >>> import wengert as wg
    >>> wg.nn.InstanceNorm1d(2)(wg.tensor([[[1.0, 3.0], [2.0, 2.0]]]))
    tensor([[[-1.0000,  1.0000],
             [ 0.0000,  0.0000]]])
    """

    _rank = 2


class InstanceNorm2d(_InstanceNorm):
    """Normalize each channel of each image, ``(N, C, H, W)`` or ``(C, H, W)``; see ``InstanceNorm1d``.

    >>> import wengert as wg
    >>> wg.nn.InstanceNorm2d(3)(wg.ones(2, 3, 4, 4)).abs().max()
    tensor(0.)
    """

    _rank = 3


class InstanceNorm3d(_InstanceNorm):
    """Normalize each channel of each volume, ``(N, C, D, H, W)`` or ``(C, D, H, W)``; see ``InstanceNorm1d``.

    >>> import wengert as wg
    >>> wg.nn.InstanceNorm3d(3)(wg.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    _rank = 4


class LazyInstanceNorm1d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm1d that takes ``num_features`` from its first input.

    >>> import wengert as wg
    >>> wg.nn.LazyInstanceNorm1d(affine=True)(wg.ones(2, 3, 4)).shape
    torch.Size([2, 3, 4])
    """

    cls_to_become: type[Any] | None = InstanceNorm1d
    _rank = 2


class LazyInstanceNorm2d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm2d that takes ``num_features`` from its first input.

    >>> import wengert as wg
    >>> wg.nn.LazyInstanceNorm2d(affine=True)(wg.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become: type[Any] | None = InstanceNorm2d
    _rank = 3


class LazyInstanceNorm3d(_LazyNormBase, _InstanceNorm):
    """An InstanceNorm3d that takes ``num_features`` from its first input.

    >>> import wengert as wg
    >>> wg.nn.LazyInstanceNorm3d(affine=True)(wg.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become: type[Any] | None = InstanceNorm3d
    _rank = 4
