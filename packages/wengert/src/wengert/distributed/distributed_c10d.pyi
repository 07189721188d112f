# Written by tools/generate/module_stubs.py.
from wengert_distributed import reduce_op as reduce_op
from wengert_distributed.collectives.barriers import barrier as barrier
from wengert_distributed.collectives.barriers import monitored_barrier as monitored_barrier
from wengert_distributed.collectives.coalesced import all_gather_coalesced as all_gather_coalesced
from wengert_distributed.collectives.coalesced import all_reduce_coalesced as all_reduce_coalesced
from wengert_distributed.collectives.exchanging import all_to_all as all_to_all
from wengert_distributed.collectives.exchanging import all_to_all_single as all_to_all_single
from wengert_distributed.collectives.gathering import all_gather as all_gather
from wengert_distributed.collectives.gathering import all_gather_into_tensor as all_gather_into_tensor
from wengert_distributed.collectives.gathering import all_gather_single as all_gather_single
from wengert_distributed.collectives.gathering import broadcast as broadcast
from wengert_distributed.collectives.gathering import gather as gather
from wengert_distributed.collectives.gathering import scatter as scatter
from wengert_distributed.collectives.objects import all_gather_object as all_gather_object
from wengert_distributed.collectives.objects import broadcast_object_list as broadcast_object_list
from wengert_distributed.collectives.objects import gather_object as gather_object
from wengert_distributed.collectives.objects import recv_object_list as recv_object_list
from wengert_distributed.collectives.objects import scatter_object_list as scatter_object_list
from wengert_distributed.collectives.objects import send_object_list as send_object_list
from wengert_distributed.collectives.point_to_point import P2POp as P2POp
from wengert_distributed.collectives.point_to_point import batch_isend_irecv as batch_isend_irecv
from wengert_distributed.collectives.point_to_point import irecv as irecv
from wengert_distributed.collectives.point_to_point import isend as isend
from wengert_distributed.collectives.point_to_point import recv as recv
from wengert_distributed.collectives.point_to_point import send as send
from wengert_distributed.collectives.reducing import all_reduce as all_reduce
from wengert_distributed.collectives.reducing import reduce as reduce
from wengert_distributed.collectives.reducing import reduce_scatter as reduce_scatter
from wengert_distributed.collectives.reducing import reduce_scatter_single as reduce_scatter_single
from wengert_distributed.collectives.reducing import reduce_scatter_tensor as reduce_scatter_tensor
from wengert_distributed.collectives.reductions import supports_complex as supports_complex
from wengert_distributed.distributed_c10d import _get_default_group as _get_default_group
from wengert_distributed.distributed_c10d import _get_default_store as _get_default_store
from wengert_distributed.distributed_c10d import _get_process_group_name as _get_process_group_name
from wengert_distributed.distributed_c10d import _make_nccl_premul_sum as _make_nccl_premul_sum
from wengert_distributed.distributed_c10d import _rank_not_in_group as _rank_not_in_group
from wengert_distributed.distributed_c10d import default_pg_timeout as default_pg_timeout
from wengert_distributed.errors import DistBackendError as DistBackendError
from wengert_distributed.errors import DistError as DistError
from wengert_distributed.errors import DistNetworkError as DistNetworkError
from wengert_distributed.errors import DistStoreError as DistStoreError
from wengert_distributed.errors import QueueEmptyError as QueueEmptyError
from wengert_distributed.functional.gradcheck import gradcheck as gradcheck
from wengert_distributed.functional.gradcheck import gradgradcheck as gradgradcheck
from wengert_distributed.groups.backends import Backend as Backend
from wengert_distributed.groups.backends import is_backend_available as is_backend_available
from wengert_distributed.groups.device_mesh import DeviceMesh as DeviceMesh
from wengert_distributed.groups.device_mesh import init_device_mesh as init_device_mesh
from wengert_distributed.groups.environment import get_default_backend_for_device as get_default_backend_for_device
from wengert_distributed.groups.environment import get_node_local_rank as get_node_local_rank
from wengert_distributed.groups.environment import is_available as is_available
from wengert_distributed.groups.environment import is_gloo_available as is_gloo_available
from wengert_distributed.groups.environment import is_mpi_available as is_mpi_available
from wengert_distributed.groups.environment import is_nccl_available as is_nccl_available
from wengert_distributed.groups.environment import is_torchelastic_launched as is_torchelastic_launched
from wengert_distributed.groups.environment import is_ucc_available as is_ucc_available
from wengert_distributed.groups.environment import is_xccl_available as is_xccl_available
from wengert_distributed.groups.group import ProcessGroup as ProcessGroup
from wengert_distributed.groups.initialization import destroy_process_group as destroy_process_group
from wengert_distributed.groups.initialization import init_process_group as init_process_group
from wengert_distributed.groups.names import GroupMember as GroupMember
from wengert_distributed.groups.names import group as group
from wengert_distributed.groups.queries import get_backend as get_backend
from wengert_distributed.groups.queries import get_backend_config as get_backend_config
from wengert_distributed.groups.queries import get_global_rank as get_global_rank
from wengert_distributed.groups.queries import get_group_rank as get_group_rank
from wengert_distributed.groups.queries import get_pg_count as get_pg_count
from wengert_distributed.groups.queries import get_process_group_ranks as get_process_group_ranks
from wengert_distributed.groups.queries import get_rank as get_rank
from wengert_distributed.groups.queries import get_world_size as get_world_size
from wengert_distributed.groups.queries import is_initialized as is_initialized
from wengert_distributed.groups.subgroups import new_group as new_group
from wengert_distributed.groups.subgroups import new_subgroups as new_subgroups
from wengert_distributed.groups.subgroups import new_subgroups_by_enumeration as new_subgroups_by_enumeration
from wengert_distributed.groups.subgroups import split_group as split_group
from wengert_distributed.interface.work import Work as Work
from wengert_distributed.parallel.buckets import GradBucket as GradBucket
from wengert_distributed.parallel.data_parallel import DistributedDataParallel as DistributedDataParallel
from wengert_distributed.parallel.gradients import DistributedGradients as DistributedGradients
from wengert_distributed.reduce_op import ReduceOp as ReduceOp
from wengert_distributed.stores.file_store import FileStore as FileStore
from wengert_distributed.stores.store import HashStore as HashStore
from wengert_distributed.stores.store import PrefixStore as PrefixStore
from wengert_distributed.stores.store import Store as Store
from wengert_distributed.stores.tcp_store import TCPStore as TCPStore

__all__ = [
    "Backend", "DeviceMesh", "DistBackendError", "DistError", "DistNetworkError", "DistStoreError",
    "DistributedDataParallel", "DistributedGradients", "FileStore", "GradBucket", "GroupMember", "HashStore",
    "P2POp", "PrefixStore", "ProcessGroup", "QueueEmptyError", "ReduceOp", "Store", "TCPStore", "Work",
    "_get_default_group", "_get_default_store", "_get_process_group_name", "_make_nccl_premul_sum",
    "_rank_not_in_group", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "all_gather_object",
    "all_gather_single", "all_reduce", "all_reduce_coalesced", "all_to_all", "all_to_all_single", "barrier",
    "batch_isend_irecv", "broadcast", "broadcast_object_list", "default_pg_timeout", "destroy_process_group",
    "gather", "gather_object", "get_backend", "get_backend_config", "get_default_backend_for_device",
    "get_global_rank", "get_group_rank", "get_node_local_rank", "get_pg_count", "get_process_group_ranks",
    "get_rank", "get_world_size", "gradcheck", "gradgradcheck", "group", "init_device_mesh", "init_process_group",
    "irecv", "is_available", "is_backend_available", "is_gloo_available", "is_initialized", "is_mpi_available",
    "is_nccl_available", "is_torchelastic_launched", "is_ucc_available", "is_xccl_available", "isend",
    "monitored_barrier", "new_group", "new_subgroups", "new_subgroups_by_enumeration", "recv", "recv_object_list",
    "reduce", "reduce_op", "reduce_scatter", "reduce_scatter_single", "reduce_scatter_tensor", "scatter",
    "scatter_object_list", "send", "send_object_list", "split_group", "supports_complex"
]
