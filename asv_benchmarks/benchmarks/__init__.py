"""Benchmarks of wengert for asv, by subject. What tools/compare times beside PyTorch, too, is in programs.py."""
