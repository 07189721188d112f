"""Tests of the CPU kernels through wengert_core.kernels.testing.testing."""
