"""Benchmarks of wengert for asv, by subject. programs.py holds what is also timed beside PyTorch (tools/compare.py)."""
