"""Batching rules of network layers."""
