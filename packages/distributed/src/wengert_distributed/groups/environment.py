"""Questions about what is installed and how this process was started."""

from __future__ import annotations

import os
from typing import Any

from wengert_distributed.backends.launcher import read_launcher
from wengert_distributed.groups.backends import is_backend_available


def is_available() -> bool:
    """Return True: collectives are there. PyTorch's ``torch.distributed.is_available``."""
    return True


def is_mpi_available() -> bool:
    """Return whether the backend "mpi" can be used. PyTorch's ``torch.distributed.is_mpi_available``."""
    return is_backend_available("mpi")


def is_nccl_available() -> bool:
    """Return whether the backend "nccl" can be used. PyTorch's ``torch.distributed.is_nccl_available``."""
    return is_backend_available("nccl")


def is_gloo_available() -> bool:
    """Return False: hosts communicate by MPI. PyTorch's ``torch.distributed.is_gloo_available``."""
    return is_backend_available("gloo")


def is_ucc_available() -> bool:
    """Return False: hosts communicate by MPI. PyTorch's ``torch.distributed.is_ucc_available``."""
    return is_backend_available("ucc")


def is_xccl_available() -> bool:
    """Return False: GPUs are CUDA's. PyTorch's ``torch.distributed.is_xccl_available``."""
    return is_backend_available("xccl")


def is_torchelastic_launched() -> bool:
    """Return whether torchrun started this process. PyTorch's ``torch.distributed.is_torchelastic_launched``."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Return the rank of this process among those of its machine, as the launcher gives it.

    fallback_rank: returned where no launcher gives it; RuntimeError without it.
    PyTorch's ``torch.distributed.get_node_local_rank``.

    >>> import wengert as wg
    >>> wg.distributed.get_node_local_rank(fallback_rank=0)
    0
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    local = read_launcher().local_rank
    if local >= 0:
        return local
    if fallback_rank is None:
        raise RuntimeError(
            "LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to "
            "work, assuming you are not running in a multi-device context and want the code to run locally instead."
        )
    return int(fallback_rank)


def get_default_backend_for_device(device: Any) -> str:
    """Return the backend that is used for a kind of device: "mpi" for "cpu", "nccl" for "cuda".

    Raises ValueError for a device that has none. PyTorch's ``torch.distributed.get_default_backend_for_device``.

    >>> import wengert as wg
    >>> wg.distributed.get_default_backend_for_device("cuda:0")
    'nccl'
    """
    kind = str(device).partition(":")[0]
    if kind not in ("cpu", "cuda"):
        raise ValueError(f"Default backend not registered for device : {device}")
    return "nccl" if kind == "cuda" else "mpi" if is_backend_available("mpi") else "self"
