"""State of each thread, memory, worker threads and the look-up of BLAS: the base of every call, without tensors."""
