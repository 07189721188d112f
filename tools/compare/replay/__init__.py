"""Times of captured programs beside wengert's eager calls, JAX, CasADi, numexpr and PyTorch."""
