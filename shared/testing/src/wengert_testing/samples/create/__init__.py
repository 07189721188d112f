"""Samples of ops that make tensors."""
