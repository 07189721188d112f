"""Recorded answers of PyTorch: ``python -m tools.record WHAT`` asks for them again."""
