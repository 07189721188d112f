"""The names of ``torch.distributed.distributed_c10d``: those of ``wengert.distributed``, and some that only it has."""

from __future__ import annotations

from typing import Any

import wengert_distributed
from wengert_distributed.collectives.reductions import make_premul_sum as _make_nccl_premul_sum
from wengert_distributed.groups.world import NON_GROUP_MEMBER, current_world
from wengert_distributed.groups.world import default_group as _get_default_group

__all__ = [
    "_get_default_group", "_get_default_store", "_get_process_group_name", "_make_nccl_premul_sum",
    "_rank_not_in_group", *wengert_distributed.__all__,
]  # fmt: skip


def _get_default_store() -> Any:
    """Return the store that init_process_group was called with. Raises ValueError where there was none."""
    _get_default_group()
    store = current_world().store
    if store is None:
        raise ValueError("the default process group has no store: MPI connected its ranks; pass one to "
                         "init_process_group(store=...)")  # fmt: skip
    return store


def _rank_not_in_group(group: Any) -> bool:
    """Return whether this rank is outside a group."""
    return type(group) is int and group == NON_GROUP_MEMBER


def _get_process_group_name(pg: Any) -> str:
    """Return the name of a group."""
    return str(pg.group_name)


def __getattr__(name: str) -> Any:
    try:
        return getattr(wengert_distributed, name)
    except AttributeError:
        raise AttributeError(
            f"module 'wengert.distributed.distributed_c10d' has no attribute '{name}'", name=name
        ) from None


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
