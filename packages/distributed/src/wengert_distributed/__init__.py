"""Collectives and data parallel training over MPI and NCCL, as in torch.distributed.

>>> import wengert as wg
>>> wg.distributed.init_process_group()
>>> x = wg.ones(2)
>>> wg.distributed.all_reduce(x)
>>> wg.distributed.destroy_process_group()
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from wengert_distributed import _native  # noqa: F401 - finds and loads the compiled modules, so it comes first
from wengert_distributed import reduce_op as reduce_op

if TYPE_CHECKING:
    from wengert_distributed.groups.initialization import default_pg_timeout as default_pg_timeout

__version__ = "0.1.0"
MODULES = {
    "collectives.barriers": "barrier monitored_barrier",
    "collectives.coalesced": "all_gather_coalesced all_reduce_coalesced",
    "collectives.exchanging": "all_to_all all_to_all_single",
    "collectives.gathering": "all_gather all_gather_into_tensor all_gather_single broadcast gather scatter",
    "collectives.objects": "all_gather_object broadcast_object_list gather_object recv_object_list "
                           "scatter_object_list send_object_list",
    "collectives.point_to_point": "P2POp batch_isend_irecv irecv isend recv send",
    "collectives.reductions": "supports_complex",
    "collectives.reducing": "all_reduce reduce reduce_scatter reduce_scatter_single reduce_scatter_tensor",
    "interface.work": "Work",
    "errors": "DistBackendError DistError DistNetworkError DistStoreError QueueEmptyError",
    "groups.backends": "Backend is_backend_available",
    "groups.device_mesh": "DeviceMesh init_device_mesh",
    "groups.environment": "get_default_backend_for_device get_node_local_rank is_available is_gloo_available "
                          "is_mpi_available is_nccl_available is_torchelastic_launched is_ucc_available "
                          "is_xccl_available",
    "groups.group": "ProcessGroup",
    "groups.initialization": "default_pg_timeout destroy_process_group init_process_group",
    "groups.names": "GroupMember group",
    "groups.queries": "get_backend get_backend_config get_global_rank get_group_rank get_pg_count "
                      "get_process_group_ranks get_rank get_world_size is_initialized",
    "groups.subgroups": "new_group new_subgroups new_subgroups_by_enumeration split_group",
    "reduce_op": "ReduceOp",
    "stores.file_store": "FileStore",
    "stores.store": "HashStore PrefixStore Store",
    "stores.tcp_store": "TCPStore",
    # parts that other modules of this package bring
    "functional.gradcheck": "gradcheck gradgradcheck",
    "parallel.buckets": "GradBucket",
    "parallel.data_parallel": "DistributedDataParallel",
    "parallel.gradients": "DistributedGradients",
}  # fmt: skip
"""The public names of each module; a module is imported when one of its names is asked for."""
HOMES = {name: module for module, names in MODULES.items() for name in names.split()}
__all__ = sorted([*HOMES, "reduce_op"])


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        raise AttributeError(f"module 'wengert.distributed' has no attribute '{name}'", name=name)
    value = globals()[name] = getattr(import_module(f"wengert_distributed.{HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
