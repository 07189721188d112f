"""Names that optional parts of wengert bring: they are known, and are wengert's, before the part is loaded."""

PARTS = {
    "autograd.functional": "functional", "vmap": "functional", "func": "functional", "cond": "functional",
    "autograd.gradcheck": "gradcheck",
    "autograd.gradgradcheck": "gradcheck", "autograd.profiler": "profiler", "autograd.profiler_util": "profiler",
    "profiler": "profiler",
    "utils.checkpoint": "graph", "ops": "graph",
    "autograd.graph.Drawing": "graph", "autograd.graph.draw": "graph", "autograd.graph.explain_grad": "graph",
    "autograd.graph.saved_memory": "graph", "autograd.graph.walk": "graph",
}
"""Names that optional distributions bring, and the extra of ``pip install wengert[...]`` each comes with."""
PARTS |= dict.fromkeys("""
    polygamma igamma igammac i0 special.polygamma special.gammainc special.gammaincc special.i0 special.i0e special.i1
    special.i1e special.erfcx special.log_ndtr special.ndtri special.entr special.xlog1py special.zeta special.airy_ai
    special.bessel_j0 special.bessel_j1 special.bessel_y0 special.bessel_y1 special.modified_bessel_i0
    special.modified_bessel_i1 special.modified_bessel_k0 special.modified_bessel_k1
    special.scaled_modified_bessel_k0 special.scaled_modified_bessel_k1 special.spherical_bessel_j0
    special.chebyshev_polynomial_t special.chebyshev_polynomial_u special.chebyshev_polynomial_v
    special.chebyshev_polynomial_w special.shifted_chebyshev_polynomial_t special.shifted_chebyshev_polynomial_u
    special.shifted_chebyshev_polynomial_v special.shifted_chebyshev_polynomial_w special.hermite_polynomial_h
    special.hermite_polynomial_he special.laguerre_polynomial_l special.legendre_polynomial_p
    special.airy special.airye special.bdtr special.bdtrc special.bdtri special.beta special.betainc special.betaincc
    special.betainccinv special.betaincinv special.betaln special.binom special.boxcox special.boxcox1p special.cbrt
    special.chdtr special.chdtrc special.chdtri special.cosdg special.cosm1 special.cotdg special.dawsn special.ellipe
    special.ellipeinc special.ellipk special.ellipkinc special.ellipkm1 special.elliprc special.elliprd special.elliprf
    special.elliprg special.erfcinv special.erfi special.eval_chebyc special.eval_chebys special.eval_chebyt
    special.eval_chebyu special.eval_gegenbauer special.eval_genlaguerre special.eval_hermite special.eval_hermitenorm
    special.eval_jacobi special.eval_laguerre special.eval_legendre special.eval_sh_chebyt special.eval_sh_chebyu
    special.eval_sh_jacobi special.eval_sh_legendre special.exp1 special.exp10 special.expi special.expn special.exprel
    special.fdtr special.fdtrc special.fdtri special.fresnel special.gamma special.gammainccinv special.gammaincinv
    special.gammasgn special.gdtr special.gdtrc special.gdtria special.gdtrib special.gdtrix special.hankel1
    special.hankel1e special.hankel2 special.hankel2e special.huber special.hyp0f1 special.hyp1f1 special.hyp2f1
    special.hyperu special.inv_boxcox special.inv_boxcox1p special.iv special.ive special.jv special.jve special.kl_div
    special.kn special.kv special.kve special.log_expit special.loggamma special.lpmv special.modstruve special.nbdtr
    special.nbdtrc special.nbdtri special.ndtri_exp special.owens_t special.pdtr special.pdtrc special.pdtri
    special.poch special.powm1 special.pseudo_huber special.radian special.rel_entr special.rgamma special.shichi
    special.sici special.sindg special.spence special.stdtr special.stdtrit special.struve special.tandg special.wofz
    special.wrightomega special.yn special.yv special.yve special.zetac
""".split(), "special")
PARTS |= dict.fromkeys("""
    sparse_coo sparse_csr sparse_csc sparse_bsr sparse_bsc sparse_coo_tensor sparse_compressed_tensor sparse_csr_tensor
    sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor smm sspaddmm hspmm dsmm sparse.mm sparse.addmm
    sparse.sampled_addmm sparse.spsolve sparse.from_scipy sparse.to_scipy sparse.sum sparse.softmax sparse.log_softmax
    sparse.spdiags
    sparse.check_sparse_tensor_invariants
""".split(), "sparse")
PARTS |= dict.fromkeys(("array_api", "numpy", "scipy", "interop"), "numpy")
PARTS |= dict.fromkeys("""
    nn.Module nn.Parameter nn.Buffer nn.UninitializedParameter nn.UninitializedBuffer nn.init nn.utils nn.modules
    nn.parameter func.functional_call func.stack_module_state func.replace_all_batch_norm_modules_
""".split(), "nn")
PARTS |= {"quasirandom": "special", "optim": "optim", "distributions": "distributions", "utils.data": "data"}
PARTS |= dict.fromkeys(("distributed", "futures", "nn.parallel.DistributedDataParallel"), "distributed")
PARTS |= dict.fromkeys(("save", "load", "serialization"), "serialization")
PARTS |= {"capture": "replay", "replay": "replay", "cuda.nvtx": "profiler"}
PARTS |= dict.fromkeys("""
    cuda.graphs cuda.CUDAGraph cuda.graph cuda.graph_pool_handle cuda.is_current_stream_capturing
    cuda.make_graphed_callables
""".split(), "replay")
METHODS = dict.fromkeys("i0 i0_ igamma igamma_ igammac igammac_ polygamma polygamma_".split(), "special")
METHODS |= dict.fromkeys("""
    to_sparse to_sparse_csr to_sparse_csc to_sparse_bsr to_sparse_bsc to_dense sparse_mask coalesce is_coalesced
    indices values
    _indices _values _nnz sparse_dim dense_dim crow_indices col_indices ccol_indices row_indices sparse_resize_
    sparse_resize_and_clear_ smm sspaddmm
""".split(), "sparse")
"""Methods of Tensor that optional distributions bring with their op tables, and their extras."""
NOT_PARTS = {
    "nested": "tensors have one length in each dim; pad them, or use nn.utils.rnn.pack_sequence",
    "masked": "masks are tensors of bools; see masked_fill, where and masked_select",
    "hub": "it downloads models; load a file with wengert.load",
    "onnx": "there is no exporter to ONNX",
    "export": "a program of wengert.capture is written by its save(), and read by wengert.replay.load",
    "package": "programs are not packaged; save a state_dict with wengert.save",
    "quantization": "there are no quantized tensors",
    "ao": "there are no quantized tensors",
    "distributed.rpc": "ranks call collectives together; none calls functions of another",
    "distributed.fsdp": "each rank has all parameters; distributed.optim.ZeroRedundancyOptimizer shares the state",
    "distributed.tensor": "a tensor is on one rank; see distributed.tensor_parallel",
    "distributed.checkpoint": "save a state_dict with wengert.save on one rank",
    "distributed.elastic": "start the ranks with mpiexec",
    "distributed.run": "start the ranks with mpiexec",
    "distributed.launch": "start the ranks with mpiexec",
    "_inductor": "there is no compiler",
    "mps": "there are CPUs, and CUDA devices by CuPy",
    "xpu": "there are CPUs, and CUDA devices by CuPy",
    "nn.quantized": "there are no quantized tensors",
    "nn.qat": "there are no quantized tensors",
    "nn.intrinsic": "there are no quantized tensors",
    "nn.utils.prune": "multiply the tensor by a mask in a parametrization, by nn.utils.parametrize",
    "utils.data.datapipes": "subclass Dataset or IterableDataset",
    "utils.tensorboard": "use the package tensorboardX",
    "utils.cpp_extension": "operations are written in Python, Cython or CuPy: see docs/plugins",
    "utils.bottleneck": "use python -m wengert.profile",
    "utils.mobile_optimizer": "there is no mobile runtime",
}
NOT_PARTS |= {f"cuda.{name}": reason for names, reason in {
    "caching_allocator_alloc caching_allocator_delete caching_allocator_disabled caching_allocator_enable "
    "change_current_allocator get_allocator_backend CUDAPluggableAllocator MemPool use_mem_pool memory_snapshot "
    "get_per_process_memory_fraction set_per_process_memory_fraction":
        "memory comes from CuPy's pool, cupy.get_default_memory_pool(), which can be set and limited there",
    "host_memory_stats host_memory_stats_as_nested_dict reset_accumulated_host_memory_stats "
    "reset_peak_host_memory_stats": "pinned memory comes from CuPy's pool, cupy.get_default_pinned_memory_pool()",
    "reset_accumulated_memory_stats": "allocations are not counted; see cuda.memory_stats for what is",
    "clock_rate list_gpu_processes memory_usage power_draw temperature utilization":
        "ask NVIDIA's package nvidia-ml-py, or nvidia-smi",
    "check_error cudaStatus CudaError cudart DeferredCudaCallError":
        "CUDA's functions and errors are those of cupy.cuda.runtime",
    "current_blas_handle current_solver_handle": "handles are CuPy's: cupy.cuda.Device().cublas_handle",
    "get_sync_debug_mode set_sync_debug_mode":
        "nothing reports what waits for the device; inside of cuda.graph it is an error",
    "get_gencode_flags has_magma tunable": "kernels are compiled when they are used, and libraries are CuPy's",
    "jiterator": "write a kernel with CuPy: see docs/plugins",
    "nccl": "collectives are those of wengert.distributed",
    "profiler": "use cupy.cuda.profiler, or wengert.profiler",
    "GreenContext": "a GPU is not divided",
    "sparse": "layouts of tensors are those of wengert.sparse",
    "memory random streams": "its functions are in wengert.cuda itself",
    "BFloat16Tensor BoolTensor ByteTensor CharTensor DoubleTensor FloatTensor HalfTensor IntTensor LongTensor "
    "ShortTensor BFloat16Storage BoolStorage ByteStorage CharStorage ComplexDoubleStorage ComplexFloatStorage "
    "DoubleStorage FloatStorage HalfStorage IntStorage LongStorage ShortStorage":
        "give the dtype and device='cuda' to tensor() or empty()",
}.items() for name in names.split()}  # fmt: skip
"""Names of PyTorch that are no part of wengert, with the reason or what to use in their place."""

