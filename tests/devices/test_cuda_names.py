"""The names of torch.cuda: wengert.cuda has them, or says why not."""

from __future__ import annotations

import pytest
import wengert as torch
from wengert.parts import NOT_PARTS, PARTS

NAMES = """
    BFloat16Storage BFloat16Tensor BoolStorage BoolTensor ByteStorage ByteTensor CUDAGraph CUDAPluggableAllocator
    CharStorage CharTensor ComplexDoubleStorage ComplexFloatStorage CudaError DeferredCudaCallError DoubleStorage
    DoubleTensor Event ExternalStream FloatStorage FloatTensor GreenContext HalfStorage HalfTensor IntStorage IntTensor
    LongStorage LongTensor MemPool ShortStorage ShortTensor Stream StreamContext amp caching_allocator_alloc
    caching_allocator_delete caching_allocator_disabled caching_allocator_enable can_device_access_peer
    change_current_allocator check_error clock_rate cudaStatus cudart current_blas_handle current_device
    current_solver_handle current_stream default_generators default_stream device device_count device_memory_used
    device_of empty_cache get_allocator_backend get_arch_list get_device_capability get_device_name
    get_device_properties get_gencode_flags get_per_process_memory_fraction get_rng_state get_rng_state_all
    get_stream_from_external get_sync_debug_mode graph graph_pool_handle graphs has_half has_magma host_memory_stats
    host_memory_stats_as_nested_dict init initial_seed ipc_collect is_available is_bf16_supported
    is_current_stream_capturing is_initialized is_tf32_supported jiterator list_gpu_processes make_graphed_callables
    manual_seed manual_seed_all max_memory_allocated max_memory_cached max_memory_reserved mem_get_info memory
    memory_allocated memory_cached memory_reserved memory_snapshot memory_stats memory_stats_as_nested_dict
    memory_summary memory_usage nccl nvtx power_draw profiler random reset_accumulated_host_memory_stats
    reset_accumulated_memory_stats reset_max_memory_allocated reset_max_memory_cached reset_peak_host_memory_stats
    reset_peak_memory_stats seed seed_all set_device set_per_process_memory_fraction set_rng_state set_rng_state_all
    set_stream set_sync_debug_mode sparse stream streams synchronize temperature tunable use_mem_pool utilization
""".split()  # PyTorch 2.13


@pytest.mark.parametrize("name", NAMES)
def test_each_name_is_there_or_has_its_reason(name):
    assert hasattr(torch.cuda, name) != (f"cuda.{name}" in NOT_PARTS)
    assert not {f"cuda.{name}"} & NOT_PARTS.keys() & PARTS.keys()
