"""Forward mode: dual tensors and the tangents of operations."""
