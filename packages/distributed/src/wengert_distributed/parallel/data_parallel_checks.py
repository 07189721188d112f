"""Checks of the arguments of DistributedDataParallel, with PyTorch's errors."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Sequence
from typing import Any

import wengert
from wengert import Tensor
from wengert.nn.parameter import UninitializedParameter

from wengert_distributed.groups.world import member_group
from wengert_distributed.parallel.buckets import MEBIBYTE, GradBucket, check_bucket_bytes


def check_parameters(parameters: Sequence[Tensor]) -> None:
    """Raise RuntimeError where no parameter requires grad or one has no memory, ValueError for several device types."""
    if not any(parameter.requires_grad for parameter in parameters):
        raise RuntimeError("DistributedDataParallel is not needed when a module doesn't have any parameter that "
                           "requires a gradient.")  # fmt: skip
    kinds = {parameter.device.type for parameter in parameters}
    if len(kinds) != 1:
        raise ValueError("DistributedDataParallel's input module must be on the same type of devices, but input module "
                         f"parameters locate in {kinds}.")  # fmt: skip
    if any(isinstance(parameter, UninitializedParameter) for parameter in parameters):
        raise RuntimeError("Modules with uninitialized parameters can't be used with `DistributedDataParallel`. "
                           "Run a dummy forward pass to correctly initialize the modules")  # fmt: skip


def averaging_group(process_group: Any, mesh: Any) -> Any:
    """Return the group over which gradients are averaged, the mesh's or all ranks without one.

    Raises RuntimeError for a group and a mesh, and for a mesh of several dims.
    """
    if mesh is None:
        return member_group(process_group)
    if process_group is not None:
        raise RuntimeError("Cannot specify both process_group and device_mesh arguments.")
    if mesh.ndim != 1:
        raise RuntimeError(f"Only 1D device mesh is supported, but got {mesh}.")
    return member_group(mesh.get_group(0))


def checked_devices(
    device_ids: Sequence[Any] | None, output_device: Any, parameters: Sequence[Tensor]
) -> tuple[list[int] | None, int | None]:
    """Return the device's number as a list, and that of the outputs; None for modules of hosts or several devices."""
    if device_ids is not None and len(device_ids) > 1:
        raise ValueError("device_ids can only be None or contain a single element.")
    devices = {parameter.device for parameter in parameters}
    if not device_ids or len(devices) > 1 or parameters[0].device.type == "cpu":
        if device_ids or output_device:
            raise ValueError(
                "DistributedDataParallel device_ids and output_device arguments only work with single-device/multiple-"
                f"device GPU modules or CPU modules, but got device_ids {device_ids}, output_device {output_device}, "
                f"and module parameters {devices}."
            )
        return None, None
    chosen = device_number(device_ids[0])
    return [chosen], chosen if output_device is None else device_number(output_device)


def device_number(value: Any) -> int:
    """Return the number of a device."""
    if isinstance(value, int):
        return value
    index = wengert.device(value).index
    return 0 if index is None else int(index)


def synced_buffers(broadcast_buffers: bool | None, forward_sync_buffers: bool | None) -> tuple[bool, bool]:
    """Return whether buffers are broadcast at each forward, and at the beginning."""
    if broadcast_buffers is not None:
        remedy = (
            "its value is ignored when `forward_sync_buffers` is provided."
            if forward_sync_buffers is not None
            else "Use `forward_sync_buffers` instead, which syncs buffers at init even if it is False."
        )
        warnings.warn(f"`broadcast_buffers` is deprecated. {remedy}", FutureWarning, stacklevel=4)
    if forward_sync_buffers is not None:
        return forward_sync_buffers, True
    chosen = True if broadcast_buffers is None else broadcast_buffers
    return chosen, chosen


def bucket_limits(bucket_cap_mb: float | None, bucket_cap_mb_list: Sequence[float] | None) -> list[float]:
    """Return the bytes of the buckets."""
    if bucket_cap_mb_list:
        return [check_bucket_bytes("bucket_cap_mb_list", one) * MEBIBYTE for one in bucket_cap_mb_list]
    if bucket_cap_mb is None:
        return [MEBIBYTE, 25 * MEBIBYTE]
    limit = check_bucket_bytes("bucket_cap_mb", bucket_cap_mb) * MEBIBYTE
    return [min(MEBIBYTE, limit), limit]


def check_absent_features(features: dict[str, Any]) -> None:
    """Raise NotImplementedError for a feature of PyTorch's class that was asked for and is not there."""
    for name, value in features.items():
        if value is not None:
            raise NotImplementedError(f"DistributedDataParallel has no {name}; leave it out")


def check_comm_hook(hook: Any) -> None:
    """Raise TypeError for a hook that is not callable, ValueError for annotations of other types."""
    from wengert_distributed.interface.future import Future

    if not callable(hook):
        raise TypeError("Communication hook must be callable.")
    signature = inspect.signature(hook)
    empty = inspect.Signature.empty
    annotation = signature.parameters["bucket"].annotation
    if annotation not in (empty, GradBucket) and not str(annotation).endswith("GradBucket"):
        raise ValueError("Communication hook: bucket annotation should be dist.GradBucket.")
    returned = signature.return_annotation
    is_future = getattr(returned, "__origin__", returned) is Future or "Future" in str(returned)
    if returned is not empty and not is_future:
        raise ValueError("Communication hook: return annotation should be torch.futures.Future[torch.Tensor].")
