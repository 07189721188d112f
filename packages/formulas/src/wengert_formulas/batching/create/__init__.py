"""Batching rules of ops that make tensors."""
