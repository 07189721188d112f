"""Python entry points to the kernels, for tests and benchmarks only."""
