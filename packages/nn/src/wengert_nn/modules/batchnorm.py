"""Normalization over a batch, with running estimates of mean and variance for evaluation."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import wengert
from wengert import Tensor
from wengert.nn.functional import batch_norm

from wengert_nn import init
from wengert_nn.modules.lazy import LazyModuleMixin
from wengert_nn.modules.module import Module
from wengert_nn.parameter import Parameter, UninitializedBuffer, UninitializedParameter

__all__ = [
    "BatchNorm1d",
    "BatchNorm2d",
    "BatchNorm3d",
    "LazyBatchNorm1d",
    "LazyBatchNorm2d",
    "LazyBatchNorm3d",
    "SyncBatchNorm",
    "_BatchNorm",
    "_LazyNormBase",
    "_NormBase",
]


def expect_dims(input: Any, *dims: int) -> None:
    """Raise ValueError for an input that has another number of dims."""
    if input.dim() not in dims:
        raise ValueError(f"expected {' or '.join(f'{dim}D' for dim in dims)} input (got {input.dim()}D input)")


class _NormBase(Module):
    """The base class of batch and instance normalization: weight, bias, and the running estimates."""

    _version = 2
    __constants__: ClassVar[list[str]] = ["track_running_stats", "momentum", "eps", "num_features", "affine"]
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        for name, is_there in (("weight", affine), ("bias", affine and bias)):
            value = Parameter(wengert.empty(num_features, device=device, dtype=dtype)) if is_there else None
            self.register_parameter(name, value)
        tracked: dict[str, Any] = dict.fromkeys(("running_mean", "running_var", "num_batches_tracked"))
        if track_running_stats:
            tracked = {
                "running_mean": wengert.zeros(num_features, device=device, dtype=dtype),
                "running_var": wengert.ones(num_features, device=device, dtype=dtype),
                "num_batches_tracked": wengert.tensor(0, dtype=wengert.int64, device=device),
            }
        for name, buffer in tracked.items():
            self.register_buffer(name, buffer)
        self.reset_parameters()

    def reset_running_stats(self) -> None:
        """Set the running mean to 0, the running variance to 1, the number of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset the running estimates, set the weight to 1 and the bias to 0."""
        self.reset_running_stats()
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def _check_input_dim(self, input: Any) -> None:
        raise NotImplementedError

    def extra_repr(self) -> str:
        """Return the options."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: dict[str, Any], *rest: Any
    ) -> None:
        """Load the state; one of before version 2 has no number of batches."""
        key = prefix + "num_batches_tracked"
        if local_metadata.get("version", 1) < 2 and self.track_running_stats and key not in state_dict:
            count = self.num_batches_tracked
            known = count is not None and count.device.type != "meta"
            state_dict[key] = count if known else wengert.tensor(0, dtype=wengert.int64)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)


class _BatchNorm(_NormBase):
    """The base class of batch normalization."""

    def forward(self, input: Tensor) -> Tensor:
        """Normalize; while training, by the mean and the variance of the batch, which the running ones then follow."""
        self._check_input_dim(input)
        parameters, buffers = self._parameters, self._buffers
        try:
            weight, bias = parameters["weight"], parameters["bias"]
            mean, var = buffers["running_mean"], buffers["running_var"]
            count = buffers["num_batches_tracked"]
        except KeyError:
            weight, bias, mean, var = self.weight, self.bias, self.running_mean, self.running_var
            count = self.num_batches_tracked
        if not self.training:
            is_own = mean is None and var is None
            return batch_norm(input, mean, var, weight, bias, is_own, self.momentum or 0.0, self.eps)
        if not self.track_running_stats:
            return batch_norm(input, None, None, weight, bias, True, self.momentum or 0.0, self.eps)
        momentum = self.momentum
        if count is not None:
            count.add_(1)
            if momentum is None:
                momentum = 1.0 / float(count)
        return batch_norm(input, mean, var, weight, bias, True, momentum or 0.0, self.eps)


class _LazyNormBase(LazyModuleMixin, _NormBase):
    """The base class of normalizations that take the number of features from their first input."""

    num_features: int
    weight: UninitializedParameter
    bias: UninitializedParameter

    def __init__(
        self,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(0, eps, momentum, False, False, device, dtype, bias=False)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean: UninitializedBuffer = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var: UninitializedBuffer = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked: Tensor = wengert.tensor(0, dtype=wengert.int64, device=device)

    def reset_parameters(self) -> None:
        """Reset everything, once it is there."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input: Tensor) -> None:
        """Make parameters and running estimates for the channels of an input."""
        if self.has_uninitialized_params():
            self.num_features = input.shape[1]
            shape = (self.num_features,)
            if self.affine:
                self.weight.materialize(shape)
                if self.bias is not None:
                    self.bias.materialize(shape)
            if self.track_running_stats:
                self.running_mean.materialize(shape)
                self.running_var.materialize(shape)
            self.reset_parameters()


class BatchNorm1d(_BatchNorm):
    """Compute ``(input - mean) / sqrt(var + eps) * weight + bias`` for each channel of ``(N, C)`` or ``(N, C, L)``.

    Mean and variance are those over all dims but the channels while the module is trained, the running ones in
    evaluation. num_features: C. eps: keeps the root from 0. momentum: the share of a batch in the running estimates;
    None: their plain average over all batches. affine: whether there are weight and bias, of shape ``(C,)``.
    track_running_stats: without, evaluation uses the batch as well. bias: whether there is one.
    Source: Ioffe and Szegedy, Batch normalization, 2015.

    >>> import wengert as wg
    >>> layer = wg.nn.BatchNorm1d(1)
    >>> layer(wg.tensor([[1.0], [3.0]])).flatten().detach()
    tensor([-1.0000,  1.0000])
    >>> layer.running_mean, layer.running_var
    (tensor([0.2000]), tensor([1.1000]))
    """

    def _check_input_dim(self, input: Any) -> None:
        expect_dims(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """Normalize the channels of images ``(N, C, H, W)``; see ``BatchNorm1d``.

    >>> import wengert as wg
    >>> wg.nn.BatchNorm2d(3)(wg.ones(2, 3, 4, 4)).abs().max()
    tensor(0., grad_fn=<MaxBackward1>)
    """

    def _check_input_dim(self, input: Any) -> None:
        expect_dims(input, 4)


class BatchNorm3d(_BatchNorm):
    """Normalize the channels of volumes ``(N, C, D, H, W)``; see ``BatchNorm1d``.

    >>> import wengert as wg
    >>> wg.nn.BatchNorm3d(3)(wg.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    def _check_input_dim(self, input: Any) -> None:
        expect_dims(input, 5)


class LazyBatchNorm1d(_LazyNormBase, _BatchNorm):
    """A BatchNorm1d that takes ``num_features`` from its first input.

    >>> import wengert as wg
    >>> layer = wg.nn.LazyBatchNorm1d()
    >>> layer(wg.ones(4, 3)).shape, layer.num_features
    (torch.Size([4, 3]), 3)
    """

    cls_to_become: type[Any] | None = BatchNorm1d
    _check_input_dim = BatchNorm1d._check_input_dim


class LazyBatchNorm2d(_LazyNormBase, _BatchNorm):
    """A BatchNorm2d that takes ``num_features`` from its first input.

    >>> import wengert as wg
    >>> wg.nn.LazyBatchNorm2d()(wg.ones(2, 3, 4, 4)).shape
    torch.Size([2, 3, 4, 4])
    """

    cls_to_become: type[Any] | None = BatchNorm2d
    _check_input_dim = BatchNorm2d._check_input_dim


class LazyBatchNorm3d(_LazyNormBase, _BatchNorm):
    """A BatchNorm3d that takes ``num_features`` from its first input.

    >>> import wengert as wg
    >>> wg.nn.LazyBatchNorm3d()(wg.ones(2, 3, 4, 4, 4)).shape
    torch.Size([2, 3, 4, 4, 4])
    """

    cls_to_become: type[Any] | None = BatchNorm3d
    _check_input_dim = BatchNorm3d._check_input_dim


class SyncBatchNorm(_BatchNorm):
    """Normalize as ``BatchNorm1d``, by the mean and variance of the batches of all processes while training.

    process_group: the processes; None for all. Before ``wengert.distributed.init_process_group``, and in a group of one
    process, it is an ordinary batch normalization. Inputs have at least 2 dims, on any device (PyTorch refuses CPUs).

    >>> import wengert as wg
    >>> wg.nn.SyncBatchNorm(3)(wg.ones(2, 3)).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def forward(self, input: Tensor) -> Tensor:
        """Normalize; in a group of several processes, while training, by mean and variance of the batches of all."""
        distributed: Any = sys.modules.get("wengert_distributed")  # who has not loaded it is in no group
        several = distributed is not None and self.training and distributed.is_initialized()
        if not several or distributed.get_world_size(self.process_group) < 2:
            return super().forward(input)
        self._check_input_dim(input)
        momentum = self.momentum
        if self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            momentum = 1.0 / float(self.num_batches_tracked) if momentum is None else momentum
        normalized: Tensor = wengert.distributed.nn.sync_batch_norm(
            input, self.running_mean, self.running_var, self.weight, self.bias, momentum or 0.0, self.eps,
            self.process_group,
        )  # fmt: skip
        return normalized

    def _check_input_dim(self, input: Any) -> None:
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    @classmethod
    def convert_sync_batchnorm(cls, module: Any, process_group: Any = None) -> Any:
        """Return a model in which batch normalizations have become ones of this class, with the same parameters.

        The model itself is changed; only a batch normalization that is no part of another module has to be replaced by
        what is returned.
        """
        result = module
        if isinstance(module, _BatchNorm):
            result = SyncBatchNorm(
                module.num_features, module.eps, module.momentum, module.affine, module.track_running_stats,
                process_group, bias=module.bias is not None,
            )  # fmt: skip
            if module.affine:
                result.weight, result.bias = module.weight, module.bias
            result.running_mean, result.running_var = module.running_mean, module.running_var
            result.num_batches_tracked = module.num_batches_tracked
            result.training = module.training
        for name, child in module.named_children():
            result.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return result
