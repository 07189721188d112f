"""Rows of ops that make tensors: factories and random numbers."""
