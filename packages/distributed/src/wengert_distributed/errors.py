"""Exceptions of torch.distributed."""

from __future__ import annotations


class DistError(RuntimeError):
    """An error of a distributed program."""


class DistBackendError(DistError):
    """A collective failed, did not end in time, or was called otherwise by another rank."""


class DistNetworkError(DistError):
    """The ranks could not be connected."""


class DistStoreError(DistError):
    """A store of keys and values failed."""


class QueueEmptyError(DistStoreError):
    """A queue of a store has no value, and ``queue_pop`` was not to wait for one."""
