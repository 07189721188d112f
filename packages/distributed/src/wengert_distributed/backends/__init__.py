"""Transports of process groups: MPI by mpi4py on hosts, NCCL by CuPy on GPUs. Each is imported on first use."""
