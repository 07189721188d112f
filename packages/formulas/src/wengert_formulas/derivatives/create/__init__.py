"""Derivatives of ops that make tensors."""
